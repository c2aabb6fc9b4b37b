// Brings selects forward, so that their masks die early. A masked write of a VGPR is a select with
// the EXEC at that place; lifted code has it after what computes the next EXEC, and both masks
// would take registers, of which there are few.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// `lane_ops`: of one stage. `uses`: CountUses's.
void HoistSelects(const ir::Function& function, const std::vector<uint32_t>& uses,
                  std::vector<ir::Value>& lane_ops);

}  // namespace gcnjit::backend
