// f32 rounding to integers, fraction, exponent and significand, and scaling by powers of two.
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/interpreter/f32_rules.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

// dst = vroundps(src0) with a fixed direction. Written with the intrinsic: the compiler has no
// vector form of rounding to nearest even under -frounding-math.
template <int kDirection>
void Round(Wave& w, const Instruction& i) {
  alignas(64) float buffer[kLanes];
  alignas(64) float result[kLanes];
  const float* source = ReadLanes<float>(w, i, 0, buffer);
  for (int lane = 0; lane < kLanes; lane += 8) {
    _mm256_store_ps(result + lane, _mm256_round_ps(_mm256_loadu_ps(source + lane),
                                                   kDirection | _MM_FROUND_NO_EXC));
  }
  WriteLanes<float>(w, i, result);
}

}  // namespace

void exec_V_TRUNC_F32(Wave& w, const Instruction& i) { Round<_MM_FROUND_TO_ZERO>(w, i); }
void exec_V_CEIL_F32(Wave& w, const Instruction& i) { Round<_MM_FROUND_TO_POS_INF>(w, i); }
void exec_V_FLOOR_F32(Wave& w, const Instruction& i) { Round<_MM_FROUND_TO_NEG_INF>(w, i); }
void exec_V_RNDNE_F32(Wave& w, const Instruction& i) { Round<_MM_FROUND_TO_NEAREST_INT>(w, i); }

// x - floor(x) stays below 1 although the difference of a small negative x rounds to it; gfx6 lacks
// that (LLVM's workaround for its V_FRACT).
void exec_V_FRACT_F32(Wave& w, const Instruction& i) {
  const uint32_t largest =
      frontend::Has(w.generation(), frontend::kFractBelowOne) ? 0x3F7FFFFF : 0x3F800000;
  MapLanes1<float, float>(w, i, [largest](float a) {
    const uint32_t fraction = F32Bits(a - std::floor(a));
    const bool too_large = fraction > largest && fraction <= kF32Infinity;
    return OrNan(F32Value(too_large ? largest : fraction), a);
  });
}

// ---- frexp

namespace {

// Frexp's view of a finite number: significand bits with the exponent of [0.5, 1), and the
// exponent.
struct Parts {
  uint32_t significand;
  int32_t exponent;
};

Parts Split(uint32_t bits, bool keep_denormals) {
  const uint32_t sign = bits & kF32Sign;
  const uint32_t magnitude = FlushBits(bits & ~kF32Sign, !keep_denormals);
  // A subnormal number is an integer count of 2^-149: its conversion to float normalises it.
  const bool subnormal = magnitude < 0x00800000;
  const uint32_t normal =
      subnormal ? F32Bits(static_cast<float>(static_cast<int32_t>(magnitude))) : magnitude;
  const int32_t exponent = static_cast<int32_t>(normal >> 23) - 126 - (subnormal ? 149 : 0);
  const bool zero = magnitude == 0;
  return {sign | (zero ? 0 : 0x3F000000 | (normal & 0x007FFFFF)), zero ? 0 : exponent};
}

bool IsFinite(uint32_t bits) { return (bits & ~kF32Sign) < kF32Infinity; }

}  // namespace

// gfx6 gives -1 for infinities and NaNs, and -NaN as the significand of an infinity (CLRX; OCML and
// LLVM work around it).
void exec_V_FREXP_EXP_I32_F32(Wave& w, const Instruction& i) {
  const bool keep = KeepsF32InputDenormals(w);
  const int32_t not_finite = frontend::Has(w.generation(), frontend::kFrexpOfInfinity) ? 0 : -1;
  MapLanes1<int32_t, float>(w, i, [keep, not_finite](float a) {
    const uint32_t bits = F32Bits(a);
    return IsFinite(bits) ? Split(bits, keep).exponent : not_finite;
  });
}

void exec_V_FREXP_MANT_F32(Wave& w, const Instruction& i) {
  const bool keep = KeepsF32InputDenormals(w);
  const bool keeps_infinity = frontend::Has(w.generation(), frontend::kFrexpOfInfinity);
  MapLanes1<float, float>(w, i, [keep, keeps_infinity](float a) {
    const uint32_t bits = F32Bits(a);
    const uint32_t not_finite = keeps_infinity ? bits : 0xFFC00000;
    return OrNan(F32Value(IsFinite(bits) ? Split(bits, keep).significand : not_finite), a);
  });
}

// The product is exact in double, so that it is rounded (and flushed) once, as MODE says.
void exec_V_LDEXP_F32(Wave& w, const Instruction& i) {
  MapLanes2<float, float, int32_t>(w, i, [](float a, int32_t exponent) {
    const int32_t bounded = std::min(std::max(exponent, -400), 400);
    const auto scale =
        std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(bounded) + 1023) << 52);
    return OrNan(static_cast<float>(static_cast<double>(a) * scale), a);
  });
}

}  // namespace gcnjit::runtime
