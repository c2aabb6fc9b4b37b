// Compares whose lane mask only an `and` or `andnot` reads, for hosts whose compares work under a
// mask: the two are one instruction.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// Moves such compares of a stage to right before their users, and marks them, by value id;
// `is_fused` had marks of an earlier order of the stage.
void FuseCompares(const ir::Function& function, const std::vector<uint32_t>& uses,
                  std::vector<ir::Value>& lane_ops, std::vector<uint8_t>& is_fused);

}  // namespace gcnjit::backend
