// From guest code to IR: the steps of the front end in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "frontend/flow/cfg.h"
#include "frontend/flow/liveness.h"
#include "frontend/flow/merge_blocks.h"
#include "frontend/flow/register_access.h"
#include "frontend/lift/lift_region.h"
#include "frontend/lift/lifter.h"
#include "ir/function.h"

namespace gcnjit::frontend {

struct LiftedCode {
  LiftTarget target;
  SourceCode source;       // what was decoded
  ControlFlowGraph graph;  // with merged blocks, if any were
  // Where it begins, whether blocks were merged or not: any of it may come to be interpreted.
  RegisterSet live;
  LiftStatistics statistics;
  ir::Function function;  // not optimised
};

// What direct branches reach from `entry`, of `most` instructions at most. Code outside of `code`
// may read every register; `at_end`: what is read after s_endpgm; `readable`: MergeBlocks's.
LiftedCode LiftCode(const LiftTarget& target, const CodeBytes& code, uint64_t entry,
                    const LiveAtEnd& at_end, size_t most,
                    std::span<const ReadableMemory> readable = {});

}  // namespace gcnjit::frontend
