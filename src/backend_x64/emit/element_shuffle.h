// Byte shuffles that make dwords of elements of 1, 2 or 4 bytes.
#pragma once

#include <cstdint>

#include "ir/types.h"

namespace gcnjit::backend {

// An element is sign-extended by an arithmetic shift of so many bits afterwards: it comes in the
// dword's upper bytes. 0: it is not.
constexpr int SignShift(const ir::MemoryAccess& access) {
  return access.sign_extend && access.bytes < 4 ? 8 * (4 - access.bytes) : 0;
}

// The shuffle's indices for an element from the source's byte `first` on.
constexpr uint32_t ElementShuffle(int first, const ir::MemoryAccess& access) {
  constexpr uint32_t kZero = 0x80;
  const int shift = SignShift(access) / 8;
  uint32_t dword = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const int of_element = byte - shift;
    const bool is_there = of_element >= 0 && of_element < access.bytes;
    dword |= (is_there ? static_cast<uint32_t>(first + of_element) : kZero) << byte * 8;
  }
  return dword;
}

}  // namespace gcnjit::backend
