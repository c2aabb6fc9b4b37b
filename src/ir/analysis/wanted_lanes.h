// Lanes of values that nothing looks at.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace gcnjit::ir {

// Of each value, and of memory operations, by value id: the lanes that have to be right. A constant
// mask or permutation of a user may leave some out.
std::vector<uint64_t> FindWantedLanes(const Function& function, const Block& block);

}  // namespace gcnjit::ir
