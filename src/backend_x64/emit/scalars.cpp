// Scalars of a block: which registers they are in, and their way to and from the wave's state and
// memory.
#include <bit>

#include "backend_x64/emit/block.h"
#include "backend_x64/emit/scalar_registers.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {
// Where whoever wants it reads it.
bool IsHeldElsewhere(Op op) {
  return op == Op::kGetSgpr || op == Op::kGetSgpr64 || op == Op::kGetCommon;
}
}  // namespace

// ---- Registers

int BlockEmitter::TakeScalar(Value v) {
  const RegisterFile::Taken taken = gprs_.Take(
      Unit::Scalar(v), [this](Unit held) { return uses_.NextAfter(held.value, position_ - 1); });
  if (taken.has_failed) Fail("a scalar operation needs more registers than there are");
  if (taken.victim && taken.is_wanted) {
    const Value victim = taken.victim->value;
    const Op op = function_[victim].op;
    const bool in_place = op == Op::kConst || IsHeldElsewhere(op);
    if (!in_place && (homes_[victim.id].stored & 1) == 0) {
      a.mov(SlotMemory(SlotOf(victim)), Gp(taken.reg, true));
      homes_[victim.id].stored |= 1;
    }
  }
  return taken.reg;
}

int BlockEmitter::DefScalar(Value v) { return TakeScalar(v); }

int BlockEmitter::DefScalarAt(Value v, int wanted) {
  return gprs_.TakeAt(wanted, Unit::Scalar(v)) ? wanted : TakeScalar(v);
}

void BlockEmitter::LoadScalar(int reg, Value v) {
  const Inst& inst = function_[v];
  const bool wide = ir::Is64(inst.type);
  if (inst.op == Op::kConst) {
    const auto value = static_cast<uint64_t>(inst.imm);
    if (value == 0) {
      a.xor_(Gp(reg, false), Gp(reg, false));
    } else {
      a.mov(Gp(reg, value > UINT32_MAX), value);
    }
    return;
  }
  x86::Mem memory = ScalarMemory(v);
  memory.setSize(wide ? 8 : 4);
  a.mov(Gp(reg, wide), memory);
}

int BlockEmitter::UseScalar(Value v) {
  std::optional<int> reg = gprs_.Find(Unit::Scalar(v));
  if (!reg) {
    reg = TakeScalar(v);
    LoadScalar(*reg, v);
  }
  gprs_.Pin(*reg);
  return *reg;
}

void BlockEmitter::FreeDyingScalars(const Inst& inst) {
  for (int n = 0; n < inst.argument_count; ++n) {
    const Value v = inst.args[n];
    if (!uses_.IsUsedAfter(v, position_)) gprs_.Free(Unit::Scalar(v));
  }
}

void BlockEmitter::KeepScalar(Value v) {
  const Op op = function_[v].op;
  const std::optional<int> reg = gprs_.Find(Unit::Scalar(v));
  if (IsHeldElsewhere(op) || !reg) return;
  if (!uses_.HasLaneUse(v) || (homes_[v.id].stored & 1) != 0) return;
  a.mov(SlotMemory(SlotOf(v)), Gp(*reg, true));
  homes_[v.id].stored |= 1;
}

// Lane operations read scalars from memory: registers of those that nobody else wants are free.
void BlockEmitter::FreeLaneScalars() {
  for (uint32_t left = gprs_.Evictable(); left != 0; left &= left - 1) {
    const int reg = __builtin_ctz(left);
    if (!IsUsedInLaterStage(gprs_.UnitOf(reg).value)) gprs_.Free(reg);
  }
}

// ---- Operations

void BlockEmitter::EmitScalarOp(Value v) {
  const Inst& inst = function_[v];
  position_ = uses_.PositionOf(v);
  const bool is_load = inst.op == Op::kLoadScalar;
  if (inst.op == Op::kPart || (homes_[v.id].is_loaded && !is_load)) return;
  Note(v);
  current_ = &inst;
  switch (inst.op) {
    case Op::kGetCommon:
    case Op::kGetSgpr:
    case Op::kGetSgpr64: break;  // read where it is when it is used
    case Op::kSetCommon:
      a.mov(SlotMemory(shared_.CommonSlot(inst.imm)), Gp(UseScalar(inst.args[0]), true));
      break;
    case Op::kCodeBase:
      a.mov(Gp(DefScalar(v), true), x86::ptr(x86::r12, offsetof(RegionContext, code_base)));
      break;
    case Op::kGetScc: {
      const int reg = DefScalar(v);
      a.mov(Gp(reg, false), x86::dword_ptr(x86::rbx, shared_.layout.scc));
      break;
    }
    case Op::kNoteExec: EmitNoteExec(inst); break;
    case Op::kLoadScalar:
      if (!homes_[v.id].is_loaded) EmitScalarLoads(ScalarLoadsWith(v));
      break;
    case Op::kFence: a.mfence(); break;
    default: {
      const bool done = EmitScalarArithmetic(v, inst) || EmitScalarCompare(v, inst) ||
                        EmitScalarBits(v, inst) || EmitWholeOp(v, inst);
      if (!done) Fail("no emitter for a scalar operation");
      break;
    }
  }
  KeepScalar(v);
  FreeDyingScalars(inst);
  if (!uses_.IsUsedAfter(v, position_)) gprs_.Free(Unit::Scalar(v));
  FreeHomes(inst);
  gprs_.UnpinAll();
  current_ = nullptr;
}

// ---- State

// A value that is still to be read from an SGPR which an earlier write-back changes must be taken
// out first.
void BlockEmitter::ProtectOldScalars() {
  std::vector<uint8_t> written(130, 0);
  const auto protect = [&](Value reader) {
    const Inst& inst = function_[reader];
    for (int n = 0; n < inst.argument_count; ++n) {
      const Inst& source = function_[inst.args[n]];
      const bool pair = source.op == Op::kGetSgpr64;
      if (source.op != Op::kGetSgpr && !pair) continue;
      if (written[source.imm] == 0 && !(pair && written[source.imm + 1] != 0)) continue;
      ProtectOldScalar(inst.args[n]);
    }
  };
  for (const Value v : plan_.final_ops) {
    protect(v);
    const Inst& inst = function_[v];
    if (inst.op == Op::kSetSgpr || inst.op == Op::kSetSgpr64) {
      written[inst.imm] = 1;
      if (inst.op == Op::kSetSgpr64) written[inst.imm + 1] = 1;
    }
  }
  // A loop's lane values are written back behind its scalars.
  if (plan_.loop) {
    for (const Value v : plan_.loop->sets) protect(v);
  }
}

void BlockEmitter::ProtectOldScalar(Value v) {
  if (homes_[v.id].slot >= 0) return;
  const int reg = UseScalar(v);
  a.mov(SlotMemory(SlotOf(v)), Gp(reg, true));
  homes_[v.id].stored |= 1;
  gprs_.UnpinAll();
}

void BlockEmitter::EmitSetScalar(const Inst& inst) {
  const Value v = inst.args[0];
  if (inst.op == Op::kSkipped) {
    const x86::Gp mask = Gp(UseScalar(v), true);
    const asmjit::Label executed = a.newLabel();
    a.test(mask, mask);
    a.jnz(executed);
    a.sub(x86::qword_ptr(x86::r12, offsetof(RegionContext, executed)),
          static_cast<int32_t>(inst.imm));
    if (shared_.row.isValid()) {
      a.mov(x86::byte_ptr(x86::r12, offsetof(RegionContext, ends_row)), 1);
    }
    a.bind(executed);
  } else if (inst.op == Op::kSetScc || inst.op == Op::kSetMode) {
    const int32_t offset = inst.op == Op::kSetScc ? shared_.layout.scc : shared_.layout.mode;
    a.mov(x86::dword_ptr(x86::rbx, offset), Gp(UseScalar(v), false));
  } else {
    const bool wide = inst.op == Op::kSetSgpr64;
    const int32_t offset = shared_.layout.sgpr + static_cast<int32_t>(inst.imm) * 4;
    uint64_t constant = 0;
    if (IsConst(v, &constant) && FitsImmediate(constant, wide)) {
      x86::Mem to = x86::ptr(x86::rbx, offset, wide ? 8 : 4);
      a.mov(to, wide ? static_cast<int64_t>(constant)
                     : static_cast<int64_t>(static_cast<int32_t>(constant)));
    } else {
      a.mov(x86::ptr(x86::rbx, offset), Gp(UseScalar(v), wide));
    }
  }
  FreeDyingScalars(inst);
  gprs_.UnpinAll();
}

}  // namespace gcnjit::backend
