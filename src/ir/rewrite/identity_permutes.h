// Permutations that leave each lane which somebody looks at where it is: those that look can look
// at what is permuted. So it is with half of what trees in LDS add up, each lane its own value and
// one of the upper half, which no lane of the sum needs any more.
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

// Of a function that is one block; `shapes` of its values.
void RemoveIdentityPermutes(Function& alone, const std::vector<LaneShape>& shapes);

}  // namespace gcnjit::ir
