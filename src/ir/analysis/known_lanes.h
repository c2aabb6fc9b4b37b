// Lanes whose values are known when code is compiled.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/function.h"

namespace gcnjit::ir {

// Of a value that is made of lanes' numbers and constants, through `depth` operations at most: the
// number of ways to one value is not bounded.
std::optional<uint32_t> KnownLane(const Function& function, Value v, uint32_t lane, int depth = 6);

}  // namespace gcnjit::ir
