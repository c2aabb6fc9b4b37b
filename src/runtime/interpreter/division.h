// The three instructions of a correctly rounded division: v_div_scale, v_div_fmas, v_div_fixup.
//
// The manuals' pseudo-code for the first two cannot be what the hardware does (a denominator near
// the largest number would be scaled up, and the quotient always by 2^32): the division that LLVM
// builds of them would be wrong. These rules are those of CLRX GcnInstrsVop3 (thresholds 2^96 and
// 2^768; post-scale up or down by |src2| >= 2) and of AMD's own emulator, which were taken from
// hardware.
#pragma once

#include <cmath>

#include "runtime/interpreter/exact_float.h"
#include "runtime/interpreter/half.h"

namespace gcnjit::runtime {

template <typename T>
struct DivisionFormat;
template <>
struct DivisionFormat<float> {
  static constexpr int kFarApart = 96;  // difference of exponents that asks for a post-scale
  static constexpr int kScale = 64;
  static constexpr int kTiny = 24;  // biased exponent of a numerator without room for residuals
};
template <>
struct DivisionFormat<double> {
  static constexpr int kFarApart = 768;
  static constexpr int kScale = 128;
  static constexpr int kTiny = 53;
};

// 2^exponent
template <typename T>
constexpr T PowerOfTwo(int exponent) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  return F::From(static_cast<Bits>(static_cast<Bits>(exponent + F::kBias) << F::kFractionBits));
}

template <typename T>
struct Scaled {
  T value;
  bool post_scale;
};

// v_div_scale: the numerator or denominator `value`, scaled so that neither the reciprocal nor the
// residuals of the division leave the normal range. MXCSR as MODE says; `flush`: its inputs.
template <typename T>
inline Scaled<T> DivScale(T value, T denominator, T numerator, bool flush) {
  using F = Format<T>;
  using D = DivisionFormat<T>;
  const auto prepare = [flush](T x) { return flush ? F::FlushDenormal(F::Of(x)) : F::Of(x); };
  const auto v = prepare(value);
  const auto d = prepare(denominator);
  const auto n = prepare(numerator);
  const int d_exponent = F::Exponent(d);
  const int apart = F::Exponent(n) - d_exponent;
  const bool is_denominator = v == d;
  const bool quotient_is_large = apart >= D::kFarApart;
  const bool quotient_is_small = apart <= -D::kFarApart;
  const bool d_is_denormal = d_exponent == 0;
  const bool reciprocal_is_denormal = d_exponent >= 2 * F::kBias - 1;

  // Lowest priority first.
  int scale = F::Exponent(n) <= D::kTiny ? D::kScale : 0;
  scale = quotient_is_small ? (is_denominator ? 0 : D::kScale) : scale;
  const int by_large_denominator = quotient_is_small && !is_denominator ? 0 : -D::kScale;
  scale = reciprocal_is_denormal ? by_large_denominator : scale;
  scale = d_is_denormal ? D::kScale : scale;
  scale = quotient_is_large ? (is_denominator ? D::kScale : 0) : scale;
  const bool post_scale = quotient_is_large || (quotient_is_small && !d_is_denormal);

  const bool has_zero = ((d & ~F::kSign) == 0) || ((n & ~F::kSign) == 0);
  const T x = F::From(v);
  const T scaled = FirstNan(x, x * PowerOfTwo<T>(scale));
  return {has_zero ? F::From(F::kDefaultNan) : scaled, post_scale};
}

// v_div_fmas: a * b + c, post-scaled for lanes whose VCC bit is set, rounded once. Input denormals
// always count; `flush` is about the result.
template <typename T>
inline T DivFmas(T a, T b, T c, bool post_scale, Round round, bool flush) {
  using F = Format<T>;
  const auto is_finite = [](T x) { return (F::Of(x) & ~F::kSign) < F::kInfinity; };
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) {
    // An infinity or NaN, whatever the scale. Only the signs of denormals matter, and that they are
    // not zero, which MXCSR might make of them.
    const auto sized = [](T x) {
      const auto bits = F::Of(x);
      const bool denormal = (bits & F::kInfinity) == 0 && (bits & F::kFraction) != 0;
      return denormal ? F::From((bits & F::kSign) | F::Of(T{1})) : x;
    };
    const T sum = std::fma(sized(a), sized(b), sized(c));
    return FirstNan(a, b, c, sum != sum ? F::From(F::kDefaultNan) : sum);
  }
  using D = DivisionFormat<T>;
  const int scale = F::Exponent(F::Of(c)) > F::kBias ? D::kScale : -D::kScale;
  return ScaledFma(a, b, c, post_scale ? scale : 0, round, flush);
}

// v_div_fixup: the quotient with its sign, unless the operands ask for something special.
template <typename T>
inline T DivFixup(T quotient, T denominator, T numerator, Round round, Denormals denormals) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const auto prepare = [&](T x) {
    return denormals.flush_inputs ? F::FlushDenormal(F::Of(x)) : F::Of(x);
  };
  const Bits d = prepare(denominator);
  const Bits n = prepare(numerator);
  const Bits d_size = d & ~F::kSign;
  const Bits n_size = n & ~F::kSign;
  const Bits q_size = F::Of(quotient) & ~F::kSign;
  const Bits sign = (d ^ n) & F::kSign;
  const Bits overflow = F::Of(Overflow<T>(sign != 0, round));
  const bool rounds_away = sign != 0 ? round == Round::kDown : round == Round::kUp;
  const Bits underflow = sign | (rounds_away && !denormals.flush_outputs ? 1 : 0);
  // Halves have no such rule: their quotient comes from f32 (CDNA manual, V_DIV_FIXUP_F16).
  constexpr int kUnderflow = sizeof(T) == 2 ? -1000 : -(F::kBias + F::kFractionBits);

  // Lowest priority first.
  Bits result = sign | q_size;
  result = q_size >= F::kInfinity ? overflow : result;
  result = F::Exponent(n) - F::Exponent(d) < kUnderflow ? underflow : result;
  result = d_size == F::kInfinity || n_size == 0 ? sign : result;
  result = d_size == 0 || n_size == F::kInfinity ? sign | F::kInfinity : result;
  const bool invalid =
      (d_size == 0 && n_size == 0) || (d_size == F::kInfinity && n_size == F::kInfinity);
  result = invalid ? F::kDefaultNan : result;
  result = F::IsNan(d) ? d | F::kQuiet : result;
  result = F::IsNan(n) ? n | F::kQuiet : result;
  return F::From(result);
}

}  // namespace gcnjit::runtime
