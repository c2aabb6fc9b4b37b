// Compares of lanes as scalar code. Where lanes are a base and known offsets, and the base is a
// multiple of a power of two that no offset reaches, the base decides what a compare with a
// constant gives: all lanes, none, or those of one constant mask. Work-item ids are such lanes:
// if (id < 16).
#pragma once

#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::ir {

// Rewrites compares of VGPRs with constants whose results are used as scalars only: slices that
// read a lane mask would have to take the scalar to pieces. `shapes`: by value id, extended for new
// values.
void ScalarizeCompares(Function& alone, const LanePatterns& patterns,
                       std::vector<LaneShape>& shapes);

}  // namespace gcnjit::ir
