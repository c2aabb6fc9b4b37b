// Moves loads from LDS down to the first use of their data. Compilers load early, because a GPU
// waits for LDS; here that would only take registers, and a slice is as wide as registers permit.
#pragma once

#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// `lane_ops`: of one stage, in which no store to LDS is followed by a load from it.
void SinkLoads(const ir::Function& function, std::vector<ir::Value>& lane_ops);

}  // namespace gcnjit::backend
