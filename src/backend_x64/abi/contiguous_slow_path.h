// Contiguous accesses that compiled code hands to the runtime (RunBlock), taken apart into parts
// for the slow path, which accesses one part at a time.
#pragma once

#include <cstdint>
#include <functional>

#include "backend_x64/abi/region_abi.h"

namespace gcnjit::backend {

// Performs the run in `context`: access_part() is called for each part that has lanes, lowest
// first, with that in context.transfer.access; false as soon as that is. Loaded data are in
// context.transfer.run then; those of parts that have no lanes are 0.
bool AccessByParts(RegionContext& context, const std::function<bool()>& access_part);

}  // namespace gcnjit::backend
