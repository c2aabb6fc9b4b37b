// AVX2 has compares for equal, for signed greater, and, by way of a minimum, for unsigned less or
// equal; the others are these and an inversion. Where the mask goes into an AND alone, or chooses
// between lanes, its opposite serves as well.
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::backend {

// Of a function that is one block; `shapes` of its values, of which those of the masks that are
// inverted are forgotten.
void InvertCompares(ir::Function& alone, std::vector<ir::LaneShape>& shapes);

}  // namespace gcnjit::backend
