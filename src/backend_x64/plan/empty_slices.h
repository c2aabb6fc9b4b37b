// Slices without an active lane may be left out of a stage: nothing that they would do can be
// observed, but for lane masks of theirs that other stages read. Active are the lanes that EXEC has
// when the block begins or, where it gets others back, from then on.
//
// What is known of a value's lanes, or of a VGPR's, holds of all of them, active or not: code looks
// at the first lane of a slice or of the wave for the others. So slices that make such a value for
// other stages, or write such a VGPR, are not left out.
#pragma once

#include <optional>
#include <vector>

#include "backend_x64/plan/repeated_parts.h"
#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::backend {

struct StagePlan;

// A lane mask that a slice makes for others.
struct IdleMask {
  ir::Value mask;
  // Its bits of a slice that is left out: those of this SGPR pair; none: 0.
  std::optional<int> pair;
};

// Sets StagePlan::active, and Stage::idle_masks of the stages whose slices may be left out. When
// slices are known. `shapes`: KnownLanes's.
void FindEmptySlices(const ir::Function& function, const ir::Block& block, const Wanted& wanted,
                     const std::vector<ir::LaneShape>& shapes, int lanes_per_register,
                     StagePlan& plan);

}  // namespace gcnjit::backend
