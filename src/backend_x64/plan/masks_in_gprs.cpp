#include "backend_x64/plan/masks_in_gprs.h"

#include <algorithm>
#include <vector>

#include "ir/analysis/uses.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

bool HasMasksInGprs(const ir::Function& function, const StagePlan& plan) {
  return std::any_of(plan.loop->lanes.sets.begin(), plan.loop->lanes.sets.end(),
                     [&](Value v) { return function[v].op == Op::kSetSgpr64; });
}

void PutMasksInGprs(const ir::Function& function, StagePlan& plan) {
  LoopPlan& loop = *plan.loop;
  std::vector<Value> wanted;
  const auto sets_end =
      std::stable_partition(loop.lanes.sets.begin(), loop.lanes.sets.end(),
                            [&](Value v) { return function[v].op != Op::kSetSgpr64; });
  for (auto set = sets_end; set != loop.lanes.sets.end(); ++set)
    wanted.push_back(function[*set].args[0]);
  plan.final_ops.insert(plan.final_ops.begin(), sets_end, loop.lanes.sets.end());
  loop.lanes.sets.erase(sets_end, loop.lanes.sets.end());
  std::erase_if(loop.lanes.carried, [&](Value v) {
    if (function[v].op != Op::kGetSgpr64) return false;
    plan.is_sliced[v.id] = 0;
    return true;
  });
  while (!wanted.empty()) {
    const Value v = wanted.back();
    wanted.pop_back();
    if (plan.is_sliced[v.id] == 0 || plan.is_wave_mask[v.id] != 0) continue;
    const Inst& inst = function[v];
    plan.is_wave_mask[v.id] = 1;
    plan.is_fused[v.id] = 0;
    if (!ir::InfoOf(inst.op).Has(ir::Trait::kBitByBit))
      continue;  // a compare, which is made part by part
    plan.is_sliced[v.id] = 0;
    wanted.insert(wanted.end(), inst.args, inst.args + inst.argument_count);
  }
}

}  // namespace gcnjit::backend
