// How the values of a block are used: how often, as lane masks, as conditions.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::ir {

// The uses of each value in a block.
std::vector<uint32_t> CountUses(const Function& function, const Block& block);

// Is argument n of a lane operation a lane mask, of which a slice needs its own bits only?
bool TakesMask(const Inst& inst, int n);

// A mask that has all bits if a condition holds, or none.
bool IsAllOrNone(const Function& function, const Inst& inst);

// A compare of lanes of 32 bits. (64 bits take two instructions and one that joins their masks.)
bool IsNarrowCompare(const Function& function, const Inst& inst);

}  // namespace gcnjit::ir
