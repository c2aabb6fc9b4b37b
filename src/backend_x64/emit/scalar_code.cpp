#include "backend_x64/emit/scalar_code.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

ScalarCode::ScalarCode(BlockParts& parts, ScalarLoads& loads, CrossLane& cross_lane)
    : a(parts.region.a),
      region_(parts.region),
      version_(parts.version),
      at_(parts.at),
      block_(parts.block),
      memory_(parts.memory),
      scalars_(parts.scalars),
      loads_(loads),
      cross_lane_(cross_lane),
      floats_(parts) {}

void ScalarCode::Emit(Value v) {
  const Inst& inst = block_.function[v];
  at_.position = block_.uses.PositionOf(v);
  const bool is_load = inst.op == Op::kLoadScalar;
  if (inst.op == Op::kPart || (memory_[v].is_loaded && !is_load)) return;
  region_.Note(v);
  at_.inst = &inst;
  EmitOperation(v, inst);
  scalars_.Keep(v);
  scalars_.FreeDying(inst);
  if (!at_.IsRead(v)) scalars_.Free(v);
  memory_.FreeArguments(inst);
  scalars_.UnpinAll();
  at_.inst = nullptr;
}

void ScalarCode::EmitOperation(Value v, const Inst& inst) {
  switch (inst.op) {
    case Op::kGetCommon:
    case Op::kGetSgpr:
    case Op::kGetSgpr64: break;  // read where it is when it is used
    case Op::kSetCommon:
      a.mov(memory_.Slot(region_.frame.CommonSlot(inst.imm)), Gp(scalars_.Use(inst.args[0]), true));
      break;
    case Op::kCodeBase:
      a.mov(Gp(scalars_.Def(v), true),
            x86::ptr(x86::r12, offsetof(RegionContext, region.code_base)));
      break;
    case Op::kGetScc: {
      const int reg = scalars_.Def(v);
      a.mov(Gp(reg, false), x86::dword_ptr(x86::rbx, region_.options.layout.scc));
      break;
    }
    case Op::kNoteExec: EmitNoteExec(inst); break;
    case Op::kGuard: EmitGuard(inst); break;
    case Op::kLoadScalar:
      if (!memory_[v].is_loaded) loads_.EmitTogether(loads_.LoadsWith(v));
      break;
    case Op::kFence: a.mfence(); break;
    default: {
      const bool done = EmitArithmetic(v, inst) || EmitCompare(v, inst) || EmitBits(v, inst) ||
                        floats_.Emit(v, inst) || cross_lane_.Emit(v, inst);
      if (!done) region_.Fail("no emitter for a scalar operation");
      break;
    }
  }
}

// Fault reports look for a changed EXEC in its slot.
void ScalarCode::EmitNoteExec(const Inst& inst) {
  const Value v = inst.args[0];
  const Op op = block_.function[v].op;
  if (op == Op::kConst || op == Op::kGetSgpr64 || block_.plan.is_sliced[v.id] != 0) return;
  scalars_.Store(v, scalars_.Use(v));
}

// The general version counts the block's instructions itself.
void ScalarCode::EmitGuard(const Inst& inst) {
  if (!version_.general.label.isValid() || at_.stage != 0) {
    return region_.Fail("a guard where the block has begun");
  }
  version_.general.is_wanted = true;
  const x86::Gp holds = Gp(scalars_.Use(inst.args[0]), false);
  const asmjit::Label fails = a.newLabel();
  a.test(holds, holds);
  a.jz(fails);
  region_.cold.push_back([&region = region_, fails, general = version_.general.label,
                          instructions = block_.source.instruction_count] {
    region.a.bind(fails);
    region.a.sub(x86::qword_ptr(x86::r12, offsetof(RegionContext, turn.executed)),
                 static_cast<int32_t>(instructions));
    region.a.jmp(general);
  });
}

// ---- State

void ScalarCode::EmitFinal() {
  const std::vector<Value>& ops = block_.plan.final_ops;
  if (!ops.empty()) at_.position = block_.uses.PositionOf(ops.front()) - 1;
  region_.NoteHeading("end of block");
  ProtectOld();
  for (const Value v : ops) {
    const Inst& inst = block_.function[v];
    at_.position = block_.uses.PositionOf(v);
    if (ir::InfoOf(inst.op).effect == ir::Effect::kEnd) continue;
    if (block_.plan.loop && v == block_.plan.loop->branch.condition) continue;  // the loop's test
    // All of them are done before.
    if (inst.op == Op::kMatrix) {
      memory_.FreeArguments(inst);
      continue;
    }
    region_.Note(v);
    EmitSet(inst);
  }
}

// A value that is still to be read from an SGPR which an earlier write-back changes must be taken
// out first.
void ScalarCode::ProtectOld() {
  std::vector<uint8_t> written(130, 0);
  const auto protect = [&](Value reader) {
    const Inst& inst = block_.function[reader];
    for (int n = 0; n < inst.argument_count; ++n) {
      const Inst& source = block_.function[inst.args[n]];
      const bool pair = source.op == Op::kGetSgpr64;
      if (source.op != Op::kGetSgpr && !pair) continue;
      if (written[source.imm] == 0 && !(pair && written[source.imm + 1] != 0)) continue;
      ProtectOldValue(inst.args[n]);
    }
  };
  for (const Value v : block_.plan.final_ops) {
    protect(v);
    const Inst& inst = block_.function[v];
    if (inst.op == Op::kSetSgpr || inst.op == Op::kSetSgpr64) {
      written[inst.imm] = 1;
      if (inst.op == Op::kSetSgpr64) written[inst.imm + 1] = 1;
    }
  }
  // A loop's lane values are written back after its scalars.
  if (block_.plan.loop) {
    for (const Value v : block_.plan.loop->lanes.sets) protect(v);
  }
}

void ScalarCode::ProtectOldValue(Value v) {
  if (memory_[v].slot >= 0) return;
  scalars_.Store(v, scalars_.Use(v));
  scalars_.UnpinAll();
}

void ScalarCode::EmitSet(const Inst& inst) {
  const Value v = inst.args[0];
  uint64_t constant = 0;
  if (inst.op == Op::kSkipped) {
    if (block_.IsConst(v, &constant) && constant != 0) return;
    const x86::Gp mask = Gp(scalars_.Use(v), true);
    const asmjit::Label executed = a.newLabel();
    a.test(mask, mask);
    a.jnz(executed);
    a.sub(x86::qword_ptr(x86::r12, offsetof(RegionContext, turn.executed)),
          static_cast<int32_t>(inst.imm));
    if (version_.row.label.isValid()) {
      a.mov(x86::byte_ptr(x86::r12, offsetof(RegionContext, relay.ends_row)), 1);
    }
    a.bind(executed);
  } else if (inst.op == Op::kSetScc || inst.op == Op::kSetMode) {
    const int32_t offset =
        inst.op == Op::kSetScc ? region_.options.layout.scc : region_.options.layout.mode;
    a.mov(x86::dword_ptr(x86::rbx, offset), Gp(scalars_.Use(v), false));
  } else {
    const bool wide = inst.op == Op::kSetSgpr64;
    const int32_t offset = region_.options.layout.sgpr + static_cast<int32_t>(inst.imm) * 4;
    if (block_.IsConst(v, &constant) && FitsImmediate(constant, wide)) {
      x86::Mem to = x86::ptr(x86::rbx, offset, wide ? 8 : 4);
      a.mov(to, wide ? static_cast<int64_t>(constant)
                     : static_cast<int64_t>(static_cast<int32_t>(constant)));
    } else {
      a.mov(x86::ptr(x86::rbx, offset), Gp(scalars_.Use(v), wide));
    }
  }
  scalars_.FreeDying(inst);
  scalars_.UnpinAll();
}

}  // namespace gcnjit::backend
