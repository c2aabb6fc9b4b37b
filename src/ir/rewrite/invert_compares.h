// AVX2 has compares for equal, for signed greater, and, by way of a minimum, for unsigned less or
// equal; the others are these and an inversion. Where the mask goes into an AND alone, or chooses
// between lanes, its opposite serves as well.
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

// Of a function that is one block; `shapes` of its values, of which those of the masks that are
// inverted are forgotten.
void InvertCompares(Function& alone, std::vector<LaneShape>& shapes);

}  // namespace gcnjit::ir
