// Loads of a loop of which each lane goes through memory element by element, as where a work-item
// has a row of a matrix to itself: lanes are far apart, iterations are neighbours. Compiled code
// reads several iterations' elements of each lane at once (emit/stream_buffers.h).
#pragma once

#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// In the block, which is that loop. Such a load is done for EXEC, and the low dwords of its
// addresses, or its indices times their unit, grow by the element's bytes with each iteration,
// modulo 2^32. Of the high dwords nothing is known; the base that indices count from stays.
std::vector<ir::Value> FindStreams(const ir::Function& function, const ir::Block& block);

// Is there such a store?
bool StoresRows(const ir::Function& function, const ir::Block& block);

}  // namespace gcnjit::backend
