// The Lifter's registers, environments and control flow. Operands: lift_operands.cpp.
#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

Value Lifter::Sgpr(int code) {
  ScalarSlot& slot = sgprs_[code];
  if (!slot.value) {
    slot.value = b.Emit(Op::kGetSgpr, ir::Type::kU32, {}, code);
    return slot.value;
  }
  if (slot.half < 0) return slot.value;
  return slot.half == 0 ? b.Low(slot.value) : b.High(slot.value);
}

Value Lifter::Sgpr64(int code) {
  ScalarSlot& low = sgprs_[code];
  ScalarSlot& high = sgprs_[code + 1];
  if (low.value && low.half == 0 && high.half == 1 && low.value == high.value) return low.value;
  if (!low.value && !high.value) {
    const Value pair = b.Emit(Op::kGetSgpr64, ir::Type::kU64, {}, code);
    low = {pair, 0, false};
    high = {pair, 1, false};
    return pair;
  }
  // Kept: Exec() is the same value each time although it was written in halves.
  const Value pair = b.Pack(Sgpr(code), Sgpr(code + 1));
  low = {pair, 0, low.dirty};
  high = {pair, 1, high.dirty};
  return pair;
}

// A refused instruction changes nothing, so that lift_* functions may read operands, be refused,
// and write.

void Lifter::SetSgpr(int code, Value v) {
  if (!refusal_.empty()) return;
  sgprs_[code] = {v, -1, true};
}

void Lifter::SetSgpr64(int code, Value v) {
  if (!refusal_.empty()) return;
  sgprs_[code] = {v, 0, true};
  sgprs_[code + 1] = {v, 1, true};
}

Value Lifter::Scc() {
  if (!scc_) scc_ = b.Emit(Op::kGetScc, ir::Type::kU1, {});
  return scc_;
}

void Lifter::SetScc(Value u1) {
  if (!refusal_.empty()) return;
  scc_ = u1;
  dirty_scc_ = true;
}

Value Lifter::Vgpr(int index) {
  const VectorSlot& slot = vgprs_[index];
  return slot.active && slot.mask == Exec() ? slot.active : VgprExactly(index);
}

Value Lifter::VgprExactly(int index) {
  VectorSlot& slot = vgprs_[index];
  if (!slot.base) slot.base = b.Emit(Op::kGetVgpr, ir::Type::kV32, {}, index);
  if (slot.active) {
    slot.base = b.Select(slot.mask, slot.active, slot.base);
    slot.active = {};
  }
  return slot.base;
}

bool Lifter::MayHaveGrown(Value exec) {
  const auto known = may_have_grown_.find(exec.id);
  if (known != may_have_grown_.end()) return known->second;
  const ir::Inst& inst = b.Of(exec);
  bool may = true;
  switch (inst.op) {
    case Op::kGetSgpr64: may = inst.imm != ir::kExec; break;
    case Op::kAnd: may = MayHaveGrown(inst.args[0]) && MayHaveGrown(inst.args[1]); break;
    case Op::kAndNot: may = MayHaveGrown(inst.args[0]); break;
    default: break;
  }
  return may_have_grown_[exec.id] = may;
}

bool Lifter::GainsLanes() {
  const ScalarSlot& low = sgprs_[kCodeExecLo];
  const ScalarSlot& high = sgprs_[kCodeExecHi];
  if (!low.dirty && !high.dirty) return false;
  return low.half != 0 || high.half != 1 || low.value != high.value || MayHaveGrown(low.value);
}

void Lifter::SetVgpr(int index, Value v, Value mask) {
  if (mask != Exec()) return SetVgprExactly(index, v, mask);
  uint64_t m = 0;
  const bool is_any = !observed_.wide_vgprs[index];
  if (is_any || (b.IsConst(mask, &m) && m == ~uint64_t{0})) {
    if (is_any && MayHaveGrown(mask)) NoteExec();
    vgprs_[index] = {v, {}, {}, true, is_any};
    return;
  }
  // Under one mask only the last write counts.
  if (vgprs_[index].active && vgprs_[index].mask != mask) VgprExactly(index);
  vgprs_[index].active = v;
  vgprs_[index].mask = mask;
  vgprs_[index].dirty = true;
}

void Lifter::SetVgprExactly(int index, Value v, Value mask) {
  uint64_t m = 0;
  if (!(b.IsConst(mask, &m) && m == ~uint64_t{0})) v = b.Select(mask, v, VgprExactly(index));
  vgprs_[index] = {v, {}, {}, true};
}

void Lifter::NoteExec() {
  if (!sgprs_[kCodeExecLo].dirty && !sgprs_[kCodeExecHi].dirty) return;
  const Value exec = Exec();
  if (exec == noted_exec_) return;
  noted_exec_ = exec;
  b.Emit(Op::kNoteExec, ir::Type::kVoid, {exec});
}

void Lifter::WriteBack(VgprSet vgprs, VgprSet wide, const std::bitset<128>& sgprs, bool scc) {
  // Before the matrices: their results are not read, but what they add to is, in all lanes.
  vgprs = (vgprs & ~matrix_results_) | matrix_addends_;
  wide |= matrix_addends_;
  for (int n = 0; n < kVectorRegisters; ++n) {
    if (!vgprs_[n].dirty || !vgprs[n]) continue;
    b.Emit(Op::kSetVgpr, ir::Type::kVoid, {wide[n] ? VgprExactly(n) : Vgpr(n)}, n,
           vgprs_[n].is_any ? 1 : 0);
  }
  for (const WriteAt& write : writes_at_) {
    b.Emit(Op::kSetVgprAt, ir::Type::kVoid, {write.number, write.mask, write.v}, write.first);
  }
  EmitMatrices();
  for (int code = 0; code < 128; ++code) {
    const ScalarSlot& slot = sgprs_[code];
    if (!slot.dirty || !sgprs[code]) continue;
    if (slot.half == 0 && code + 1 < 128) {
      const ScalarSlot& next = sgprs_[code + 1];
      if (next.half == 1 && next.value == slot.value && next.dirty && sgprs[code + 1]) {
        b.Emit(Op::kSetSgpr64, ir::Type::kVoid, {slot.value}, code);
        ++code;
        continue;
      }
    }
    b.Emit(Op::kSetSgpr, ir::Type::kVoid, {Sgpr(code)}, code);
  }
  if (dirty_scc_ && scc) b.Emit(Op::kSetScc, ir::Type::kVoid, {scc_});
}

namespace {

// MODE counts rounding 0 nearest, 1 +inf, 2 -inf, 3 zero; MXCSR 0 nearest, 1 -inf, 2 +inf, 3 zero.
uint32_t HostRounding(uint32_t round) { return round == 1 ? 2u : round == 2 ? 1u : round; }

FloatEnv EnvOf(uint32_t round, uint32_t denorm) {
  uint32_t bits = HostRounding(round) << FloatEnv::kRoundShift;
  if ((denorm & 1) == 0) bits |= FloatEnv::kFlushInputs;
  if ((denorm & 2) == 0) bits |= FloatEnv::kFlushResults;
  return {static_cast<uint16_t>(bits)};
}

}  // namespace

FloatEnv F32Environment(uint32_t mode) { return EnvOf(mode & 3, mode >> 4 & 3); }

FloatEnv Lifter::EnvF32() const { return F32Environment(mode()); }
FloatEnv Lifter::EnvF64() const { return EnvOf(mode() >> 2 & 3, mode() >> 6 & 3); }
FloatEnv Lifter::EnvF32Flush() const { return EnvOf(mode() & 3, 0); }

void Lifter::SetMode(Value u32) {
  b.Emit(Op::kSetMode, ir::Type::kVoid, {u32});
  mode_ = target_.mode;
}

void Lifter::ChangeMode(uint32_t mode) {
  mode_ = mode;
  divisions = {};  // they are of one environment
}

void Lifter::Jump(uint64_t pc) { terminator_ = {Op::kJump, {}, {pc, 0}, 0}; }
void Lifter::Branch(Value u1, uint64_t if_true, uint64_t if_false) {
  terminator_ = {Op::kBranch, u1, {if_true, if_false}, 0};
}
void Lifter::JumpIndirect(Value u64) { terminator_ = {Op::kJumpIndirect, u64, {}, 0}; }
void Lifter::Exit(ir::ExitReason reason, uint64_t pc) {
  terminator_ = {Op::kExit, {}, {pc, 0}, static_cast<int64_t>(reason)};
}

void Lifter::EmitTerminator() {
  if (has_changed_mode()) {
    // Where it would jump to, code is for the old value.
    if (terminator_.kind == Op::kJump) Exit(ir::ExitReason::kNext, terminator_.targets[0]);
    SetMode(b.U32(mode_));
  }
  b.block().targets[0] = terminator_.targets[0];
  b.block().targets[1] = terminator_.targets[1];
  if (terminator_.value) {
    b.Emit(terminator_.kind, ir::Type::kVoid, {terminator_.value}, terminator_.imm);
  } else {
    b.Emit(terminator_.kind, ir::Type::kVoid, {}, terminator_.imm);
  }
}

}  // namespace gcnjit::frontend
