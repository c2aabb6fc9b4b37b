// Removes a permute that is the identity on every lane its users read. Reductions in LDS have many:
// each lane adds a value of the upper half to its own, and the sums of the upper half are not read.
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

// The function has one block; `shapes` are its values'.
void RemoveIdentityPermutes(Function& alone, const std::vector<LaneShape>& shapes);

}  // namespace gcnjit::ir
