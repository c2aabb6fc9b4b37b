// Compares of lanes as scalar code. Where lanes are a base and offsets that are known, and the base
// is a multiple of a power of two that no offset reaches, a look at the base tells what a compare
// with a constant gives: all lanes, none, or those of one mask. So it is with work-item ids, which
// trees in LDS are full of: if (id < 16).
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

// Compares of VGPRs with constants, of which only numbers are wanted: as masks of lanes they would
// have to be taken to pieces. `shapes`: by value id, extended for new values.
void ScalarizeCompares(Function& alone, const LanePatterns& patterns,
                       std::vector<LaneShape>& shapes);

}  // namespace gcnjit::ir
