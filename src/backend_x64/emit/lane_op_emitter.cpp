#include "backend_x64/emit/lane_op_emitter.h"

namespace gcnjit::backend {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {
constexpr int kVgprShift = 8;  // a VGPR has 64 dwords
}  // namespace

LaneOpEmitter::LaneOpEmitter(BlockParts& parts, LaneOps& ops, ScalarCode& scalar_code,
                             CrossLane& cross_lane)
    : b_(parts), ops_(ops), scalar_code_(scalar_code), cross_lane_(cross_lane) {}

void LaneOpEmitter::Emit(Value v) {
  const BlockContext& block = b_.block;
  const Inst& inst = block.function[v];
  b_.at.position = block.uses.PositionOf(v);
  if (inst.op == Op::kPart) return;  // came with its load
  if (block.plan.IsScalarAmongLanes(v)) return scalar_code_.Emit(v);
  b_.region.Note(v);
  const bool needs_no_code = block.plan.is_fused[v.id] != 0 || b_.memory.IsConstant(v) ||
                             b_.accesses.runs.IsLate(v) || inst.op == Op::kNoteExec;
  if (needs_no_code) return;
  if (ir::InfoOf(inst.op).effect == Effect::kWrite) b_.accesses.prefetcher.AskByTurns();
  if (inst.op == Op::kSetVgpr) return EmitSetVgpr(inst);
  if (inst.op == Op::kSetVgprAt) return EmitSetVgprAt(inst);
  b_.at.inst = &inst;
  if (inst.op == Op::kPermute) {
    cross_lane_.EmitInSlice(v, inst);
  } else {
    EmitParts(v, inst);
  }
  if (block.plan.is_wave_mask[v.id] != 0) EmitWaveMask(v);
  Finish(v, inst);
  b_.accesses.prefetcher.AskIfAllAreThere();
}

// What a VGPR had at the block's begin moves to a temp, if it is read after this.
void LaneOpEmitter::KeepOld(int vgpr) {
  const Value old = b_.lanes.ReaderOf(vgpr);
  if (!old || !b_.at.IsRead(old) || b_.memory[old].vgpr != vgpr) return;
  // All of it: one part may stand for a later one.
  b_.at.part = 0;
  for (int part = 0; part < b_.at.parts; ++part) {
    b_.isa.StoreVector(b_.memory.Temp(b_.memory.TempOf(old), part), b_.lanes.Use(old, part));
    b_.lanes.UnpinAll();
  }
  b_.memory[old].vgpr = -1;
}

// Writes a VGPR of the wave's state, if that has not been done when the value was computed.
void LaneOpEmitter::EmitSetVgpr(const Inst& inst) {
  Cursor& at = b_.at;
  const auto vgpr = static_cast<int>(inst.imm);
  const Value v = inst.args[0];
  const bool is_get = b_.block.function[v].op == Op::kGetVgpr;
  if (!is_get && b_.memory[v].vgpr == vgpr) return;
  if (is_get && b_.block.function[v].imm == inst.imm) return;
  at.inst = &inst;
  at.op_bits = kAllPartBits;
  KeepOld(vgpr);
  for (at.part = 0; at.part < at.parts; ++at.part) {
    b_.isa.StoreVector(b_.memory.Vgpr(vgpr, at.part), b_.lanes.Use(v, at.part));
    b_.lanes.UnpinAll();
    b_.lanes.FreeDying(inst, at.part);
  }
  b_.memory.FreeArguments(inst);
  at.inst = nullptr;
}

// A part of the VGPR whose number is the operation's first argument. Changes eax.
x86::Mem LaneOpEmitter::VgprAt(const Inst& inst) {
  x86::Mem place = b_.memory.Vgpr(0, b_.at.part);
  x86::Mem number = b_.memory.Scalar(inst.args[0]);
  number.setSize(4);
  b_.region.a.mov(x86::eax, number);
  b_.region.a.shl(x86::eax, kVgprShift);
  place.setIndex(x86::rax);
  return place;
}

void LaneOpEmitter::EmitSetVgprAt(const Inst& inst) {
  Cursor& at = b_.at;
  at.inst = &inst;
  at.op_bits = kAllPartBits;
  for (auto vgpr = static_cast<int>(inst.imm); vgpr < ir::kVgprs; ++vgpr) KeepOld(vgpr);
  for (at.part = 0; at.part < at.parts; ++at.part) {
    const int value = b_.lanes.Use(inst.args[2], at.part);
    if (at.IsAllLanes(inst.args[1], at.part)) {
      b_.isa.StoreVector(VgprAt(inst), value);
    } else {
      const int mask = b_.lanes.UseMask(inst.args[1], at.part);
      b_.isa.StoreVectorMasked(VgprAt(inst), value, mask);
    }
    b_.lanes.UnpinAll();
    b_.lanes.FreeDying(inst, at.part);
  }
  b_.memory.FreeArguments(inst);
  at.inst = nullptr;
}

// From the parts of a compare, which may have no other use.
void LaneOpEmitter::EmitWaveMask(Value v) {
  const int to = b_.scalars.Def(v);
  for (int part = 0; part < b_.at.parts; ++part) {
    b_.isa.AddToWaveMask(to, part, b_.lanes.UseMask(v, part));
    b_.lanes.UnpinAll();
  }
  b_.scalars.UnpinAll();
  if (b_.block.uses.HasLaneUse(v)) return;
  for (int part = 0; part < b_.at.parts; ++part) b_.lanes.FreePart(v, part);
}

void LaneOpEmitter::EmitParts(Value v, const Inst& inst) {
  Cursor& at = b_.at;
  const int parts = at.parts;
  at.parts = EndOfStandIns(b_.block.part_bits[v.id], parts);
  for (at.part = 0; at.part < at.parts; ++at.part) {
    if (b_.block.IsStandIn(v, at.part)) EmitPartOf(v, inst);
  }
  at.parts = parts;
}

void LaneOpEmitter::EmitPartOf(Value v, const Inst& inst) {
  Cursor& at = b_.at;
  at.inst = &inst;
  at.op_bits = b_.block.part_bits[v.id];
  const Effect effect = ir::InfoOf(inst.op).effect;
  const bool is_memory = effect == Effect::kRead || effect == Effect::kWrite;
  if (is_memory) {
    ops_.EmitMemoryPart(v, inst, at.part);
  } else if (inst.op == Op::kGetVgprAt) {
    const int reg = b_.lanes.Def(v, at.part);
    b_.isa.LoadVector(reg, VgprAt(inst));
  } else {
    ops_.EmitPart(v, inst, at.part);
  }
  const bool is_held = inst.type != Type::kVoid && b_.lanes.Find(Unit::Lanes(v, at.part));
  if (inst.type == Type::kU64 || is_held) b_.lanes.StoreHome(v, at.part);
  if (is_memory) {
    const std::vector<Inst>& insts = b_.block.function.insts;
    for (uint32_t id = v.id + 1;
         id < insts.size() && insts[id].op == Op::kPart && insts[id].args[0] == v; ++id) {
      b_.lanes.StoreHome({id}, at.part);
    }
  }
  b_.lanes.FreeDying(inst, at.part);
  b_.lanes.UnpinAll();
  at.inst = nullptr;
}

void LaneOpEmitter::Finish(Value v, const Inst& inst) {
  // A result without a use needs no register.
  if (inst.type != Type::kVoid && !b_.at.IsRead(v)) {
    for (int part = 0; part < b_.at.parts; ++part) b_.lanes.FreePart(v, part);
  }
  b_.memory.FreeArguments(inst);
  if (const Value fused = b_.block.FusedCompare(inst)) {
    b_.memory.FreeArguments(b_.block.function[fused]);
  }
}

}  // namespace gcnjit::backend
