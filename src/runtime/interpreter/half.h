// Arithmetic on IEEE binary16 lanes: widened to f32, computed there, rounded back once.
//
// Every half is a normal f32, so f32 denormals never occur here. Rounding twice (to f32, then to
// f16) equals rounding once for +, -, *, / and sqrt, because f32 has more than 2 * 11 + 1 digits,
// and in the directed modes for anything; a fused multiply-add to nearest needs round-to-odd in
// between.
#pragma once

#include <cstdint>

#include "runtime/interpreter/float_bits.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {

// For MinMax and division; bits are held in 32 to spare promotions.
template <>
struct FormatOf<Half> {
  using Bits = uint32_t;
  static constexpr int kFractionBits = 10;
  static constexpr int kBias = 15;
};
template <>
constexpr uint32_t Format<Half>::Of(Half value) {
  return value.bits;
}
template <>
constexpr Half Format<Half>::From(uint32_t bits) {
  return {static_cast<uint16_t>(bits)};
}

// How f32 becomes f16. Flushed are results which, rounded to 11 bits with an unbounded exponent,
// are below the least normal number, as MXCSR has it for f32 and f64. So are halves on gfx12,
// measured (AMD's rocjitsu, rounding.h); for GCN nothing is documented.
struct HalfRounding {
  Round round;
  bool flush_denormals;  // results
  bool saturate;         // MODE.FP16_OVFL: finite values that overflow become +-65504
};

// As MODE says for f16 operations.
HalfRounding HalfRoundingOf(const Wave& w);

// MODE.FP16_OVFL, which gfx9 has.
bool SaturatesHalf(const Wave& w);

// Exact; NaNs are quieted.
void Widen(const Half* from, float (&to)[kLanes], bool flush_denormals);
void Narrow(const float* from, Half (&to)[kLanes], const HalfRounding& rounding);

// src[n] of a 16-bit float instruction as f32, with MODE's treatment of denormals.
void ReadHalves(Wave& w, const Instruction& i, int n, float (&to)[kLanes]);

// Rounds to f16 as MODE says and stores. `preserves` marks the instructions that leave the other
// half of the register alone on gfx9: those added with gfx9, and v_mac, v_madmk and v_madak (LLVM
// zeroesHigh16BitsOfDest).
void WriteHalves(Wave& w, const Instruction& i, const float (&values)[kLanes],
                 bool preserves = false);
void StoreHalves(Wave& w, const Instruction& i, Half (&values)[kLanes], bool preserves = false);

// a + b + (what f32 lost, as the last bit): any further rounding of it is a rounding of the exact
// sum. Needs MXCSR at round-to-nearest.
inline float AddToOdd(float a, float b) {
  const float sum = a + b;
  // Knuth's exact error of a sum.
  const float b_part = sum - a;
  const float lost = (a - (sum - b_part)) + (b - b_part);
  const uint32_t bits = std::bit_cast<uint32_t>(sum);
  const bool away = (std::bit_cast<uint32_t>(lost) ^ bits) >> 31 == 0;
  const uint32_t odd = (bits & 1) != 0 ? bits : away ? bits + 1 : bits - 1;
  return lost == lost && lost != 0 ? std::bit_cast<float>(odd) : sum;
}

// a * b + c of halves, fused; Narrow rounds it. The product is exact in f32.
struct FusedHalf {
  bool to_nearest;
  float operator()(float a, float b, float c) const {
    const float product = a * b;
    const float sum = to_nearest ? AddToOdd(product, c) : product + c;
    return FirstNan(a, b, c, sum);
  }
};

template <typename F>
inline void MapHalves1(Wave& w, const Instruction& i, F f, bool preserves = false) {
  alignas(64) float a[kLanes];
  ReadHalves(w, i, 0, a);
  for (int lane = 0; lane < kLanes; ++lane) a[lane] = f(a[lane]);
  WriteHalves(w, i, a, preserves);
}

template <typename F>
inline void MapHalves2(Wave& w, const Instruction& i, F f, bool preserves = false) {
  alignas(64) float a[kLanes];
  alignas(64) float b[kLanes];
  ReadHalves(w, i, 0, a);
  ReadHalves(w, i, 1, b);
  for (int lane = 0; lane < kLanes; ++lane) a[lane] = f(a[lane], b[lane]);
  WriteHalves(w, i, a, preserves);
}

template <typename F>
inline void MapHalves3(Wave& w, const Instruction& i, F f, bool preserves = false) {
  alignas(64) float a[kLanes];
  alignas(64) float b[kLanes];
  alignas(64) float c[kLanes];
  ReadHalves(w, i, 0, a);
  ReadHalves(w, i, 1, b);
  ReadHalves(w, i, 2, c);
  for (int lane = 0; lane < kLanes; ++lane) a[lane] = f(a[lane], b[lane], c[lane]);
  WriteHalves(w, i, a, preserves);
}

}  // namespace gcnjit::runtime
