// Lane masks that a loop hands on to its next iteration, EXEC above all. There are few mask
// registers, and each operation on them is done for each part of the wave. Where a slice is the
// whole wave, such a mask is 64 bits in a scalar register instead, and one operation does all of
// it: compares leave their result there, and masked operations read their parts from memory.
#pragma once

#include "backend_x64/plan/stages.h"
#include "ir/function.h"

namespace gcnjit::backend {

// Does the plan's loop hand on a mask that it makes?
bool HasMasksInGprs(const ir::Function& function, const StagePlan& plan);

// Makes scalars of these masks and of what goes into them: their operations stay among the lane
// operations, where StagePlan::is_wave_mask tells them, their write-backs are final_ops.
void PutMasksInGprs(const ir::Function& function, StagePlan& plan);

}  // namespace gcnjit::backend
