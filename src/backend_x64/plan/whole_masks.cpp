#include "backend_x64/plan/whole_masks.h"

#include <algorithm>

#include "ir/analysis/uses.h"
#include "ir/compute.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

bool IsMaskOperation(const Inst& inst) {
  return inst.type == Type::kU64 && ir::InfoOf(inst.op).Has(ir::Trait::kBitByBit);
}

// May slices without a lane of EXEC be left out (empty_slices.h)?
bool MayHaveEmptySlices(const ir::Function& function, const ir::Block& block) {
  return std::ranges::any_of(block.insts, [&](Value v) {
    const Inst& inst = function[v];
    return (inst.op == Op::kGetSgpr64 && inst.imm == ir::kExec) || inst.op == Op::kNoteExec;
  });
}

bool ReadsCompare(const ir::Function& function, const Inst& inst) {
  return std::any_of(inst.args, inst.args + inst.argument_count,
                     [&](Value v) { return ir::IsAnyCompare(function[v].op); });
}

}  // namespace

std::vector<uint8_t> FindWholeMasks(const ir::Function& function, const ir::Block& block) {
  const bool may_leave_out = MayHaveEmptySlices(function, block);
  std::vector<uint8_t> is_whole(function.insts.size());
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    is_whole[v.id] = IsMaskOperation(inst) && !(may_leave_out && ReadsCompare(function, inst));
  }
  for (auto at = block.insts.rbegin(); at != block.insts.rend(); ++at) {
    const Inst& inst = function[*at];
    if (is_whole[at->id] != 0) continue;
    for (int n = 0; n < inst.argument_count; ++n) {
      if (ir::TakesMask(inst, n) || inst.op == Op::kNoteExec) is_whole[inst.args[n].id] = 0;
    }
  }
  return is_whole;
}

}  // namespace gcnjit::backend
