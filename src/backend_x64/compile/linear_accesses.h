// Loops of one block that store, and of which all addresses grow by the same number with each
// iteration. The runtime can then see, before the loop, whether a lane accesses what another one
// stores (DisjointLanesHelper): where none does, slices run to the loop's end one after the other,
// as if it stored nothing (plan/loops.h).
#pragma once

#include <vector>

#include "backend_x64/abi/linear_access.h"
#include "ir/function.h"

namespace gcnjit::backend {

// All accesses to global memory of a block by itself that is such a loop; empty: it is none.
std::vector<LinearAccess> FindLinearAccesses(const ir::Function& alone);

}  // namespace gcnjit::backend
