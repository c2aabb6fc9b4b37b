// The part of a block that the waves of a work-group, or groups of a row, have in common
// (uniform_prologue.h).
#include <algorithm>

#include "backend_x64/emit/block.h"
#include "backend_x64/emit/scalar_registers.h"
#include "backend_x64/emit/uniform_prologue.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

// Is it in the wave's state or in the code, so that it needs no place of its own?
bool BlockEmitter::IsInPlace(Value v) const {
  const Op op = function_[v].op;
  return op == Op::kConst ||
         ((op == Op::kGetSgpr || op == Op::kGetSgpr64) && homes_[v.id].slot < 0);
}

// The register that the SGPR in which groups of the row differ is in from here on; -1: scalars of
// the stage do not read it.
int BlockEmitter::LoadRowId() {
  const std::vector<Value>& ops = plan_.stages[0].scalar_ops;
  const auto is_id = [this](Value v) {
    const Inst& inst = function_[v];
    return inst.op == Op::kGetSgpr && inst.imm == shared_.row_start.sgpr;
  };
  for (size_t n = plan_.common_scalars; n < ops.size(); ++n) {
    const Inst& inst = function_[ops[n]];
    const Value* const end = inst.args + inst.argument_count;
    const Value* const id = std::find_if(inst.args, end, is_id);
    if (id == end) continue;
    const int gpr = UseScalar(*id);
    gprs_.UnpinAll();
    return gpr;
  }
  return -1;
}

void BlockEmitter::EmitCommonScalars(const asmjit::Label& begin) {
  const std::vector<Value>& ops = plan_.stages[0].scalar_ops;
  UniformPrologue common;
  const bool is_row = shared_.row.isValid();
  // Nobody has to look again whether what was loaded has changed where that cannot be.
  if (!is_row) common_ = &common;
  for (size_t n = 0; n < plan_.common_scalars; ++n) EmitScalarOp(ops[n]);
  common_ = nullptr;
  if (plan_.common_scalars == ops.size()) FreeLaneScalars();
  // Before others' registers are looked at: one of them may have to make room.
  if (is_row) common.row_id = LoadRowId();
  for (size_t n = 0; n < plan_.common_scalars; ++n) {
    const Value v = ops[n];
    Home& home = homes_[v.id];
    if (IsInPlace(v) || (!uses_.IsUsedAfter(v, position_) && !home.is_kept)) continue;
    home.is_kept = true;  // for the next wave, too
    const std::optional<int> reg = gprs_.Find(Unit::Scalar(v));
    if ((home.stored & 1) != 0 || !reg) continue;
    common.unsaved.emplace_back(*reg, SlotMemory(SlotOf(v)));
  }
  for (uint32_t left = gprs_.Held(); left != 0; left &= left - 1) {
    const int gpr = __builtin_ctz(left);
    if (gpr == common.row_id) continue;
    const Value v = gprs_.UnitOf(gpr).value;
    UniformPrologue::Register held{gpr, ir::Is64(function_[v].type)};
    held.is_constant = IsConst(v, &held.constant);
    if (!held.is_constant) held.memory = ScalarMemory(v);
    held.memory.setSize(held.is_wide ? 8 : 4);
    common.held.push_back(held);
  }
  if (is_row) {
    for (const auto& [gpr, memory] : common.unsaved) a.mov(memory, Gp(gpr, true));
    NoteHeading("other groups of the row begin here");
    shared_.row_common = std::move(common);
    return;
  }
  NoteHeading("other waves of the group begin here");
  EmitFollowing(shared_, begin, block_.instruction_count, common);
}

}  // namespace gcnjit::backend
