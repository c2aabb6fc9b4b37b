// binary16 lanes: conversions and the way they are stored (half.h).
#include "runtime/interpreter/half.h"

#include <immintrin.h>

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kHalfInfinity = 0x7C00;
constexpr uint32_t kHalfLargest = 0x7BFF;

// The rounding mode of vcvtps2ph is an immediate.
template <int kImmediate>
void NarrowWith(const float* from, Half (&to)[kLanes]) {
  for (int lane = 0; lane < kLanes; lane += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + lane), kImmediate);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + lane), halves);
  }
}

}  // namespace

bool SaturatesHalf(const Wave& w) {
  return frontend::Has(w.generation(), frontend::kFp16Overflow) &&
         (w.state.mode & kModeFp16Overflow) != 0;
}

HalfRounding HalfRoundingOf(const Wave& w) {
  return {Round64(w), Denormals64(w).flush_outputs, SaturatesHalf(w)};
}

void Widen(const Half* from, float (&to)[kLanes], bool flush_denormals) {
  for (int lane = 0; lane < kLanes; lane += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + lane));
    _mm256_storeu_ps(to + lane, _mm256_cvtph_ps(halves));
  }
  if (!flush_denormals) return;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t bits = std::bit_cast<uint32_t>(to[lane]);
    const bool denormal = (from[lane].bits & kHalfInfinity) == 0;
    to[lane] = std::bit_cast<float>(denormal ? bits & 0x80000000u : bits);
  }
}

namespace {

// The bits of the least |value| that is no less than 2^-14, the least normal half, if rounded to 11
// bits as if exponents had no end.
uint32_t LeastNormal(Round round, bool is_negative) {
  constexpr uint32_t kTwoToMinus14 = 0x38800000;
  constexpr uint32_t kUlp = 1 << 12;  // 2^-25 there
  if (round == Round::kNearest) return kTwoToMinus14 - kUlp;
  const bool rounds_away = round == (is_negative ? Round::kDown : Round::kUp);
  return rounds_away ? kTwoToMinus14 - 2 * kUlp + 1 : kTwoToMinus14;
}

// Zeros of their sign where the results are flushed.
void FlushTiny(const float* from, Half (&to)[kLanes], Round round) {
  const uint32_t least[] = {LeastNormal(round, false), LeastNormal(round, true)};
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t bits = std::bit_cast<uint32_t>(from[lane]);
    const bool tiny = (bits & 0x7FFFFFFFu) < least[bits >> 31];
    to[lane].bits = static_cast<uint16_t>(tiny ? to[lane].bits & 0x8000u : to[lane].bits);
  }
}

}  // namespace

void Narrow(const float* from, Half (&to)[kLanes], const HalfRounding& rounding) {
  switch (rounding.round) {
    case Round::kNearest: NarrowWith<_MM_FROUND_TO_NEAREST_INT>(from, to); break;
    case Round::kUp: NarrowWith<_MM_FROUND_TO_POS_INF>(from, to); break;
    case Round::kDown: NarrowWith<_MM_FROUND_TO_NEG_INF>(from, to); break;
    case Round::kZero: NarrowWith<_MM_FROUND_TO_ZERO>(from, to); break;
  }
  if (rounding.flush_denormals) FlushTiny(from, to, rounding.round);
  if (rounding.saturate) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t magnitude = std::bit_cast<uint32_t>(from[lane]) & 0x7FFFFFFFu;
      const uint32_t bits = to[lane].bits;
      const bool overflow = magnitude < 0x7F800000u && (bits & 0x7FFFu) == kHalfInfinity;
      to[lane].bits = static_cast<uint16_t>(overflow ? (bits & 0x8000u) | kHalfLargest : bits);
    }
  }
}

void ReadHalves(Wave& w, const Instruction& i, int n, float (&to)[kLanes]) {
  alignas(64) Half buffer[kLanes];
  const Half* halves = ReadLanes<Half>(w, i, n, buffer);
  Widen(halves, to, Denormals64(w).flush_inputs);
}

void StoreHalves(Wave& w, const Instruction& i, Half (&values)[kLanes], bool preserves) {
  WriteLanes<Half>(w, i, values, preserves && frontend::IsGfx9(w.generation()));
}

void WriteHalves(Wave& w, const Instruction& i, const float (&values)[kLanes], bool preserves) {
  alignas(64) Half halves[kLanes];
  Narrow(values, halves, HalfRoundingOf(w));
  StoreHalves(w, i, halves, preserves);
}

}  // namespace gcnjit::runtime
