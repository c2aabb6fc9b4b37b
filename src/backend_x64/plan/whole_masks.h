// Operations on lane masks whose results no lane operation takes: masks that are written to SGPRs,
// that EXEC becomes, or of which it is tested whether they have a lane. They are done once for all
// lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// By value id. What slices without a lane of EXEC would make of a mask has to be known where they
// may be left out (empty_slices.h), so there operations that read compares stay as they are.
std::vector<uint8_t> FindWholeMasks(const ir::Function& function, const ir::Block& block);

}  // namespace gcnjit::backend
