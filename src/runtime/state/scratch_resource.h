// The buffer resource through which code accesses scratch: dwords of the 64 lanes interleaved.
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace gcnjit::runtime {

// Bits 31:16 of word 1: SWIZZLE_ENABLE, no stride.
inline constexpr uint32_t kScratchHigh1 = 1u << 15;

// Word 3 follows ROCr: DST_SEL xyzw, NUM_FORMAT uint, DATA_FORMAT 32, ELEMENT_SIZE 4 bytes
// (gfx6-8), INDEX_STRIDE 64, ADD_TID_ENABLE.
constexpr uint32_t ScratchWord3(frontend::Generation generation) {
  constexpr uint32_t kDstSelXyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  constexpr uint32_t kNumFormatUint = 4u << 12;
  constexpr uint32_t kDataFormat32 = 4u << 15;
  constexpr uint32_t kElementSize4 = 1u << 19;
  constexpr uint32_t kIndexStride64 = 3u << 21;
  constexpr uint32_t kAddTidEnable = 1u << 23;
  // With ADD_TID_ENABLE, gfx8-9 read DATA_FORMAT as STRIDE[17:14], which must be 0.
  return kDstSelXyzw | kNumFormatUint | (frontend::IsGfx8Plus(generation) ? 0 : kDataFormat32) |
         (frontend::IsGfx9(generation) ? 0 : kElementSize4) | kIndexStride64 | kAddTidEnable;
}

}  // namespace gcnjit::runtime
