#include "backend_x64/plan/use_lists.h"

#include <algorithm>

namespace gcnjit::backend {

UseLists::UseLists(const ir::Function& function, const StagePlan& plan) {
  const size_t values = function.insts.size();
  position_of_.assign(values, -1);
  has_lane_use_.assign(values, 0);
  begin_.assign(values + 1, 0);
  last_.assign(values, -1);
  const auto for_each = [&](auto f) {
    int32_t position = 0;
    for (const Stage& stage : plan.stages) {
      for (const ir::Value v : stage.scalar_ops) f(v, position++, false);
      // A fused compare is emitted with the operation after it.
      for (const ir::Value v : stage.lane_ops) {
        f(v, position++ + plan.is_fused[v.id], !plan.IsScalarAmongLanes(v));
      }
    }
    if (plan.loop) {
      for (const ir::Value v : plan.loop->lanes.sets) f(v, position++, true);
    }
    for (const ir::Value v : plan.final_ops) f(v, position++, false);
  };
  // The mask that tells which slices are left out is wanted until the last of them, and so is the
  // one without which none is executed.
  std::vector<uint8_t> is_last_of_slice(values, 0);
  std::vector<ir::Value> skipped_without(values);  // by the stage's last operation
  for (const Stage& stage : plan.stages) {
    if (stage.lane_ops.empty()) continue;
    const uint32_t last = stage.lane_ops.back().id;
    if (stage.idle_masks) is_last_of_slice[last] = 1;
    skipped_without[last] = stage.skipped_without;
  }
  const auto for_each_use = [&](auto f) {
    for_each([&](ir::Value v, int32_t position, bool in_lanes) {
      const ir::Inst& inst = function[v];
      for (int n = 0; n < inst.argument_count; ++n) f(inst.args[n].id, position, in_lanes);
      if (is_last_of_slice[v.id] != 0) f(plan.active.id, position, true);
      if (skipped_without[v.id]) f(skipped_without[v.id].id, position, true);
    });
  };
  for_each([&](ir::Value v, int32_t position, bool) { position_of_[v.id] = position; });
  for_each_use([&](uint32_t id, int32_t position, bool in_lanes) {
    ++begin_[id + 1];
    last_[id] = position;
    if (in_lanes) has_lane_use_[id] = 1;
  });
  // What a loop only reads is wanted again in the next iteration.
  if (plan.loop) {
    for (const ir::Value v : plan.loop->lanes.invariant) ++begin_[v.id + 1];
  }
  for (size_t n = 1; n <= values; ++n) begin_[n] += begin_[n - 1];
  uses_.resize(begin_[values]);
  std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
  for_each_use([&](uint32_t id, int32_t position, bool) { uses_[next[id]++] = position; });
  int32_t position = 0;
  for (const Stage& stage : plan.stages) {
    position += static_cast<int32_t>(stage.scalar_ops.size() + stage.lane_ops.size());
    stage_end_.push_back(position);
  }
  if (plan.loop) {
    const int32_t end = position + static_cast<int32_t>(plan.loop->lanes.sets.size());
    for (const ir::Value v : plan.loop->lanes.invariant) {
      uses_[next[v.id]++] = end;
      last_[v.id] = std::max(last_[v.id], end);
    }
  }
}

int32_t UseLists::NextAfter(ir::Value v, int32_t position) const {
  const auto begin = uses_.begin() + begin_[v.id];
  const auto end = uses_.begin() + begin_[v.id + 1];
  // Most values have few uses.
  constexpr int kFew = 8;
  const auto found =
      end - begin <= kFew
          ? std::find_if(begin, end, [position](int32_t use) { return use > position; })
          : std::upper_bound(begin, end, position);
  return found == end ? kNever : *found;
}

}  // namespace gcnjit::backend
