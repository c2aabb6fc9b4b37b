// Elements of several dwords of which each dword goes through the same operations, from a load to a
// store: `out[i] = a[i] * s + b[i]` of float4. Registers may then have the dwords in memory's
// order, the dwords of a lane side by side, and neither the load nor the store has to sort them.
//
// So many registers as an element has dwords hold a part's elements either way. What is computed of
// the n-th dwords is computed in the n-th of these registers, whatever dwords it has.
#pragma once

#include <cstdint>
#include <vector>

#include "backend_x64/plan/block_context.h"

namespace gcnjit::backend {

// By value id: the loads and stores whose dwords stay as they are in memory. They are runs of all
// of the wave's lanes, of which that is known when code is compiled.
std::vector<uint8_t> FindJoinedDwords(const BlockContext& block);

}  // namespace gcnjit::backend
