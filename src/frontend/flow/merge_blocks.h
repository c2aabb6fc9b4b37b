// Makes longer blocks: what is one block can be optimised as one, and keeps its values in host
// registers.
//   - A block whose only predecessor ends by going there is appended to it.
//   - `s_cbranch_execz` over a block that does nothing where EXEC is zero need not be taken. Then
//     both ways lead through the block, and often through what follows. The block has to be short,
//     since waves without a lane execute it, too; or the rest of a kernel after its first guard
//     (`if (id < n)`), which hardly any wave passes without a lane; or code tests whether it has
//     one (DecodedInstruction::tests_lanes).
// Such branches stay in the merged block: an s_branch means nothing there, and an s_cbranch_execz
// only that DecodedInstruction::skips instructions count as executed or not.
#pragma once

#include <cstdint>
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

// Memory that is there when the graph is entered: an SGPR pair has its address then.
struct ReadableMemory {
  int sgpr = 0;
  uint32_t bytes = 0;
};

// `readable`: loads from it cannot fault. Nothing: no blocks are to be merged.
std::optional<ControlFlowGraph> MergeBlocks(const ControlFlowGraph& graph, const Liveness& liveness,
                                            Generation generation, const CanLiftAll& can_lift,
                                            std::span<const ReadableMemory> readable = {});

}  // namespace gcnjit::frontend
