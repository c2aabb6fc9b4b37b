// Minimum, maximum and median of floats: a NaN loses against a number, a signalling NaN wins in
// IEEE mode (quieted), -0 is less than +0 (CDNA manual, V_MIN_F32 and its kin). Of two other NaNs
// the first stays, and the median, too, has -0 below +0: so it was measured, where the manual has
// it otherwise (docs/isa.md).
#pragma once

#include <type_traits>

#include "runtime/interpreter/float_bits.h"

namespace gcnjit::runtime {

// Whether min, max and med3 obey MODE's denormal field: only gfx9 does (LLVM:
// supportsMinMaxDenormModes).
inline Denormals MinMaxDenormals(const Wave& w) {
  return frontend::IsGfx9(w.generation()) ? Denormals64(w) : Denormals{false, false};
}

// `T` is double or Half.
template <typename T>
struct MinMax {
  using F = Format<T>;
  using Bits = typename F::Bits;
  bool ieee;
  bool flush_inputs;
  bool flush_outputs;

  T Prepare(T value) const {
    return flush_inputs ? F::From(F::FlushDenormal(F::Of(value))) : value;
  }
  T Finish(T value) const {
    return flush_outputs ? F::From(F::FlushDenormal(F::Of(value))) : value;
  }

  // The order of the reals with -0 < +0, as integers.
  static std::make_signed_t<Bits> Key(T value) {
    using Signed = std::make_signed_t<Bits>;
    const auto magnitude = static_cast<Signed>(F::Of(value) & ~F::kSign);
    return (F::Of(value) & F::kSign) != 0 ? -magnitude - 1 : magnitude;
  }

  // `picked` unless NaNs decide.
  T Choose(T a, T b, T picked) const {
    const Bits a_bits = F::Of(a);
    const Bits b_bits = F::Of(b);
    T result = F::IsNan(a_bits) ? b : picked;
    result = F::IsNan(b_bits) ? a : result;
    result = ieee && F::IsSignallingNan(b_bits) ? Quiet(b) : result;
    return ieee && F::IsSignallingNan(a_bits) ? Quiet(a) : result;
  }

  T Min(T a, T b) const { return Choose(a, b, Key(a) <= Key(b) ? a : b); }
  T Max(T a, T b) const { return Choose(a, b, Key(a) >= Key(b) ? a : b); }
  T Min3(T a, T b, T c) const { return Min(Min(a, b), c); }
  T Max3(T a, T b, T c) const { return Max(Max(a, b), c); }
  T Med3(T a, T b, T c) const {
    const bool any_nan = F::IsNan(F::Of(a)) || F::IsNan(F::Of(b)) || F::IsNan(F::Of(c));
    return any_nan ? Min3(a, b, c) : Max(Min(a, b), Min(Max(a, b), c));
  }
};

template <typename T>
inline MinMax<T> MinMaxOf(const Wave& w) {
  const Denormals denormals = MinMaxDenormals(w);
  return {IsIeee(w), denormals.flush_inputs, denormals.flush_outputs};
}

}  // namespace gcnjit::runtime
