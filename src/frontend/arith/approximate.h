// The approximate functions of the vector ALU, defined once as fixed sequences of IEEE operations,
// so that every engine gives the same bits. Accuracy and special values: docs/approximate.md.
//
// A definition is a template over `Ops`, which supplies the number types and the operations on
// them:
//   types       F32, F64, I32, Mask32, Mask64 (one truth value a lane)
//   constants   Const(float), Const(double), Const(int32_t)
//   arithmetic  Add, Sub, Mul, Div, Fma, Sqrt, Abs, RoundToInt (ties to even, as a float)
//   conversions ToFloat, Bits, FromBits
//   integers    Add, Sub, And, Or, ShiftLeft, ShiftRight (arithmetic) by a constant
//   choice      Less, LessOrEqual, Equal (false for NaN), Select(mask, if_true, if_false)
// The interpreter's Ops are plain floats in vectorised lane loops. There are no branches here, so
// the same text also builds IR.
//
// The definitions assume round-to-nearest-even, whatever the guest's MODE says, and the rules of
// the host for NaNs: a NaN result is the first NaN argument, quieted, or the default NaN where no
// argument is one. Whether denormals count does not matter, unless a definition says so: what the
// hardware flushes is flushed here, and comparisons with the smallest normal number find denormals
// and zeros alike.
//
// Constants stand last (Select: second) where there is a choice, and so does what changes in a
// chain of Fma: there the host's instructions take memory, or overwrite what is not needed again.
// Always inlined: a call inside a lane loop would keep it from being vectorised.
#pragma once

#include <cstdint>

namespace gcnjit::frontend::arith {

// clang-format off
template <typename Ops> using F32 = typename Ops::F32;
template <typename Ops> using F64 = typename Ops::F64;
template <typename Ops> using I32 = typename Ops::I32;
// clang-format on

inline constexpr float kSmallestNormal = 0x1p-126f;
inline constexpr float kInfinity = __builtin_inff();

// What invalid operations produce.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> DefaultNan32(Ops& o) {
  return o.FromBits(o.Const(static_cast<int32_t>(0xFFC00000)));
}

// v_rcp_f32, v_rcp_iflag_f32: of denormals as of zeros; zeros for denormals.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Rcp(Ops& o, F32<Ops> x) {
  const auto quotient = o.Div(o.Const(1.0f), x);
  const auto sign = o.And(o.Bits(x), o.Const(INT32_MIN));
  const auto infinity = o.FromBits(o.Or(sign, o.Const(int32_t{0x7F800000})));
  const auto of_large = o.Less(o.Const(0x1p+126f), o.Abs(x));
  const auto result = o.Select(of_large, o.FromBits(sign), quotient);
  return o.Select(o.Less(o.Abs(x), o.Const(kSmallestNormal)), infinity, result);
}

// v_sqrt_f32: of denormals as of zeros.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Sqrt(Ops& o, F32<Ops> x) {
  const auto zero = o.FromBits(o.And(o.Bits(x), o.Const(INT32_MIN)));
  return o.Select(o.Less(o.Abs(x), o.Const(kSmallestNormal)), zero, o.Sqrt(x));
}

// v_rsq_f32, without division or root: half the bits of x, subtracted from a constant, are those of
// some y with y >= 2/sqrt(x), by 9 % at most. Then x*y*y/4 = 1 + e with 0 <= e < 0.19, up to y's
// rounding, and 1/sqrt(x) = y/2 * 1/sqrt(1 + e), a polynomial in e. y is cut to 12 bits so that y*y
// is exact; that and the constant keep y*y a normal number for every normal x. So nothing here is
// denormal but what is replaced in the end.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Rsq(Ops& o, F32<Ops> x) {
  const auto bits = o.Bits(x);
  const auto estimate = o.Sub(o.Const(int32_t{0x5FBFFFFF}), o.ShiftRight(bits, 1));
  const auto y_bits = o.And(estimate, o.Const(static_cast<int32_t>(0xFFFFF000)));
  const auto y = o.FromBits(y_bits);
  const auto half_y = o.FromBits(o.Sub(y_bits, o.Const(int32_t{0x00800000})));
  const auto e4 = o.Fma(x, o.Mul(y, y), o.Const(-4.0f));  // 4 * e
  auto q = o.Const(-0x1.3b9dep-13f);
  q = o.Fma(e4, q, o.Const(0x1.06c59ap-10f));
  q = o.Fma(e4, q, o.Const(-0x1.3e7e1ap-8f));
  q = o.Fma(e4, q, o.Const(0x1.7ff0f2p-6f));
  q = o.Fma(e4, q, o.Const(-0x1.ffffcep-4f));
  const auto root = o.Fma(o.Mul(half_y, e4), q, half_y);  // of NaN, NaN
  // 1/sqrt of +-0 is +-inf (IEEE 754 rSqrt), of infinity 0.
  const auto sign = o.And(bits, o.Const(INT32_MIN));
  const auto infinity = o.FromBits(o.Or(sign, o.Const(int32_t{0x7F800000})));
  const auto is_negative = o.LessOrEqual(x, o.Const(-kSmallestNormal));
  const auto of_low = o.Select(is_negative, DefaultNan32(o), infinity);
  const auto result = o.Select(o.Less(x, o.Const(kSmallestNormal)), of_low, root);
  return o.Select(o.Equal(x, o.Const(kInfinity)), o.Const(0.0f), result);
}

// v_exp_f32, v_exp_legacy_f32: 2^x = 2^n * 2^f with |f| <= 1/2 and 2^f = 1 + f*Q(f). Denormals do
// not matter.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Exp2(Ops& o, F32<Ops> x) {
  // Beside 1.5 * 2^23 there is room for whole numbers only, in the last bits of the sum.
  const auto sum = o.Add(x, o.Const(0x1.8p+23f));
  const auto n = o.Sub(sum, o.Const(0x1.8p+23f));
  const auto f = o.Sub(x, n);
  auto q = o.Const(0x1.41fbbcp-13f);
  q = o.Fma(f, q, o.Const(0x1.5f3e54p-10f));
  q = o.Fma(f, q, o.Const(0x1.3b2d4cp-7f));
  q = o.Fma(f, q, o.Const(0x1.c6aee8p-5f));
  q = o.Fma(f, q, o.Const(0x1.ebfbdcp-3f));
  q = o.Fma(f, q, o.Const(0x1.62e43p-1f));
  const auto power = o.Fma(f, q, o.Const(1.0f));
  auto result = o.FromBits(o.Add(o.Bits(power), o.ShiftLeft(o.Bits(sum), 23)));
  // 2^128 and up: infinity. NaN stays NaN.
  result = o.Select(o.Less(x, o.Const(128.0f)), result, o.Add(x, o.Const(kInfinity)));
  return o.Select(o.Less(x, o.Const(-126.0f)), o.Const(0.0f), result);  // denormals are 0
}

// v_log_f32, v_log_legacy_f32: x = 2^n * m with sqrt(1/2) <= m < sqrt(2), t = m - 1 exactly, and
// log2(x) = n + t*C + t*Q(t) where C is log2(e), rounded. Nothing is denormal but what is replaced.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Log2(Ops& o, F32<Ops> x) {
  const auto bits = o.Bits(x);
  // 0x3f3504f3 is sqrt(1/2): the difference of the bits carries n in its exponent field.
  const auto difference = o.Sub(bits, o.Const(int32_t{0x3F3504F3}));
  const auto n_field = o.And(difference, o.Const(static_cast<int32_t>(0xFF800000)));  // n * 2^23
  const auto t = o.Sub(o.FromBits(o.Sub(bits, n_field)), o.Const(1.0f));
  // The powers from t^3 on in pairs, for the sake of latency; the others in turn, for accuracy. The
  // order keeps few values alive.
  const auto square = o.Mul(t, t);
  const auto q89 = o.Fma(t, o.Const(-0x1.c26eacp-4f), o.Const(0x1.7d473p-3f));
  const auto q67 = o.Fma(t, o.Const(-0x1.874c88p-3f), o.Const(0x1.a30566p-3f));
  const auto q69 = o.Fma(square, q89, q67);
  const auto q45 = o.Fma(t, o.Const(-0x1.eabbeep-3f), o.Const(0x1.277e2p-2f));
  const auto q23 = o.Fma(t, o.Const(-0x1.715a7ep-2f), o.Const(0x1.ec709ap-2f));
  const auto q25 = o.Fma(square, q45, q23);
  auto q = o.Fma(o.Mul(square, square), q69, q25);
  q = o.Fma(t, q, o.Const(-0x1.71547p-1f));
  q = o.Fma(t, q, o.Const(0x1.4bc9ccp-26f));
  const auto log_m = o.Fma(t, o.Const(0x1.715476p+0f), o.Mul(t, q));
  auto result = o.Fma(o.ToFloat(n_field), o.Const(0x1p-23f), log_m);
  // Infinity and NaN stay what they are, the log of zeros is -inf.
  result = o.Select(o.Less(x, o.Const(kInfinity)), result, o.Add(x, x));
  const auto is_negative = o.LessOrEqual(x, o.Const(-kSmallestNormal));
  const auto of_low = o.Select(is_negative, DefaultNan32(o), o.Const(-kInfinity));
  return o.Select(o.Less(x, o.Const(kSmallestNormal)), of_low, result);
}

// sin(2*pi*r) for |r| <= 1/4; exactly 1 at 1/4. Needs kept denormals.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> SinOfQuarter(Ops& o, F32<Ops> r) {
  const auto y = o.Mul(r, r);
  auto q = o.Const(-0x1.cd0628p+3f);
  q = o.Fma(y, q, o.Const(0x1.501890p+5f));
  q = o.Fma(y, q, o.Const(-0x1.32d152p+6f));
  q = o.Fma(y, q, o.Const(0x1.466bc2p+6f));
  q = o.Fma(y, q, o.Const(-0x1.4abbcep+5f));
  const auto low = o.Mul(r, o.Fma(y, q, o.Const(-0x1.777a5cp-23f)));
  auto sine = o.Fma(r, o.Const(0x1.921fb6p+2f), low);
  // Near 1/4 the rounding errors could carry it past 1.
  sine = o.Select(o.Less(o.Const(1.0f), sine), o.Const(1.0f), sine);
  return o.Select(o.Less(sine, o.Const(-1.0f)), o.Const(-1.0f), sine);
}

// v_sin_f32 and v_cos_f32 count the angle in revolutions. Beyond 256 revolutions they give 0 and 1,
// the half-precision forms (`any_range`) take every argument. Both need kept denormals.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Sin(Ops& o, F32<Ops> x, bool any_range) {
  const auto turn = o.Sub(x, o.RoundToInt(x));  // exact, [-1/2, 1/2]; NaN for infinities
  // Fold the outer quarters: sin(pi - a) = sin(a).
  const auto sign = o.And(o.Bits(turn), o.Const(INT32_MIN));
  const auto half = o.FromBits(o.Or(sign, o.Const(int32_t{0x3F000000})));
  const auto is_outer = o.Less(o.Const(0.25f), o.Abs(turn));
  auto result = SinOfQuarter(o, o.Select(is_outer, o.Sub(half, turn), turn));
  if (!any_range) {
    // x - x is 0, or NaN for infinities.
    result = o.Select(o.Less(o.Const(256.0f), o.Abs(x)), o.Sub(x, x), result);
  }
  return o.Select(o.Equal(x, o.Const(0.0f)), x, result);  // keeps -0
}

template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Cos(Ops& o, F32<Ops> x, bool any_range) {
  const auto turn = o.Sub(x, o.RoundToInt(x));
  const auto r = o.Sub(o.Const(0.25f), o.Abs(turn));  // cos(a) = sin(pi/2 - a)
  const auto result = SinOfQuarter(o, r);
  // Elsewhere: 1, or NaN for infinities and NaNs.
  if (any_range) return o.Select(o.Equal(turn, turn), result, turn);
  const auto one = o.Add(o.Sub(x, x), o.Const(1.0f));
  return o.Select(o.LessOrEqual(o.Abs(x), o.Const(256.0f)), result, one);
}

// v_rcp_f64, v_rsq_f64, v_sqrt_f64: far better than the hardware's 2^29 ulp, and denormals count.
template <typename Ops>
[[gnu::always_inline]] inline F64<Ops> Rcp(Ops& o, F64<Ops> x) {
  return o.Div(o.Const(1.0), x);
}

template <typename Ops>
[[gnu::always_inline]] inline F64<Ops> Sqrt(Ops& o, F64<Ops> x) {
  return o.Sqrt(x);
}

template <typename Ops>
[[gnu::always_inline]] inline F64<Ops> Rsq(Ops& o, F64<Ops> x) {
  return o.Div(o.Const(1.0), o.Sqrt(x));  // sqrt(-0) = -0, so -inf
}

// Variants that differ in what stands for an infinite result.
//   *_clamp_* (gfx6-7): the largest finite number of its sign
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> ClampInfinity(Ops& o, F32<Ops> result) {
  const auto sign = o.And(o.Bits(result), o.Const(INT32_MIN));
  const auto largest = o.FromBits(o.Or(sign, o.Const(int32_t{0x7F7FFFFF})));
  return o.Select(o.Equal(o.Abs(result), o.Const(__builtin_inff())), largest, result);
}
template <typename Ops>
[[gnu::always_inline]] inline F64<Ops> ClampInfinity(Ops& o, F64<Ops> result) {
  constexpr double kLargest = 0x1.fffffffffffffp+1023;
  const auto largest =
      o.Select(o.Less(result, o.Const(0.0)), o.Const(-kLargest), o.Const(kLargest));
  return o.Select(o.Equal(o.Abs(result), o.Const(__builtin_inf())), largest, result);
}
//   v_log_clamp_f32: only the logarithm of 0
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> ClampNegativeInfinity(Ops& o, F32<Ops> result) {
  return o.Select(o.Equal(result, o.Const(-__builtin_inff())), o.Const(-0x1.fffffep+127f), result);
}
//   *_legacy_* reciprocals (gfx6-7): a zero of its sign
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> ZeroForInfinity(Ops& o, F32<Ops> result) {
  const auto zero = o.FromBits(o.And(o.Bits(result), o.Const(INT32_MIN)));
  return o.Select(o.Equal(o.Abs(result), o.Const(__builtin_inff())), zero, result);
}

}  // namespace gcnjit::frontend::arith
