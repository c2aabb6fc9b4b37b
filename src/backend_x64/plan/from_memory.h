// Which values of a loop of one block come from what it has loaded, in this iteration or an earlier
// one.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// By value id. That EXEC may come from memory is left out: then all that a loop writes would.
std::vector<uint8_t> FindFromMemory(const ir::Function& function, const ir::Block& block);

// Does an address of a lane's load come from memory?
bool LoadsFromLoaded(const ir::Function& function, const ir::Block& block);

}  // namespace gcnjit::backend
