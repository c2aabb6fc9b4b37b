// The function of a StragglerLoop: a loop's iterations for each lane that a slice has in EXEC.
#pragma once

#include <asmjit/x86.h>

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/saved_scalars.h"
#include "backend_x64/plan/stragglers.h"

namespace gcnjit::backend {

// uint32_t (RegionContext*, wave's state, the region's slots, bytes of lane masks before the
// slice): 0 if all of the lanes have left the loop; 1 if one comes to an access that is not within
// its window, or has no iterations left: it, and those after it, are as they were. `last`: of the
// plan's scalars. The accesses have their sites already.
void EmitStragglerFunction(BlockParts& parts, const Stragglers& plan, const SavedScalars& last,
                           const asmjit::Label& entry);

}  // namespace gcnjit::backend
