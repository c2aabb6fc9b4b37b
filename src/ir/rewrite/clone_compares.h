// Compares that several ANDs want, once for each of them, for hosts whose compares work under a
// mask (fuse_compares.h): a compare instead of an AND costs nothing, and there is no mask to keep
// until the last of them. The waves of a group, where one block is the code of all, have such
// compares in common, and mask registers are few.
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

// Of a function that is one block; `shapes` of its values, extended for new ones.
void CloneCompares(Function& alone, std::vector<LaneShape>& shapes);

}  // namespace gcnjit::ir
