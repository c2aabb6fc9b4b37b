// Addresses that a loop counts up: the guest adds a number to 64 bits in two VGPRs, half by half
// with a carry. Where loads are their only use, an iteration need not add to lanes: where all lanes
// of a host register have the same address, it keeps one scalar for each host register; where the
// loads are streams (streams.h), which seldom look at their addresses, it counts what would have
// been added. The VGPRs are written when the loop is over.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::backend {

struct StagePlan;

struct LoopPointer {
  ir::Value low, high;    // get_vgpr
  ir::Value step;         // u32: a constant, or an SGPR that the loop leaves alone
  bool of_lanes = false;  // lanes have addresses of their own; step is a constant then
  // Of these: do lanes that EXEC does not have keep what the VGPR held?
  bool keeps_low = false, keeps_high = false;
};

// What is known of the lanes of each host register.
enum class LaneStep : uint8_t {
  kUnknown,
  kNone,     // they are alike
  kElement,  // one, two or four bytes from each to the next
};

// By value id: of reads of VGPRs, with registers of `lanes` lanes. `patterns` is null if nothing is
// known of the values.
std::vector<LaneStep> FindLaneSteps(const ir::Function& function, const ir::LanePatterns* patterns,
                                    const std::vector<ir::LaneShape>& shapes, int lanes);

// Finds those of plan.loop, and takes their operations out of the plan. In loops that lanes leave
// one by one, these are pointers of lanes that nothing reads after the loop.
void TakeLoopPointers(const ir::Function& function, const ir::Block& block,
                      const std::vector<LaneStep>& steps, StagePlan& plan);

}  // namespace gcnjit::backend
