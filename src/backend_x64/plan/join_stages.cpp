#include "backend_x64/plan/join_stages.h"

#include <algorithm>

#include "backend_x64/plan/fuse_compares.h"
#include "backend_x64/plan/register_pressure.h"
#include "backend_x64/plan/shuffles.h"
#include "backend_x64/plan/sink_loads.h"
#include "ir/analysis/uses.h"

namespace gcnjit::backend {
namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

// Are all parts of a permutation that are read in the first slice, and can registers do them?
bool FitsInSlice(const ir::Function& function, Value v, const Wanted& wanted,
                 const Slices& slices) {
  const ir::LanePattern& pattern = function.patterns[static_cast<size_t>(function[v].imm)];
  if ((wanted.registers[v.id] & ~slices.Registers()) != 0) return false;
  for (int part = 0; part < slices.parts; ++part) {
    const auto permutation =
        ShuffleOf(pattern, part * slices.lanes, slices.lanes, wanted.lanes[v.id]);
    if (!permutation) return false;
    for (int n = 0; n < permutation->source_count; ++n) {
      if (permutation->sources[static_cast<size_t>(n)] >= slices.parts) return false;
    }
  }
  return true;
}

// Do the stage's lane operations need nothing of stages from `first` on but what their own slice
// has?
bool NeedsOwnSliceOnly(const ir::Function& function, const StagePlan& plan, const Stage& stage,
                       int first, const Wanted& wanted, const Slices& slices) {
  if (!stage.scalar_ops.empty()) return false;
  for (const Value v : stage.lane_ops) {
    const Inst& inst = function[v];
    if (inst.op == Op::kPermute && !FitsInSlice(function, v, wanted, slices)) return false;
    for (int n = 0; n < inst.argument_count; ++n) {
      const Value arg = inst.args[n];
      const bool as_number = function[arg].type == Type::kU64 && !ir::TakesMask(inst, n);
      if (as_number && plan.is_sliced[arg.id] != 0 && plan.stage_of[arg.id] >= first) return false;
    }
  }
  return true;
}

}  // namespace

void JoinStages(const ir::Function& function, const std::vector<uint32_t>& uses,
                const std::vector<uint8_t>& part_bits, const Slices& slices,
                const RegisterCounts& registers, const Wanted& wanted, StagePlan& plan) {
  std::vector<int> new_number(plan.stages.size());
  std::vector<Stage> joined;
  int first = 0;  // of the stages in joined.back()
  // Each attempt looks at all values: so many are looked at, then stages stay apart.
  size_t left = size_t{1} << 25;
  const auto append = [&](size_t begin, size_t end) {
    left -= std::min(left, function.insts.size());
    Stage all = joined.back();
    for (size_t n = begin; n < end; ++n) {
      const std::vector<Value>& more = plan.stages[n].lane_ops;
      all.lane_ops.insert(all.lane_ops.end(), more.begin(), more.end());
    }
    SinkLoads(function, all.lane_ops);
    std::vector<uint8_t> is_fused = plan.is_fused;
    if (registers.masks != 0) FuseCompares(function, uses, all.lane_ops, is_fused);
    const Pressure pressure = PressureOf(function, plan, all, is_fused, part_bits, slices.parts);
    if (!pressure.FitsIn(registers)) return false;
    all.slice_parts = slices.parts;
    all.is_one_slice = true;
    plan.is_fused = std::move(is_fused);
    joined.back() = std::move(all);
    for (size_t n = begin; n < end; ++n) new_number[n] = static_cast<int>(joined.size()) - 1;
    return true;
  };
  const uint32_t of_slice = slices.Registers();
  const auto is_one_slice = [&](const Stage& stage) {
    if (slices.IsWave()) return true;
    return std::all_of(stage.lane_ops.begin(), stage.lane_ops.end(),
                       [&](Value v) { return (wanted.registers[v.id] & ~of_slice) == 0; });
  };
  const auto may_join = [&](size_t n) {
    return n < plan.stages.size() &&
           plan.stages[n].skipped_without == joined.back().skipped_without &&
           is_one_slice(joined.back()) && is_one_slice(plan.stages[n]) &&
           NeedsOwnSliceOnly(function, plan, plan.stages[n], first, wanted, slices);
  };
  for (size_t n = 0; n < plan.stages.size();) {
    new_number[n] = static_cast<int>(joined.size());
    first = static_cast<int>(n);
    joined.push_back(std::move(plan.stages[n++]));
    if (left == 0) continue;
    // All at once, or else, which takes time, one by one.
    size_t end = n;
    while (may_join(end)) ++end;
    if (end > n + 1 && append(n, end)) n = end;
    while (left != 0 && may_join(n) && append(n, n + 1)) ++n;
  }
  if (joined.size() == new_number.size()) {
    plan.stages = std::move(joined);
    return;
  }
  plan.stages = std::move(joined);
  for (int32_t& stage : plan.stage_of) {
    if (static_cast<size_t>(stage) < new_number.size()) stage = new_number[stage];
  }
}

void TakePermutationsOut(const ir::Function& function, const Wanted& wanted, const Slices& slices,
                         StagePlan& plan) {
  for (Stage& stage : plan.stages) {
    const bool is_one_slice = stage.is_one_slice || stage.slice_parts * slices.lanes == ir::kLanes;
    std::erase_if(stage.lane_ops, [&](Value v) {
      if (function[v].op != Op::kPermute) return false;
      if (is_one_slice && FitsInSlice(function, v, wanted, slices)) return false;
      plan.is_sliced[v.id] = 0;
      stage.scalar_ops.push_back(v);
      return true;
    });
  }
}

}  // namespace gcnjit::backend
