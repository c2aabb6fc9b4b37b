// The approximate functions of the vector ALU, defined once as fixed sequences of IEEE operations,
// so that every engine gives the same bits. Accuracy and special values: docs/approximate.md.
//
// A definition is a template over `Ops`, which supplies the number types and the operations on
// them:
//   types       F32, F64, I32, Mask32, Mask64 (one truth value a lane)
//   constants   Const(float), Const(double), Const(int32_t)
//   arithmetic  Add, Sub, Mul, Div, Fma, Sqrt, Neg, Abs, RoundToInt (ties to even, as a float)
//   conversions ToInt (of a float that holds a small integer), ToFloat, Bits, FromBits
//   integers    Add, Sub, And, Or, ShiftLeft, ShiftRight (arithmetic) by a constant
//   choice      Less, Equal (false for NaN), Select(mask, if_true, if_false), Or
// The interpreter's Ops are plain floats in vectorised lane loops. There are no branches here, so
// the same text also builds IR.
//
// The definitions assume round-to-nearest-even and kept denormals, whatever the guest's MODE says
// (FloatClass::kNearest in the interpreter). What the hardware flushes is flushed here. Always
// inlined: a call inside a lane loop would keep it from being vectorised.
#pragma once

#include <cstdint>

namespace gcnjit::frontend::arith {

// clang-format off
template <typename Ops> using F32 = typename Ops::F32;
template <typename Ops> using F64 = typename Ops::F64;
template <typename Ops> using I32 = typename Ops::I32;
// clang-format on

// A denormal becomes a zero of its sign.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> FlushDenormal(Ops& o, F32<Ops> x) {
  const auto zero = o.FromBits(o.And(o.Bits(x), o.Const(INT32_MIN)));
  return o.Select(o.Less(o.Abs(x), o.Const(0x1p-126f)), zero, x);
}

// NaN stays itself, quieted; otherwise `result`.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> KeepNan(Ops& o, F32<Ops> x, F32<Ops> result) {
  const auto quiet = o.FromBits(o.Or(o.Bits(x), o.Const(int32_t{0x00400000})));
  return o.Select(o.Equal(x, x), result, quiet);
}
template <typename Ops>
[[gnu::always_inline]] inline F64<Ops> KeepNan(Ops& o, F64<Ops> x, F64<Ops> result) {
  // x + x quiets the NaN and keeps its payload.
  return o.Select(o.Equal(x, x), result, o.Add(x, x));
}

// What invalid operations produce.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> DefaultNan32(Ops& o) {
  return o.FromBits(o.Const(static_cast<int32_t>(0xFFC00000)));
}

// v_rcp_f32, v_rcp_iflag_f32
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Rcp(Ops& o, F32<Ops> x) {
  const auto quotient = o.Div(o.Const(1.0f), FlushDenormal(o, x));
  return KeepNan(o, x, FlushDenormal(o, quotient));
}

// v_sqrt_f32
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Sqrt(Ops& o, F32<Ops> x) {
  const auto flushed = FlushDenormal(o, x);
  const auto root = o.Select(o.Less(flushed, o.Const(0.0f)), DefaultNan32(o), o.Sqrt(flushed));
  return KeepNan(o, x, root);
}

// v_rsq_f32: r = 1/s, s = sqrt(x), both rounded; then one correction by what the two roundings
// lost.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Rsq(Ops& o, F32<Ops> x) {
  const auto flushed = FlushDenormal(o, x);
  // Small arguments are scaled so that the residual x - s*s does not underflow.
  const auto small = o.Less(flushed, o.Const(1.0f));
  const auto scaled = o.Mul(flushed, o.Select(small, o.Const(0x1p+48f), o.Const(1.0f)));
  const auto s = o.Sqrt(scaled);
  const auto r = o.Div(o.Const(1.0f), s);
  const auto lost_by_root = o.Fma(o.Neg(s), s, scaled);
  const auto lost_by_division = o.Fma(o.Neg(s), r, o.Const(1.0f));
  const auto half_square = o.Mul(o.Mul(r, r), o.Const(-0.5f));
  const auto relative = o.Fma(lost_by_root, half_square, lost_by_division);
  const auto corrected =
      o.Mul(o.Fma(r, relative, r), o.Select(small, o.Const(0x1p+24f), o.Const(1.0f)));
  // 1/sqrt of 0 and infinity, where the residuals are NaN: +-0 gives +-inf (IEEE 754 rSqrt).
  const auto is_regular = o.Less(o.Abs(flushed), o.Const(__builtin_inff()));
  const auto at_zero = o.Div(o.Const(1.0f), flushed);
  auto result = o.Select(is_regular, corrected, o.Const(0.0f));
  result = o.Select(o.Equal(flushed, o.Const(0.0f)), at_zero, result);
  result = o.Select(o.Less(flushed, o.Const(0.0f)), DefaultNan32(o), result);
  return KeepNan(o, x, result);
}

// v_exp_f32, v_exp_legacy_f32: 2^x = 2^n * 2^f with |f| <= 1/2 and 2^f = 1 + f*Q(f).
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Exp2(Ops& o, F32<Ops> x) {
  const auto is_large = o.Less(o.Const(0x1.fffffep+6f), x);  // 2^128 and up: infinity
  const auto is_small = o.Less(x, o.Const(-126.0f));         // denormal results are 0
  const auto is_regular = o.Less(o.Abs(x), o.Const(128.0f));
  const auto argument = o.Select(is_regular, x, o.Const(0.0f));
  const auto n = o.RoundToInt(argument);
  const auto f = o.Sub(argument, n);
  auto q = o.Const(0x1.448fa6p-13f);
  q = o.Fma(q, f, o.Const(0x1.5f4774p-10f));
  q = o.Fma(q, f, o.Const(0x1.3b29aap-7f));
  q = o.Fma(q, f, o.Const(0x1.c6aedp-5f));
  q = o.Fma(q, f, o.Const(0x1.ebfbep-3f));
  q = o.Fma(q, f, o.Const(0x1.62e43p-1f));
  const auto power = o.Fma(q, f, o.Const(1.0f));
  auto result = o.FromBits(o.Add(o.Bits(power), o.ShiftLeft(o.ToInt(n), 23)));
  result = o.Select(is_small, o.Const(0.0f), result);
  result = o.Select(is_large, o.Const(__builtin_inff()), result);
  return KeepNan(o, x, result);
}

// v_log_f32, v_log_legacy_f32: x = 2^e * m / c with sqrt(1/2) <= m < sqrt(2) and c in {3/4, 1,
// 5/4}, which leaves |t| < 0.17 for t = m*c - 1, exactly. Then log2(x) = (e - log2(c)) + t*log2(e)
// + t*t*Q(t), with log2(c) and log2(e) in two pieces each, the first of log2(c) short enough to add
// to e exactly.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Log2(Ops& o, F32<Ops> x) {
  const auto flushed = FlushDenormal(o, x);
  const auto bits = o.Bits(flushed);
  // 0x3f3504f3 is sqrt(1/2): the difference of the bits carries e in its exponent field.
  const auto exponent = o.ShiftRight(o.Sub(bits, o.Const(int32_t{0x3F3504F3})), 23);
  const auto m = o.FromBits(o.Sub(bits, o.ShiftLeft(exponent, 23)));
  const auto is_high = o.Less(o.Const(1.16f), m);
  const auto is_low = o.Less(m, o.Const(0.87f));
  auto factor = o.Select(is_high, o.Const(0.75f), o.Const(1.0f));
  factor = o.Select(is_low, o.Const(1.25f), factor);
  auto log_high = o.Select(is_high, o.Const(0x1.a9p-2f), o.Const(0.0f));
  log_high = o.Select(is_low, o.Const(-0x1.49a8p-2f), log_high);
  auto log_low = o.Select(is_high, o.Const(-0x1.a39fbep-20f), o.Const(0.0f));
  log_low = o.Select(is_low, o.Const(0x1.ed0cbap-20f), log_low);
  const auto t = o.Fma(m, factor, o.Const(-1.0f));
  auto q = o.Const(0x1.9095dp-3f);
  q = o.Fma(q, t, o.Const(-0x1.f84f7p-3f));
  q = o.Fma(q, t, o.Const(0x1.27ca52p-2f));
  q = o.Fma(q, t, o.Const(-0x1.714674p-2f));
  q = o.Fma(q, t, o.Const(0x1.ec7028p-2f));
  q = o.Fma(q, t, o.Const(-0x1.71547ap-1f));
  const auto rest = o.Fma(o.Mul(t, t), q, o.Fma(t, o.Const(0x1.4ae0cp-26f), log_low));
  // The head and t*C, summed, with what each rounding lost: |head| > |t*C|, or the head is 0.
  const auto head = o.Add(o.ToFloat(exponent), log_high);
  const auto product = o.Mul(t, o.Const(0x1.715476p+0f));
  const auto lost_by_product = o.Fma(t, o.Const(0x1.715476p+0f), o.Neg(product));
  const auto top = o.Add(head, product);
  const auto lost_by_sum = o.Sub(product, o.Sub(top, head));
  const auto sum = o.Add(top, o.Add(lost_by_sum, o.Add(lost_by_product, rest)));
  const auto is_finite = o.Less(flushed, o.Const(__builtin_inff()));
  auto result = o.Select(is_finite, sum, flushed);
  result = o.Select(o.Less(flushed, o.Const(0.0f)), DefaultNan32(o), result);
  result = o.Select(o.Equal(flushed, o.Const(0.0f)), o.Const(-__builtin_inff()), result);
  return KeepNan(o, x, result);
}

// sin(2*pi*r) for |r| <= 1/4; exactly 1 at 1/4.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> SinOfQuarter(Ops& o, F32<Ops> r) {
  const auto y = o.Mul(r, r);
  auto q = o.Const(-0x1.cd0628p+3f);
  q = o.Fma(q, y, o.Const(0x1.501890p+5f));
  q = o.Fma(q, y, o.Const(-0x1.32d152p+6f));
  q = o.Fma(q, y, o.Const(0x1.466bc2p+6f));
  q = o.Fma(q, y, o.Const(-0x1.4abbcep+5f));
  const auto low = o.Mul(r, o.Fma(q, y, o.Const(-0x1.777a5cp-23f)));
  const auto sine = o.Fma(r, o.Const(0x1.921fb6p+2f), low);
  // Near 1/4 the rounding errors could carry it past 1.
  const auto sign = o.And(o.Bits(r), o.Const(INT32_MIN));
  const auto one = o.FromBits(o.Or(sign, o.Const(int32_t{0x3F800000})));
  return o.Select(o.Less(o.Const(1.0f), o.Abs(sine)), one, sine);
}

// v_sin_f32 and v_cos_f32 count the angle in revolutions. Beyond 256 revolutions they give 0 and 1,
// the half-precision forms (`any_range`) take every argument.
template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Sin(Ops& o, F32<Ops> x, bool any_range) {
  const auto turn = o.Sub(x, o.RoundToInt(x));  // exact, [-1/2, 1/2]; NaN for infinities
  // Fold the outer quarters: sin(pi - a) = sin(a).
  const auto sign = o.And(o.Bits(turn), o.Const(INT32_MIN));
  const auto half = o.FromBits(o.Or(sign, o.Const(int32_t{0x3F000000})));
  const auto is_outer = o.Less(o.Const(0.25f), o.Abs(turn));
  const auto r = o.Select(is_outer, o.Sub(half, turn), turn);
  auto result = o.Select(o.Equal(turn, turn), SinOfQuarter(o, r), DefaultNan32(o));
  if (!any_range) {
    const auto is_beyond = o.Less(o.Const(256.0f), o.Abs(x));
    const auto is_finite = o.Less(o.Abs(x), o.Const(__builtin_inff()));
    const auto beyond = o.Select(is_finite, o.Const(0.0f), DefaultNan32(o));
    result = o.Select(is_beyond, beyond, result);
  }
  result = o.Select(o.Equal(x, o.Const(0.0f)), x, result);  // keeps -0
  return KeepNan(o, x, result);
}

template <typename Ops>
[[gnu::always_inline]] inline F32<Ops> Cos(Ops& o, F32<Ops> x, bool any_range) {
  const auto turn = o.Sub(x, o.RoundToInt(x));
  const auto r = o.Sub(o.Const(0.25f), o.Abs(turn));  // cos(a) = sin(pi/2 - a)
  auto result = o.Select(o.Equal(turn, turn), SinOfQuarter(o, r), DefaultNan32(o));
  if (!any_range) {
    const auto is_beyond = o.Less(o.Const(256.0f), o.Abs(x));
    const auto is_finite = o.Less(o.Abs(x), o.Const(__builtin_inff()));
    const auto beyond = o.Select(is_finite, o.Const(1.0f), DefaultNan32(o));
    result = o.Select(is_beyond, beyond, result);
  }
  return KeepNan(o, x, result);
}

// v_rcp_f64, v_rsq_f64, v_sqrt_f64: far better than the hardware's 2^29 ulp, and denormals count.
template <typename Ops>
[[gnu::always_inline]] inline F64<Ops> Rcp(Ops& o, F64<Ops> x) {
  return KeepNan(o, x, o.Div(o.Const(1.0), x));
}

template <typename Ops>
[[gnu::always_inline]] inline F64<Ops> Sqrt(Ops& o, F64<Ops> x) {
  return KeepNan(o, x, o.Sqrt(x));  // the default NaN for negative arguments
}

template <typename Ops>
[[gnu::always_inline]] inline F64<Ops> Rsq(Ops& o, F64<Ops> x) {
  return KeepNan(o, x, o.Div(o.Const(1.0), o.Sqrt(x)));  // sqrt(-0) = -0, so -inf
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
