// The first step of a plan: which stage (stages.h) each operation of a block is in.
#pragma once

#include "backend_x64/plan/stages.h"

namespace gcnjit::backend {

// Nothing but the stages and where values are made is planned yet.
StagePlan CutStages(const ir::Function& function, const ir::Block& block, LoopAccesses accesses);

}  // namespace gcnjit::backend
