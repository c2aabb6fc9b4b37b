#include "backend_x64/emit/lane_pointers.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

const Stragglers::Pointer* LanePointers::With(Value v) const {
  const Op op = Of(v).op;
  if (op != Op::kGetVgpr && op != Op::kSetVgpr) return nullptr;
  return plan_.PointerWith(function_, Of(v).imm);
}

void LanePointers::Load(const Stragglers::Pointer& pointer, const x86::Mem& low_half,
                        const x86::Mem& high_half) {
  const x86::Gp whole = cc_.newUInt64(), low = cc_.newUInt64();
  cc_.mov(whole.r32(), high_half);
  cc_.mov(low.r32(), low_half);
  cc_.shl(whole, 32);
  cc_.or_(whole, low);
  values_.SetPointer(pointer.low, pointer.high, whole);
  registers_.push_back({whole, cc_.newUInt64()});
}

void LanePointers::Add() {
  for (size_t n = 0; n < registers_.size(); ++n) {
    const Value step = plan_.pointers[n].step;
    const Inst& inst = Of(step);
    const auto& [now, next] = registers_[n];
    if (inst.op == Op::kConst && static_cast<uint32_t>(inst.imm) <= INT32_MAX) {
      cc_.lea(next, x86::ptr(now, static_cast<int32_t>(inst.imm)));
    } else {
      cc_.mov(next.r32(), values_.Whole(step).r32());
      cc_.add(next, now);
    }
  }
}

void LanePointers::CarryOn() {
  for (const auto& [now, next] : registers_) cc_.mov(now, next);
}

x86::Gp LanePointers::HalfOf(const Stragglers::Pointer& pointer, int64_t vgpr) {
  const auto number = static_cast<size_t>(&pointer - plan_.pointers.data());
  const x86::Gp half = cc_.newUInt64();
  cc_.mov(half, registers_[number].second);
  if (Of(pointer.low).imm != vgpr) cc_.shr(half, 32);
  return half;
}

}  // namespace gcnjit::backend
