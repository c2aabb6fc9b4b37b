#include "backend_x64/emit/lane_state.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

LaneState::LaneState(x86::Compiler& cc, const BlockParts& parts, const Stragglers& plan,
                     LaneValues& values, const Places& places)
    : cc_(cc),
      b_(parts),
      plan_(plan),
      values_(values),
      places_(places),
      vgprs_(cc.newUIntPtr()),
      pointers_(cc, parts.block.function, plan, values) {}

x86::Mem LaneState::Sgpr(int64_t sgpr, uint32_t size) const {
  return x86::ptr(places_.state, layout().sgpr + static_cast<int32_t>(sgpr) * 4, size);
}

// The lane's part.
x86::Mem LaneState::Vgpr(int64_t vgpr) const {
  return x86::dword_ptr(vgprs_, layout().vgpr + static_cast<int32_t>(vgpr) * kVgprBytes);
}

bool LaneState::IsExec(Value read) const {
  return Of(read).op == Op::kGetSgpr64 && Of(read).imm == ir::kExec;
}

// A lane mask that the loop changes.
bool LaneState::IsMask(Value read) const {
  if (Of(read).op != Op::kGetSgpr64) return false;
  return std::any_of(plan_.masks.begin(), plan_.masks.end(),
                     [&](Value set) { return Of(set).imm == Of(read).imm; });
}

bool LaneState::IsInXmm(Value read) const {
  return Of(read).op == Op::kGetVgpr && values_.IsFloat(read);
}

void LaneState::Load() {
  cc_.lea(vgprs_, x86::ptr(places_.state, places_.lane, 2));
  for (const Stragglers::Pointer& pointer : plan_.pointers) {
    pointers_.Load(pointer, Vgpr(Of(pointer.low).imm), Vgpr(Of(pointer.high).imm));
  }
  for (const Stragglers::Get& get : plan_.gets) {
    if (!pointers_.With(get.read)) LoadRegister(get.read);
  }
}

void LaneState::LoadRegister(Value read) {
  const Inst& inst = Of(read);
  switch (inst.op) {
    case Op::kGetVgpr:
      if (IsInXmm(read)) {
        const x86::Xmm xmm = cc_.newXmm();
        cc_.vmovss(xmm, Vgpr(inst.imm));
        return values_.Set(read, xmm);
      }
      return LoadScalar(read, Vgpr(inst.imm), false);
    case Op::kGetSgpr: return LoadScalar(read, Sgpr(inst.imm, 4), false);
    case Op::kGetScc: return LoadScalar(read, x86::dword_ptr(places_.state, layout().scc), false);
    default: break;
  }
  if (IsExec(read)) return values_.SetBit(read, {true});
  if (!IsMask(read)) return LoadScalar(read, Sgpr(inst.imm, 8), true);
  const x86::Gp bit = cc_.newUInt64();
  cc_.mov(bit, Sgpr(inst.imm, 8));
  cc_.shrx(bit, bit, places_.lane);
  cc_.and_(bit.r32(), 1);
  values_.SetBitOfPair(read, bit.r32());
}

void LaneState::LoadScalar(Value read, const x86::Mem& from, bool wide) {
  const x86::Gp gp = wide ? cc_.newUInt64() : cc_.newUInt32();
  cc_.mov(gp, from);
  values_.Set(read, gp);
}

void LaneState::TakeResults() {
  for (const Stragglers::Get& get : plan_.gets) carried_.push_back(NextOf(get));
  pointers_.Add();
  for (const Value set : plan_.vgprs) {
    const Value v = Of(set).args[0];
    write_vgprs_.push_back(pointers_.With(set) ? Result()
                                               : ResultOf(v, false, values_.HasFloat(v)));
  }
  for (const Value set : plan_.kept) {
    kept_.push_back(pointers_.With(set) ? x86::Gp() : values_.Whole(Of(set).args[0]));
  }
  for (const Value set : plan_.masks) {
    write_masks_.push_back(ResultOf(Of(set).args[0], true, false));
  }
  for (const Value set : plan_.scalars) {
    write_scalars_.push_back(ResultOf(Of(set).args[0], false, false));
  }
}

// Nothing: the next iteration finds what this one has.
LaneState::Result LaneState::NextOf(const Stragglers::Get& get) {
  if (!get.next || get.next == get.read || IsExec(get.read) || pointers_.With(get.read)) return {};
  if (get.half >= 0) {
    const x86::Gp half = cc_.newUInt64();
    cc_.mov(half, values_.Whole(get.next));
    if (get.half == 1) cc_.shr(half, 32);
    return {.gp = half};
  }
  if (get.next_high) return {.gp = Joined(get)};
  return ResultOf(get.next, IsMask(get.read), IsInXmm(get.read));
}

LaneState::Result LaneState::ResultOf(Value v, bool is_mask, bool as_float) {
  if (is_mask) {
    const LaneValues::Bit bit = values_.BitOf(v);
    return bit.known ? Result{.bit = bit.known} : Result{.gp = bit.gp};
  }
  return as_float ? Result{.xmm = values_.Float(v)} : Result{.gp = values_.Whole(v)};
}

x86::Gp LaneState::Joined(const Stragglers::Get& get) {
  const x86::Gp low = cc_.newUInt64(), both = cc_.newUInt64();
  cc_.mov(low.r32(), values_.Whole(get.next).r32());
  cc_.mov(both.r32(), values_.Whole(get.next_high).r32());
  cc_.shl(both, 32);
  cc_.or_(both, low);
  return both;
}

// Of what the next iteration reads, some may be in registers that are to change.
void LaneState::CarryOn() {
  for (Result& result : carried_) {
    if (!IsToChange(result)) continue;
    if (result.xmm) {
      const x86::Xmm copy = cc_.newXmm();
      cc_.vmovaps(copy, *result.xmm);
      result.xmm = copy;
    } else {
      const x86::Gp copy = result.gp->size() == 8 ? cc_.newUInt64() : cc_.newUInt32();
      cc_.mov(copy, *result.gp);
      result.gp = copy;
    }
  }
  pointers_.CarryOn();
  for (size_t n = 0; n < carried_.size(); ++n) {
    const Value read = plan_.gets[n].read;
    if (carried_[n].xmm) {
      cc_.vmovaps(values_.Float(read), *carried_[n].xmm);
    } else if (carried_[n].gp) {
      const x86::Gp to = IsMask(read) ? values_.BitOf(read).gp : values_.Whole(read);
      to.size() == 8 ? cc_.mov(to, *carried_[n].gp) : cc_.mov(to, carried_[n].gp->r32());
    } else if (carried_[n].bit) {
      cc_.mov(values_.BitOf(read).gp, *carried_[n].bit ? 1 : 0);
    }
  }
}

// Is it in the register of something else that the loop carries?
bool LaneState::IsToChange(const Result& result) const {
  if (!result.gp && !result.xmm) return false;
  const uint32_t id = result.gp ? result.gp->id() : result.xmm->id();
  return std::any_of(plan_.gets.begin(), plan_.gets.end(),
                     [&](const Stragglers::Get& get) { return values_.IsIn(get.read, id); });
}

void LaneState::WriteBack() {
  WriteVgprs();
  WriteMasks();
  const x86::Gp bit = cc_.newUInt64(), exec = cc_.newUInt64();
  cc_.mov(bit, 1);
  cc_.shlx(bit, bit, places_.lane);
  cc_.mov(exec, Sgpr(ir::kExec, 8));
  cc_.andn(exec, bit, exec);
  cc_.mov(Sgpr(ir::kExec, 8), exec);
}

void LaneState::WriteForLater() {
  WriteVgprs();
  WriteKept();
  WriteMasks();
}

void LaneState::WriteKept() {
  for (size_t n = 0; n < plan_.kept.size(); ++n) {
    const int64_t vgpr = Of(plan_.kept[n]).imm;
    const Stragglers::Pointer* const pointer = pointers_.With(plan_.kept[n]);
    const x86::Gp value = pointer != nullptr ? pointers_.HalfOf(*pointer, vgpr) : kept_[n];
    if (IsOneValue(b_.block.known.shapes[plan_.kept[n].id])) {
      WriteInAllLanes(vgpr, value);
    } else {
      cc_.mov(Vgpr(vgpr), value.r32());
    }
  }
}

// Code may look at any of them.
void LaneState::WriteInAllLanes(int64_t vgpr, const x86::Gp& value) {
  const x86::Xmm one = cc_.newXmm();
  const x86::Ymm all = cc_.newYmm();
  cc_.vmovd(one, value.r32());
  cc_.vpbroadcastd(all, one);
  const int32_t begin = layout().vgpr + static_cast<int32_t>(vgpr) * kVgprBytes;
  for (int32_t at = 0; at < kVgprBytes; at += 32) {
    cc_.vmovups(x86::ymmword_ptr(places_.state, begin + at), all);
  }
}

void LaneState::WriteVgprs() {
  for (size_t n = 0; n < write_vgprs_.size(); ++n) {
    const int64_t vgpr = Of(plan_.vgprs[n]).imm;
    if (const Stragglers::Pointer* const pointer = pointers_.With(plan_.vgprs[n])) {
      cc_.mov(Vgpr(vgpr), pointers_.HalfOf(*pointer, vgpr).r32());
    } else if (write_vgprs_[n].xmm) {
      cc_.vmovss(Vgpr(vgpr), *write_vgprs_[n].xmm);
    } else {
      cc_.mov(Vgpr(vgpr), write_vgprs_[n].gp->r32());
    }
  }
}

// The lane's bits.
void LaneState::WriteMasks() {
  const x86::Gp bit = cc_.newUInt64(), all = cc_.newUInt64(), set = cc_.newUInt64();
  cc_.mov(bit, 1);
  cc_.shlx(bit, bit, places_.lane);
  for (size_t n = 0; n < write_masks_.size(); ++n) {
    const x86::Mem mask = Sgpr(Of(plan_.masks[n]).imm, 8);
    cc_.mov(all, mask);
    cc_.andn(all, bit, all);
    if (write_masks_[n].bit == true) {
      cc_.or_(all, bit);
    } else if (write_masks_[n].gp) {
      cc_.mov(set.r32(), write_masks_[n].gp->r32());
      cc_.shlx(set, set, places_.lane);
      cc_.or_(all, set);
    }
    cc_.mov(mask, all);
  }
}

void LaneState::Save(const SavedScalars& last) {
  for (size_t n = 0; n < write_scalars_.size(); ++n) {
    const SavedScalars::Copy copy = last.CopyOf(n);
    const x86::Gp scalar = *write_scalars_[n].gp;
    const x86::Mem slot = x86::ptr(places_.slots, copy.slot * 8, copy.is_wide ? 8 : 4);
    cc_.mov(slot, copy.is_wide ? scalar : x86::Gp(scalar.r32()));
  }
}

}  // namespace gcnjit::backend
