// The first step of a plan: which stage (stages.h) each operation of a block is in.
#pragma once

#include "backend_x64/plan/stages.h"

namespace gcnjit::backend {

// Nothing but the stages and where values are made is planned yet. `for_loop`: slices may run the
// block to its end (loops.h), so that they make all masks themselves.
StagePlan CutStages(const ir::Function& function, const ir::Block& block, LoopAccesses accesses,
                    bool for_loop);

}  // namespace gcnjit::backend
