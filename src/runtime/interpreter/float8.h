// 8-bit floats of CDNA 3: without infinities and without -0, whose pattern is NaN.
//
// Sources: ROCm's HIP headers (hip_fp8, which conversions of gfx942 stand beside: fnuz formats, NaN
// for what is too large); PyTorch, Float8_e4m3fnuz and Float8_e5m2fnuz.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/interpreter/float_bits.h"

namespace gcnjit::runtime {

struct Fp8 {
  static constexpr int kFractionBits = 3;
  static constexpr int kBias = 8;
};
struct Bf8 {
  static constexpr int kFractionBits = 2;
  static constexpr int kBias = 16;
};

inline constexpr uint32_t kNanByte = 0x80;

// Exact.
template <typename F>
float FromByte(uint32_t byte) {
  constexpr uint32_t kHidden = 1u << F::kFractionBits;
  byte &= 0xFF;
  if (byte == kNanByte) return Format<float>::From(0x7FC00000);
  const uint32_t exponent = (byte & 0x7F) >> F::kFractionBits;
  const uint32_t fraction = byte & (kHidden - 1);
  const auto significand = static_cast<float>(exponent == 0 ? fraction : fraction | kHidden);
  // A power of two as a normal f32.
  const int scale = static_cast<int>(std::max(exponent, 1u)) - F::kBias - F::kFractionBits;
  const float power = Format<float>::From(static_cast<uint32_t>(scale + 127) << 23);
  return (byte & 0x80) != 0 ? -significand * power : significand * power;
}

// To nearest even; NaN for what is too large.
template <typename F>
uint32_t ToByte(float value) {
  const uint32_t bits = Format<float>::Of(value);
  const int exponent = static_cast<int>(bits >> 23 & 0xFF);
  if (exponent == 0xFF) return kNanByte;
  const uint32_t significand = (bits & 0x7FFFFF) | 0x800000;
  constexpr int kShift = 23 - F::kFractionBits;  // of normal results
  const int biased = exponent - 127 + F::kBias;
  const int shift = kShift + std::max(1 - biased, 0);
  if (exponent == 0 || shift > 24) return 0;
  const uint32_t even = significand >> shift & 1;
  const uint32_t rounded = (significand + (1u << (shift - 1)) - 1 + even) >> shift;
  // The hidden bit counts as one in the exponent.
  const uint32_t code =
      (static_cast<uint32_t>(std::max(biased, 1) - 1) << F::kFractionBits) + rounded;
  if (code > 0x7F) return kNanByte;
  return code == 0 ? 0 : code | (bits >> 31 << 7);
}

}  // namespace gcnjit::runtime
