// Lifts a control-flow graph to IR, and says what of it was left to the interpreter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "frontend/flow/cfg.h"
#include "frontend/flow/liveness.h"
#include "frontend/flow/merge_blocks.h"
#include "frontend/lift/lifter.h"
#include "ir/function.h"

namespace gcnjit::frontend {

// How many IR instructions a guest instruction usually becomes: to reserve memory, which costs
// nothing where it is not touched.
inline constexpr size_t kUsualInsts = 4;

struct LiftStatistics {
  struct Interpreted {
    uint32_t count = 0;
    std::string reason;  // of the first one
  };
  uint32_t lifted = 0;  // instructions in the function
  std::map<Opcode, Interpreted> interpreted;
};

// The function has blocks for what could be lifted, in the graph's order. A guest address without a
// block belongs to the interpreter: blocks that come to such an instruction end before it with
// ExitReason::kInterpret, and the instruction after it starts the next block.
// `statistics` may be nullptr; counts are added to it.
ir::Function LiftRegion(const ControlFlowGraph& cfg, const Liveness& liveness,
                        const LiftTarget& target, LiftStatistics* statistics);

// Will all of the instructions be lifted into one block, whatever is known before them?
CanLiftAll CanLiftFor(const LiftTarget& target);

}  // namespace gcnjit::frontend
