// The order of a graph's blocks, and which of them are in loops.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/flow/cfg.h"

namespace gcnjit::frontend {

// Indices of blocks, those before others that lead to them but for the ways back of loops: then a
// loop's first block comes before its last one, which compilers place above it.
std::vector<uint32_t> BlockOrder(const ControlFlowGraph& graph);

// By block: does it lead back to itself? `predecessors`: likewise, indices of blocks.
std::vector<uint8_t> FindLoopBlocks(const ControlFlowGraph& graph,
                                    const std::vector<std::vector<uint32_t>>& predecessors);

}  // namespace gcnjit::frontend
