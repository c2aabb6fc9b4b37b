// Which lane masks of a block are better all lanes, and which none, if they can be either: so that
// its accesses to memory have all lanes. What leaves a kernel early, if it does not fit (`if (x < 1
// || x >= n) return;`), is better none, and so is a carry, and a long division.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

enum class WantedMask : uint8_t { kEither, kFull, kEmpty };

// By value id, of masks and of the conditions (u1) that select them. The function has one block.
std::vector<WantedMask> FindWantedMasks(const ir::Function& function);

}  // namespace gcnjit::backend
