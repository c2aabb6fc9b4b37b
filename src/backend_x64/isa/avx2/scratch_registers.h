// Which of AVX2's 16 registers a block's values may be in: all but those that its lane operations
// change on the way. One always is; most operations need no other, memory accesses do.
#pragma once

#include <cstdint>

#include "ir/function.h"

namespace gcnjit::backend::avx2 {

// Scratch registers.
inline constexpr int kT0 = 13;
inline constexpr int kT1 = 14;
inline constexpr int kT2 = 15;

// Bit by bit; kFewest at least.
inline constexpr int kFewest = 13;
uint32_t RegistersOfValues(const ir::Function& function, const ir::Block& block);

}  // namespace gcnjit::backend::avx2
