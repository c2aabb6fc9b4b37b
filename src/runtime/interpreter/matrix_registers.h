// What instructions on matrices read of registers.
#pragma once

#include <cstdint>

#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

using MatrixRegisters = const uint32_t (*)[kLanes];

// From the lowest bit on the item of so many bits; above it there may be others.
inline uint32_t BitsOfItem(MatrixRegisters registers, int item, int lane, int bits) {
  const int per_register = 32 / bits;
  return registers[item / per_register][lane] >> (item % per_register * bits);
}

// False after a fault.
inline bool HasNoIndexing(Wave& w) {
  if ((w.state.mode & kModeGprIdxEn) == 0) return true;
  w.RaiseUnsupported(
      "AccVGPRs and matrices under s_set_gpr_idx_on; it is not known what hardware does");
  return false;
}

}  // namespace gcnjit::runtime
