#include "backend_x64/plan/stages.h"

#include <algorithm>
#include <bit>

#include "backend_x64/plan/cut_stages.h"
#include "backend_x64/plan/fuse_compares.h"
#include "backend_x64/plan/hoist_selects.h"
#include "backend_x64/plan/join_stages.h"
#include "backend_x64/plan/loop_condition.h"
#include "backend_x64/plan/sink_loads.h"
#include "backend_x64/plan/slice_widths.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {

using ir::Value;

void StagePlan::MoveToLanes(const ir::Block& block, std::vector<Value>& from,
                            const std::vector<Value>& moved) {
  if (moved.empty()) return;
  std::vector<uint32_t> place(is_sliced.size(), 0);
  for (uint32_t n = 0; n < block.insts.size(); ++n) place[block.insts[n].id] = n;
  std::erase_if(from,
                [&](Value v) { return std::find(moved.begin(), moved.end(), v) != moved.end(); });
  std::vector<Value>& lane_ops = stages[0].lane_ops;
  lane_ops.insert(lane_ops.end(), moved.begin(), moved.end());
  std::stable_sort(lane_ops.begin(), lane_ops.end(),
                   [&](Value a, Value b) { return place[a.id] < place[b.id]; });
}

int SlicesOf(const Stage& stage, const Wanted& wanted, int lanes_per_register) {
  uint32_t any = 1;
  for (const Value v : stage.lane_ops) any |= wanted.registers[v.id];
  const int count =
      std::min(static_cast<int>(std::bit_width(any)), ir::kLanes / lanes_per_register);
  return (count + stage.slice_parts - 1) / stage.slice_parts;
}

StagePlan PlanStages(const ir::Function& function, const ir::Block& block, int lanes_per_register,
                     const RegisterCounts& registers, const std::vector<uint8_t>& repeating,
                     const Wanted& wanted, const std::vector<LaneStep>& steps,
                     LoopAccesses accesses) {
  const bool may_be_loop = function.BranchesToItself(block);
  StagePlan plan = CutStages(function, block, accesses, may_be_loop);
  if (may_be_loop) {
    plan.loop = PlanLoop(function, block, plan, accesses);
    if (!plan.loop) plan = CutStages(function, block, accesses, /*for_loop=*/false);
  }
  const std::vector<uint32_t> uses = ir::CountUses(function, block);
  if (plan.loop) {
    TakeLoopPointers(function, block, steps, plan);
    TakeLoopTest(function, uses, plan);
  }
  const std::vector<uint8_t> part_bits =
      FindShared(function, block, plan.is_sliced, repeating, wanted.part_bits);
  const int most_parts = std::min(4, ir::kLanes / lanes_per_register);
  const Slices slices{most_parts, lanes_per_register};
  if (!plan.loop) JoinStages(function, uses, part_bits, slices, registers, wanted, plan);
  for (Stage& stage : plan.stages) {
    if (stage.is_one_slice) continue;  // joined: it has to be as wide as can be
    SinkLoads(function, stage.lane_ops);
    if (plan.loop) HoistSelects(function, uses, stage.lane_ops);
    if (registers.masks != 0) FuseCompares(function, uses, stage.lane_ops, plan.is_fused);
    ChooseSliceWidth(function, block, part_bits, steps, slices, registers, plan, stage);
  }
  TakePermutationsOut(function, wanted, slices, plan);
  return plan;
}

}  // namespace gcnjit::backend
