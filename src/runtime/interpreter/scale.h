// ldexp and frexp of f64 lanes.
#pragma once

#include "runtime/interpreter/float_bits.h"

namespace gcnjit::runtime {

// A finite non-zero number as significand (1 <= |s| < 2) and exponent. Denormals that MXCSR says to
// flush become zero; zero, infinity and NaN have meaningless fields.
struct Split {
  double significand;
  int exponent;
  bool is_zero;
};

inline Split SplitDouble(double x) {
  using D = Format<double>;
  constexpr double kLift = 0x1p+100;
  const uint64_t as_is = D::Of(x);
  const bool is_denormal = D::Exponent(as_is) == 0;
  const double lifted = x * kLift;  // exact for denormals and zeros; 0 for flushed denormals
  const uint64_t bits = is_denormal ? D::Of(lifted) : as_is;
  const uint64_t significand = (bits & ~D::kInfinity) | (uint64_t{D::kBias} << D::kFractionBits);
  const int exponent = D::Exponent(bits) - D::kBias - (is_denormal ? 100 : 0);
  return {D::From(significand), exponent, (bits & ~D::kSign) == 0};
}

// x * 2^n with one rounding, as MXCSR says.
inline double ScaleByPowerOfTwo(double x, int32_t n) {
  using D = Format<double>;
  const Split split = SplitDouble(x);
  // Beyond +-2040 the result overflows or vanishes anyway; both factors are then normal numbers.
  const int clamped = n < -5000 ? -5000 : n > 5000 ? 5000 : n;
  int exponent = split.exponent + clamped;
  exponent = exponent < -2040 ? -2040 : exponent > 2040 ? 2040 : exponent;
  const int half = exponent / 2;
  const auto power = [](int e) {
    return D::From(static_cast<uint64_t>(e + D::kBias) << D::kFractionBits);
  };
  // The first product is exact: its exponent is within +-1020.
  const double scaled = (split.significand * power(half)) * power(exponent - half);
  const double zero = D::From(D::Of(x) & D::kSign);
  const double finite = split.is_zero ? zero : scaled;
  const bool is_infinite = (D::Of(x) & ~D::kSign) == D::kInfinity;
  return FirstNan(x, is_infinite ? x : finite);
}

// frexp: 1/2 <= |significand| < 1, x = significand * 2^exponent; 0 and 0 for zeros.
inline double Significand(double x) {
  const Split split = SplitDouble(x);
  using D = Format<double>;
  return split.is_zero ? D::From(D::Of(x) & D::kSign) : split.significand * 0.5;
}
inline int32_t ExponentOf(double x) {
  const Split split = SplitDouble(x);
  return split.is_zero ? 0 : split.exponent + 1;
}

}  // namespace gcnjit::runtime
