// Arithmetic in integers with a single rounding at the end, for what the host cannot do in one
// instruction: a fused multiply-add that is scaled by a power of two before it is rounded. Host
// rounding and flushing do not matter here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/interpreter/float_bits.h"

namespace gcnjit::runtime {

using Uint128 = unsigned __int128;

inline int BitWidth(Uint128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  if (high != 0) return 128 - std::countl_zero(high);
  return 64 - std::countl_zero(static_cast<uint64_t>(value));
}

// value / 2^count, with lost bits or-ed into the last one.
inline Uint128 ShiftRightSticky(Uint128 value, int count) {
  if (count <= 0) return value;
  if (count >= 128) return value != 0 ? 1 : 0;
  return value >> count | static_cast<Uint128>((value << (128 - count)) != 0 ? 1 : 0);
}

// `value` in units of 2^count, rounded.
inline Uint128 RoundOff(Uint128 value, int count, bool negative, Round round) {
  if (count <= 0) return value << -count;
  // Two bits below the unit, the last one sticky, decide.
  const Uint128 wide = count == 1 ? value << 1 : ShiftRightSticky(value, count - 2);
  const auto tail = static_cast<int>(wide & 3);
  const Uint128 kept = wide >> 2;
  const bool odd = (kept & 1) != 0;
  bool up = false;
  switch (round) {
    case Round::kNearest: up = tail == 3 || (tail == 2 && odd); break;
    case Round::kUp: up = !negative && tail != 0; break;
    case Round::kDown: up = negative && tail != 0; break;
    case Round::kZero: break;
  }
  return kept + (up ? 1 : 0);
}

// What a number too large for the format becomes.
template <typename T>
T Overflow(bool negative, Round round) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const bool to_infinity = round == Round::kNearest || (round == Round::kUp && !negative) ||
                           (round == Round::kDown && negative);
  const Bits magnitude = to_infinity ? F::kInfinity : static_cast<Bits>(F::kInfinity - 1);
  return F::From(static_cast<Bits>((negative ? F::kSign : 0) | magnitude));
}

// (-1)^negative * significand * 2^exponent in the format T. With `flush` a result that is tiny
// after rounding becomes zero: like x86, tininess is judged at full precision.
template <typename T>
T RoundToFormat(bool negative, Uint128 significand, int exponent, Round round, bool flush) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const Bits sign = negative ? F::kSign : 0;
  if (significand == 0) return F::From(sign);
  constexpr int kLowest = 1 - F::kBias - F::kFractionBits;  // exponent of the last denormal bit
  const int to_normal = BitWidth(significand) - (F::kFractionBits + 1);
  const int to_denormal = kLowest - exponent;
  if (flush && to_denormal > to_normal) {
    const Uint128 full = RoundOff(significand, to_normal, negative, round);
    const bool carried = BitWidth(full) > F::kFractionBits + 1;
    if (exponent + to_normal + (carried ? 1 : 0) < kLowest) return F::From(sign);
  }
  const int drop = std::max(to_normal, to_denormal);
  const auto kept = static_cast<Bits>(RoundOff(significand, drop, negative, round));
  const int biased = exponent + drop + F::kFractionBits + F::kBias;
  if (biased > 2 * F::kBias) return Overflow<T>(negative, round);
  // The significand's leading bit adds itself to the exponent field, and so does a carry.
  const Bits bits = static_cast<Bits>((static_cast<Bits>(biased - 1) << F::kFractionBits) + kept);
  if (bits >= F::kInfinity) return Overflow<T>(negative, round);
  return F::From(static_cast<Bits>(sign | bits));
}

// A finite number as an integer times a power of two.
template <typename T>
struct Unpacked {
  bool negative;
  uint64_t significand;
  int exponent;
};

template <typename T>
Unpacked<T> Unpack(T value) {
  using F = Format<T>;
  const auto bits = F::Of(value);
  const int biased = F::Exponent(bits);
  const uint64_t fraction = bits & F::kFraction;
  return {(bits & F::kSign) != 0, biased == 0 ? fraction : fraction | F::kImplicitOne,
          std::max(biased, 1) - F::kBias - F::kFractionBits};
}

// (a * b + c) * 2^scale of finite numbers, rounded once.
template <typename T>
T ScaledFma(T a, T b, T c, int scale, Round round, bool flush) {
  const Unpacked<T> x = Unpack(a);
  const Unpacked<T> y = Unpack(b);
  const Unpacked<T> z = Unpack(c);
  Uint128 product = static_cast<Uint128>(x.significand) * y.significand;
  Uint128 addend = z.significand;
  const bool product_negative = x.negative != y.negative;
  if (product == 0 && addend == 0) {
    const bool negative = product_negative == z.negative ? product_negative : round == Round::kDown;
    return RoundToFormat<T>(negative, 0, 0, round, flush);
  }
  if (product == 0) return RoundToFormat<T>(z.negative, addend, z.exponent + scale, round, flush);
  int exponent = x.exponent + y.exponent;
  if (addend != 0) {
    // Leading bits to bit 125, which leaves room for the carry, then the smaller one to the
    // exponent of the larger one.
    const int up_product = 126 - BitWidth(product);
    const int up_addend = 126 - BitWidth(addend);
    product <<= up_product;
    addend <<= up_addend;
    const int product_exponent = exponent - up_product;
    const int addend_exponent = z.exponent - up_addend;
    exponent = std::max(product_exponent, addend_exponent);
    product = ShiftRightSticky(product, exponent - product_exponent);
    addend = ShiftRightSticky(addend, exponent - addend_exponent);
  }
  bool negative = product_negative;
  Uint128 sum = product + addend;
  if (product_negative != z.negative) {
    sum = product >= addend ? product - addend : addend - product;
    negative = product > addend ? product_negative : z.negative;
    if (product == addend) negative = round == Round::kDown;
  }
  return RoundToFormat<T>(negative, sum, exponent + scale, round, flush);
}

}  // namespace gcnjit::runtime
