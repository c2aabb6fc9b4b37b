// Gives each AND that reads a compare a copy of the compare, for hosts whose compares work under a
// mask (fuse_compares.h): the copy takes the AND's place, and no mask register holds the result
// until the last use. Where one block is the code of all waves of a group, waves have many such
// compares in common.
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

// The function has one block; `shapes` are its values', extended for new ones.
void CloneCompares(Function& alone, std::vector<LaneShape>& shapes);

}  // namespace gcnjit::ir
