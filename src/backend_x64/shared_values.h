// Lane values that are alike in all parts: every host register of a slice would hold the same. So
// are most of what a kernel makes of the work-item ids y and z, of x in work-groups 16 wide, and
// what it loads with these. Such a value has one part, which stands for all.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::backend {

// By value id: does the whole wave repeat itself with the `lanes` of a register, whatever the
// slices are? `patterns` is null if nothing is known of the values.
std::vector<uint8_t> FindRepeating(const ir::Function& function, const ir::LanePatterns* patterns,
                                   const std::vector<ir::LaneShape>& shapes, int lanes);

// By value id: is it such a value? `is_sliced`: StagePlan's. Lane masks that somebody wants as
// numbers are none, nor are those that lanes of another stage want, if `stage_of` is given
// (StagePlan's): these have a place for all their bits.
std::vector<uint8_t> FindShared(const ir::Function& function, const ir::Block& block,
                                const std::vector<uint8_t>& is_sliced,
                                const std::vector<uint8_t>& repeating,
                                const std::vector<int32_t>* stage_of = nullptr);

}  // namespace gcnjit::backend
