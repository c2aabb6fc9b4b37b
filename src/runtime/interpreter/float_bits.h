// IEEE formats as bits, and the NaN rule: where an operand is NaN, the result is the first such
// operand, quieted. The compiler may swap the operands of + and *, so the rule is written out.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// MODE's round fields.
enum class Round : uint8_t { kNearest, kUp, kDown, kZero };

inline Round Round32(const Wave& w) {
  return static_cast<Round>((w.state.mode >> kModeRound32Shift) & 3);
}
// f64 and f16
inline Round Round64(const Wave& w) {
  return static_cast<Round>((w.state.mode >> kModeRound64Shift) & 3);
}

// MODE's denormal fields.
struct Denormals {
  bool flush_inputs;
  bool flush_outputs;
};
inline Denormals Denormals32(const Wave& w) {
  const uint32_t field = w.state.mode >> kModeDenorm32Shift;
  return {(field & 1) == 0, (field & 2) == 0};
}
inline Denormals Denormals64(const Wave& w) {
  const uint32_t field = w.state.mode >> kModeDenorm64Shift;
  return {(field & 1) == 0, (field & 2) == 0};
}

inline bool IsIeee(const Wave& w) { return (w.state.mode & kModeIeee) != 0; }

template <typename T>
struct FormatOf;
template <>
struct FormatOf<float> {
  using Bits = uint32_t;
  static constexpr int kFractionBits = 23;
  static constexpr int kBias = 127;
};
template <>
struct FormatOf<double> {
  using Bits = uint64_t;
  static constexpr int kFractionBits = 52;
  static constexpr int kBias = 1023;
};

// Constants and tests of a binary format; `Bits` is an integer that holds it.
template <typename T>
struct Format : FormatOf<T> {
  using Bits = typename FormatOf<T>::Bits;
  using FormatOf<T>::kFractionBits;
  using FormatOf<T>::kBias;

  static constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  static constexpr Bits kImplicitOne = Bits{1} << kFractionBits;
  static constexpr Bits kFraction = kImplicitOne - 1;
  static constexpr Bits kInfinity = static_cast<Bits>(2 * kBias + 1) << kFractionBits;
  static constexpr Bits kQuiet = kImplicitOne >> 1;
  static constexpr Bits kDefaultNan = kSign | kInfinity | kQuiet;

  static constexpr Bits Of(T value) { return std::bit_cast<Bits>(value); }
  static constexpr T From(Bits bits) { return std::bit_cast<T>(bits); }
  static constexpr int Exponent(Bits bits) {  // biased; 0 for zeros and denormals
    return static_cast<int>((bits & kInfinity) >> kFractionBits);
  }
  static constexpr bool IsNan(Bits bits) { return (bits & ~kSign) > kInfinity; }
  static constexpr bool IsSignallingNan(Bits bits) { return IsNan(bits) && (bits & kQuiet) == 0; }
  static constexpr Bits FlushDenormal(Bits bits) {
    return (bits & kInfinity) == 0 ? bits & kSign : bits;
  }
};

template <typename T>
inline T Quiet(T nan) {
  return Format<T>::From(Format<T>::Of(nan) | Format<T>::kQuiet);
}

template <typename T>
inline T FirstNan(T a, T result) {
  return a != a ? Quiet(a) : result;
}
template <typename T>
inline T FirstNan(T a, T b, T result) {
  return FirstNan(a, FirstNan(b, result));
}
template <typename T>
inline T FirstNan(T a, T b, T c, T result) {
  return FirstNan(a, FirstNan(b, FirstNan(c, result)));
}

}  // namespace gcnjit::runtime
