// Rules of f32 arithmetic that the host's instructions do not follow by themselves. All are
// branch-free, so that lane loops vectorise.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

inline constexpr uint32_t kF32Sign = 0x80000000;
inline constexpr uint32_t kF32Infinity = 0x7F800000;
inline constexpr uint32_t kF32QuietBit = 0x00400000;

inline uint32_t F32Bits(float value) { return std::bit_cast<uint32_t>(value); }
inline float F32Value(uint32_t bits) { return std::bit_cast<float>(bits); }
inline bool IsNanBits(uint32_t bits) { return (bits & ~kF32Sign) > kF32Infinity; }
inline bool IsSignalingBits(uint32_t bits) {
  return IsNanBits(bits) & ((bits & kF32QuietBit) == 0);
}

// `result`, or the first operand that is a NaN, quieted. The host would return some NaN operand as
// well, but which one depends on how the compiler orders the operands of + and *.
inline float OrNan(float result, float a) {
  const uint32_t bits = F32Bits(a);
  return F32Value(IsNanBits(bits) ? bits | kF32QuietBit : F32Bits(result));
}
inline float OrNan(float result, float a, float b) { return OrNan(OrNan(result, b), a); }
inline float OrNan(float result, float a, float b, float c) {
  return OrNan(OrNan(OrNan(result, c), b), a);
}

// Subnormal numbers become zeros of their sign if `flush`.
inline uint32_t FlushBits(uint32_t bits, bool flush) {
  const uint32_t kept = flush ? kF32Sign : ~0u;
  return (bits & kF32Infinity) == 0 ? bits & kept : bits;
}

// What MODE says about f32 denormals.
inline bool KeepsF32InputDenormals(const Wave& w) {
  return (w.state.mode >> kModeDenorm32Shift & 1) != 0;
}
inline bool KeepsF32OutputDenormals(const Wave& w) {
  return (w.state.mode >> kModeDenorm32Shift & 2) != 0;
}

// Arithmetic that flushes f32 denormals whatever MODE says (v_mad_f32 and its kin). The instruction
// loop has set up kF32 already, which is the same if MODE flushes too.
inline void FlushF32Denormals(Wave& w) {
  if (KeepsF32InputDenormals(w) || KeepsF32OutputDenormals(w)) {
    w.UseFloatClass(FloatClass::kF32Flush);
  }
}

}  // namespace gcnjit::runtime
