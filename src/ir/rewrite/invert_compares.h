// AVX2 has compares for equal, for signed greater, and, by way of a minimum, for unsigned less or
// equal; the others are these and an inversion. Where the mask's only use is an AND or a select of
// lanes, the opposite compare is used instead, with an andnot or the sides exchanged.
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

// The function has one block; `shapes` are its values'. Those of inverted masks are forgotten.
void InvertCompares(Function& alone, std::vector<LaneShape>& shapes);

}  // namespace gcnjit::ir
