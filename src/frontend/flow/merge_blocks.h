// Makes longer blocks: what is one block can be optimised as one, and keeps its values in host
// registers.
//   - A block whose only predecessor ends by going there is appended to it.
//   - `s_cbranch_execz` over a short block that does nothing where EXEC is zero need not be taken.
//     Then both ways lead through the block, and often through what follows.
// Such branches stay in the merged block: an s_branch means nothing there, and an s_cbranch_execz
// only that DecodedInstruction::skips instructions count as executed or not.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "frontend/flow/cfg.h"
#include "frontend/flow/liveness.h"
#include "isa/generation.h"

namespace gcnjit::frontend {

// Can all of these instructions be lifted? What the interpreter has to execute is not merged over:
// the interpreter does not know that it should have been skipped.
using CanLiftAll = std::function<bool(std::span<const DecodedInstruction>)>;

// Nothing: no blocks are to be merged.
std::optional<ControlFlowGraph> MergeBlocks(const ControlFlowGraph& graph, const Liveness& liveness,
                                            Generation generation, const CanLiftAll& can_lift);

}  // namespace gcnjit::frontend
