// Fields of the MODE register (Vega ISA manual, "MODE Register"; the same bits on all generations
// that have the field).
#pragma once

#include <cstdint>

namespace gcnjit::frontend {

enum Mode : uint32_t {
  kModeRound32Shift = 0,    // 2 bits: 0 nearest even, 1 +inf, 2 -inf, 3 toward zero
  kModeRound64Shift = 2,    // f64 and f16
  kModeDenorm32Shift = 4,   // 2 bits: bit 0 allow input denormals, bit 1 allow output denormals
  kModeDenorm64Shift = 6,   // f64 and f16
  kModeFloatFields = 0xFF,  // these four
  kModeDx10Clamp = 1u << 8,
  kModeIeee = 1u << 9,
  kModeFp16Overflow = 1u << 23,  // gfx9
  kModeGprIdxEn = 1u << 27,      // gfx8-9
  kModeVskip = 1u << 28,
  kModeCspShift = 29,  // 3 bits: depth of the s_cbranch_*_fork stack
};

}  // namespace gcnjit::frontend
