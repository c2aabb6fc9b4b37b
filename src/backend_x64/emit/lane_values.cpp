#include "backend_x64/emit/lane_values.h"

#include "backend_x64/emit/gpr.h"
#include "backend_x64/plan/stragglers.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
namespace Id = x86::Inst;

namespace {

// Does the operation want that argument as a float?
bool TakesFloats(Op op) {
  switch (op) {
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFFma:
    case Op::kFDiv:
    case Op::kFSqrt:
    case Op::kFCmp:
    case Op::kF32ToI32:
    case Op::kF32ToU32: return true;
    default: return false;
  }
}

}  // namespace

LaneValues::LaneValues(x86::Compiler& cc, ConstantPool& constants, const BlockContext& block,
                       const x86::Gp& lane)
    : cc_(cc),
      constants_(constants),
      block_(block),
      lane_(lane),
      values_(block.function.insts.size()),
      is_float_(block.function.insts.size()) {
  for (const Value v : block.source.insts) {
    const Inst& inst = block.function[v];
    if (!TakesFloats(inst.op)) continue;
    for (int n = 0; n < inst.argument_count; ++n) is_float_[inst.args[n].id] = 1;
  }
}

bool LaneValues::IsBit(Value v) const {
  return block_.function[v].type == Type::kU1 || IsLaneMask(block_, v);
}

void LaneValues::SetBit(Value v, const Bit& bit) {
  values_[v.id].bit = bit.known;
  if (!bit.known) values_[v.id].gp = bit.gp;
}

void LaneValues::SetPointer(Value low, Value high, const x86::Gp& pointer) {
  values_[low.id].of_low = values_[high.id].of_high = pointer;
  values_[low.id].gp = pointer.r32();
}

bool LaneValues::IsIn(Value v, uint32_t register_id) const {
  const Held& held = values_[v.id];
  return (held.gp && held.gp->id() == register_id) || (held.xmm && held.xmm->id() == register_id) ||
         (held.bit_of_pair && held.bit_of_pair->id() == register_id) ||
         (held.of_low && held.of_low->id() == register_id);
}

bool LaneValues::IsCompare(Value v) const {
  const Inst& inst = block_.function[v];
  return ir::InfoOf(inst.op).Has(ir::Trait::kCompare) && IsBit(v) && !values_[v.id].gp;
}

x86::CondCode LaneValues::FlagsOf(Value mask) {
  if (IsCompare(mask)) return EmitCompare(block_.function[mask]);
  const Inst& inst = block_.function[mask];
  if (inst.op == Op::kNot && IsCompare(inst.args[0]) && !values_[mask.id].gp) {
    return x86::negateCond(EmitCompare(block_.function[inst.args[0]]));
  }
  const x86::Gp bit = BitOf(mask).gp.r32();
  cc_.test(bit, bit);
  return x86::CondCode::kNZ;
}

LaneValues::Bit LaneValues::BitOf(Value mask) {
  const Inst& inst = block_.function[mask];
  Held& held = values_[mask.id];
  if (IsCompare(mask)) {
    const x86::Gp result = New(false);
    cc_.mov(result, 0);
    const x86::CondCode holds = EmitCompare(inst);
    cc_.emit(x86::Inst::setccFromCond(holds), result.r8());
    held.gp = result;
  }
  if (held.bit) return {held.bit, {}};
  if (held.bit_of_pair) return {std::nullopt, *held.bit_of_pair};
  if (inst.op == Op::kConst && inst.type == Type::kU1) return {inst.imm != 0, {}};
  if (IsBit(mask)) return {std::nullopt, *held.gp};
  if (inst.op == Op::kConst && (inst.imm == 0 || inst.imm == -1)) return {inst.imm != 0, {}};
  // A scalar with the bits of all lanes.
  const x86::Gp bit = New(true);
  cc_.shrx(bit, Whole(mask), lane_);
  cc_.and_(bit.r32(), 1);
  return {std::nullopt, bit.r32()};
}

x86::Gp LaneValues::Whole(Value v) {
  Held& held = values_[v.id];
  if (held.gp) return *held.gp;
  const Inst& inst = block_.function[v];
  const bool wide = ir::Is64(inst.type) && !IsBit(v);
  if (held.of_high) {
    const x86::Gp high = New(true);
    cc_.mov(high, *held.of_high);
    cc_.shr(high, 32);
    return *(held.gp = high.r32());
  }
  if (IsCompare(v)) return BitOf(v).gp;
  const x86::Gp gp = New(wide);
  if (held.bit) {
    cc_.mov(gp, *held.bit ? 1 : 0);
  } else if (held.xmm) {
    wide ? cc_.vmovq(gp, *held.xmm) : cc_.vmovd(gp, *held.xmm);
    held.gp = gp;
  } else {
    cc_.mov(gp, wide ? inst.imm : int64_t{static_cast<uint32_t>(inst.imm)});
  }
  return gp;
}

x86::Xmm LaneValues::Float(Value v) {
  Held& held = values_[v.id];
  if (held.xmm) return *held.xmm;
  const x86::Xmm xmm = cc_.newXmm();
  const Inst& inst = block_.function[v];
  if (inst.op == Op::kConst) {
    IsWide(v) ? cc_.vmovsd(xmm, constants_.Broadcast64(static_cast<uint64_t>(inst.imm)))
              : cc_.vmovss(xmm, constants_.Broadcast32(static_cast<uint32_t>(inst.imm)));
  } else {
    IsWide(v) ? cc_.vmovq(xmm, Whole(v)) : cc_.vmovd(xmm, Whole(v));
  }
  held.xmm = xmm;
  return xmm;
}

x86::Gp LaneValues::Copy(Value v) {
  const x86::Gp copy = New(IsWide(v) && !IsBit(v));
  cc_.mov(copy, Whole(v));
  return copy;
}

asmjit::Operand LaneValues::Right(Value v) {
  const Inst& inst = block_.function[v];
  const bool wide = IsWide(v);
  if (inst.op == Op::kConst && FitsImmediate(static_cast<uint64_t>(inst.imm), wide)) {
    return asmjit::imm(int64_t{static_cast<int32_t>(inst.imm)});
  }
  return Whole(v);
}

x86::CondCode LaneValues::EmitCompare(const Inst& inst) {
  const asmjit::Operand right = Right(inst.args[1]);
  cc_.emit(Id::kIdCmp, Whole(inst.args[0]), right);
  switch (inst.op) {
    case Op::kEq: return x86::CondCode::kEqual;
    case Op::kNe: return x86::CondCode::kNotEqual;
    case Op::kLtU: return x86::CondCode::kUnsignedLT;
    case Op::kLeU: return x86::CondCode::kUnsignedLE;
    case Op::kLtS: return x86::CondCode::kSignedLT;
    default: return x86::CondCode::kSignedLE;
  }
}

std::optional<x86::Gp> LaneValues::PointerOf(Value low, Value high) const {
  const std::optional<x86::Gp>& x = values_[low.id].of_low;
  const std::optional<x86::Gp>& y = values_[high.id].of_high;
  return x && y && x->id() == y->id() ? x : std::nullopt;
}

}  // namespace gcnjit::backend
