// When each value of a block is used while the block is emitted.
#pragma once

#include <cstdint>
#include <vector>

#include "backend_x64/plan/stages.h"
#include "ir/function.h"

namespace gcnjit::backend {

// Uses of each value by position in the order of emission.
class UseLists {
 public:
  static constexpr int32_t kNever = INT32_MAX;

  UseLists(const ir::Function& function, const StagePlan& plan);

  // The first use after `position`; kNever if there is none.
  int32_t NextAfter(ir::Value v, int32_t position) const;
  bool IsUsedAfter(ir::Value v, int32_t position) const { return last_[v.id] > position; }
  int32_t PositionOf(ir::Value v) const { return position_of_[v.id]; }
  // First position of what follows the lane operations of `stage`.
  int32_t EndOfStage(int stage) const { return stage_end_[stage]; }
  bool HasLaneUse(ir::Value v) const { return has_lane_use_[v.id] != 0; }

 private:
  std::vector<int32_t> position_of_;
  std::vector<uint32_t> begin_;  // by value id, into uses_
  std::vector<int32_t> uses_;
  std::vector<int32_t> last_;  // use by value id; -1: there is none
  std::vector<int32_t> stage_end_;
  std::vector<uint8_t> has_lane_use_;
};

}  // namespace gcnjit::backend
