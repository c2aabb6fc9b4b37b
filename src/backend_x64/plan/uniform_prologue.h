// Which scalar operations of a block give the same for all waves of a work-group. Their SGPRs are
// the same when they start, so what a short kernel works out from these alone - addresses of its
// arguments, the group's place in the grid - is worked out by the group's first wave; the others go
// on after it. So it is with the groups of a row of the grid, where one block is all of a group.
#pragma once

#include <span>

#include "backend_x64/plan/stages.h"
#include "ir/function.h"
#include "ir/passes.h"

namespace gcnjit::backend {

// Does the block, which is all of its region and has one version only, run to its waves' ends
// without LDS, atomics and fences? Without barriers, the order of its accesses means nothing to
// others then.
bool IsInNoOrder(const ir::Function& function, const ir::Block& block);
// Such a block: is it one for which that pays? There are few stores.
bool MayHaveFollowers(const ir::Function& function, const ir::Block& block);

// The plan with those of the first stage's scalar operations at the front that give the same for
// all waves that start with the same SGPRs, EXEC apart: plan.common_scalars of them. None if they
// are too few.
StagePlan WithCommonFirst(const ir::Function& function, StagePlan plan);

// The same for the code of a whole group, where others that follow it in its row of the grid differ
// in an SGPR only.
struct RowStart {
  int sgpr = -1;  // -1: it is not known
  std::span<const ir::FixedMemory> fixed;
};
StagePlan WithCommonOfRowFirst(const ir::Function& function, const RowStart& row, StagePlan plan);

}  // namespace gcnjit::backend
