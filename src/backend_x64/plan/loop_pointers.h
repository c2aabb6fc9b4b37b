// Addresses that a loop counts up: the guest adds a number to 64 bits in two VGPRs, half by half
// with a carry. Where loads are their only use, and all lanes of a host register have the same
// address, an iteration keeps one scalar for each host register instead of lanes. The VGPRs are
// written when the loop is over.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::backend {

struct StagePlan;

struct LoopPointer {
  ir::Value low, high;  // get_vgpr
  ir::Value step;       // u32: a constant, or an SGPR that the loop leaves alone
};

// By value id: reads of VGPRs that are alike in all lanes of each host register of `lanes` lanes.
// `patterns` is null if nothing is known of the values.
std::vector<uint8_t> FindUniform(const ir::Function& function, const ir::LanePatterns* patterns,
                                 const std::vector<ir::LaneShape>& shapes, int lanes);

// Finds those of plan.loop, whose slices all make the same number of iterations, and takes their
// operations out of the plan.
void TakeLoopPointers(const ir::Function& function, const ir::Block& block,
                      const std::vector<uint8_t>& uniform, StagePlan& plan);

}  // namespace gcnjit::backend
