// Makes longer blocks: what is one block can be optimised as one, and keeps its values in host
// registers.
//   - A block whose only predecessor ends by going there is appended to it.
//   - `s_cbranch_execz` over a short block that does nothing where EXEC is zero need not be taken.
//     Then both ways lead through the block, and often through what follows.
// Such branches stay in the merged block: an s_branch means nothing there, and an s_cbranch_execz
// only that DecodedInstruction::skips instructions count as executed or not.
#pragma once

#include <optional>

#include "frontend/flow/cfg.h"
#include "frontend/flow/liveness.h"
#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

// `target`: what the result will be lifted for. What the interpreter has to execute is not merged
// over: the interpreter does not know that it should have been skipped.
// Nothing: no blocks are to be merged.
std::optional<ControlFlowGraph> MergeBlocks(const ControlFlowGraph& graph, const Liveness& liveness,
                                            const LiftTarget& target);

}  // namespace gcnjit::frontend
