// Masks that a loop of one block hands on from iteration to iteration are worked on slice by slice.
// Operations on such masks alone are scalar ones at first: one operation for all lanes.
#pragma once

#include "backend_x64/plan/stages.h"
#include "ir/function.h"

namespace gcnjit::backend {

// Makes lane operations of those that only take such masks on to others, in a plan of which nothing
// but the stages is made yet.
void SliceMasks(const ir::Function& function, const ir::Block& block, StagePlan& plan);

}  // namespace gcnjit::backend
