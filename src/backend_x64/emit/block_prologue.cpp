// The part of a block that the waves of a work-group, or groups of a row, have in common
// (plan/uniform_prologue.h).
#include <algorithm>
#include <utility>

#include "backend_x64/emit/block.h"
#include "backend_x64/emit/uniform_prologue.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

// The register that the SGPR in which groups of the row differ is in from here on; -1: scalars of
// the stage do not read it.
int BlockEmitter::LoadRowId() {
  const std::vector<Value>& ops = b_.block.plan.stages[0].scalar_ops;
  const auto is_id = [this](Value v) {
    const Inst& inst = b_.block.function[v];
    return inst.op == Op::kGetSgpr && inst.imm == b_.version.row.start.sgpr;
  };
  for (size_t n = b_.block.plan.common_scalars; n < ops.size(); ++n) {
    const Inst& inst = b_.block.function[ops[n]];
    const Value* const end = inst.args + inst.argument_count;
    const Value* const id = std::find_if(inst.args, end, is_id);
    if (id == end) continue;
    const int gpr = b_.scalars.Use(*id);
    b_.scalars.UnpinAll();
    return gpr;
  }
  return -1;
}

void BlockEmitter::EmitCommonScalars(const asmjit::Label& begin) {
  const size_t count = b_.block.plan.common_scalars;
  const std::vector<Value>& ops = b_.block.plan.stages[0].scalar_ops;
  UniformPrologue common;
  const bool is_row = b_.version.row.label.isValid();
  // In a row, nothing that is loaded here changes: the plan made sure.
  if (!is_row) scalar_loads_.NoteIn(&common);
  for (size_t n = 0; n < count; ++n) scalar_code_.Emit(ops[n]);
  scalar_loads_.NoteIn(nullptr);
  if (count == ops.size()) b_.scalars.FreeForLanes();
  // Before the others' registers are noted: one of them may have to make room.
  if (is_row) common.row_id = LoadRowId();
  NoteHeld({ops.data(), count}, common);
  if (is_row) {
    for (const auto& [gpr, memory] : common.unsaved) a.mov(memory, Gp(gpr, true));
    b_.region.NoteHeading("other groups of the row begin here");
    b_.version.row.common = std::move(common);
    return;
  }
  b_.region.NoteHeading("other waves of the group begin here");
  EmitFollowing(b_.region, b_.version, begin, b_.block.source.instruction_count, common);
}

// The registers that hold common values, and those whose memory does not have them yet.
void BlockEmitter::NoteHeld(std::span<const Value> ops, UniformPrologue& common) {
  for (const Value v : ops) {
    ValueMemory::Home& home = b_.memory[v];
    if (b_.memory.IsInPlace(v) || (!b_.at.IsRead(v) && !home.is_kept)) continue;
    home.is_kept = true;  // for the next wave, too
    const std::optional<int> reg = b_.scalars.Find(v);
    if ((home.stored & 1) != 0 || !reg) continue;
    common.unsaved.emplace_back(*reg, b_.memory.Slot(b_.memory.SlotOf(v)));
  }
  for (uint32_t left = b_.scalars.Held(); left != 0; left &= left - 1) {
    const int gpr = __builtin_ctz(left);
    if (gpr == common.row_id) continue;
    const Value v = b_.scalars.ValueIn(gpr);
    UniformPrologue::Register held{gpr, ir::Is64(b_.block.function[v].type)};
    held.is_constant = b_.block.IsConst(v, &held.constant);
    if (!held.is_constant) held.memory = b_.memory.Scalar(v);
    held.memory.setSize(held.is_wide ? 8 : 4);
    common.held.push_back(held);
  }
}

}  // namespace gcnjit::backend
