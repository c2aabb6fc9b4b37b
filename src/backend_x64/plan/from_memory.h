// Which values come from what a block has loaded.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// By value id: of a loop of one block, also what it has loaded in an earlier iteration. That EXEC
// may come from memory is left out: then all that a loop writes would.
// `lanes_alone`: what scalar loads load does not count.
std::vector<uint8_t> FindFromMemory(const ir::Function& function, const ir::Block& block,
                                    bool lanes_alone = false);

// Does an address of a lane's load come from memory?
bool LoadsFromLoaded(const ir::Function& function, const ir::Block& block);

}  // namespace gcnjit::backend
