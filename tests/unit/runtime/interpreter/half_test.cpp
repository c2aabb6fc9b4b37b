// binary16 arithmetic through f32: every conversion, and a fused multiply-add that rounds once.
#include "runtime/interpreter/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace gcnjit::runtime {
namespace {

double ValueOf(uint32_t half) {
  const int exponent = static_cast<int>((half >> 10) & 31);
  const double fraction = half & 0x3FF;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// The half nearest to an exactly known value, from the definition: search among neighbours.
uint32_t NearestHalf(double exact) {
  const double magnitude = std::fabs(exact);
  const uint32_t sign = std::signbit(exact) ? 0x8000 : 0;
  if (magnitude >= 65520) return sign | 0x7C00;
  uint32_t low = 0;
  uint32_t high = 0x7C00;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (ValueOf(middle) <= magnitude ? low : high) = middle;
  }
  const double above = high == 0x7C00 ? 65536 : ValueOf(high);
  const double to_low = magnitude - ValueOf(low);
  const double to_high = above - magnitude;
  const bool up = to_high < to_low || (to_high == to_low && (low & 1) != 0);
  return sign | (up ? high : low);
}

TEST(Half, WidensExactly) {
  Half halves[kLanes];
  float wide[kLanes];
  for (uint32_t first = 0; first < 0x10000; first += kLanes) {
    for (uint32_t n = 0; n < kLanes; ++n) halves[n] = {static_cast<uint16_t>(first + n)};
    Widen(halves, wide, false);
    for (uint32_t n = 0; n < kLanes; ++n) {
      const uint32_t bits = first + n;
      if ((bits & 0x7C00) == 0x7C00) continue;
      ASSERT_EQ(static_cast<double>(wide[n]), ValueOf(bits)) << bits;
      ASSERT_EQ(std::signbit(wide[n]), (bits & 0x8000) != 0) << bits;
    }
    Widen(halves, wide, true);
    for (uint32_t n = 0; n < kLanes; ++n) {
      if (((first + n) & 0x7C00) == 0) {
        ASSERT_EQ(wide[n], 0.0f);
      }
    }
  }
}

TEST(Half, NarrowsBackEveryHalf) {
  Half halves[kLanes];
  float wide[kLanes];
  for (const Round round : {Round::kNearest, Round::kUp, Round::kDown, Round::kZero}) {
    for (uint32_t first = 0; first < 0x10000; first += kLanes) {
      for (uint32_t n = 0; n < kLanes; ++n) halves[n] = {static_cast<uint16_t>(first + n)};
      Widen(halves, wide, false);
      Narrow(wide, halves, {round, false, false});
      for (uint32_t n = 0; n < kLanes; ++n) {
        const uint32_t bits = first + n;
        const bool nan = (bits & 0x7FFF) > 0x7C00;
        ASSERT_EQ(halves[n].bits, nan ? bits | 0x200 : bits);
      }
    }
  }
}

TEST(Half, DirectedRoundingAndOverflow) {
  const auto narrow = [](float x, const HalfRounding& rounding) {
    float wide[kLanes] = {x};
    Half halves[kLanes];
    Narrow(wide, halves, rounding);
    return static_cast<uint32_t>(halves[0].bits);
  };
  EXPECT_EQ(narrow(1.0001f, {Round::kUp, false, false}), 0x3C01u);
  EXPECT_EQ(narrow(1.0001f, {Round::kDown, false, false}), 0x3C00u);
  EXPECT_EQ(narrow(-1.0001f, {Round::kDown, false, false}), 0xBC01u);
  EXPECT_EQ(narrow(-1.0001f, {Round::kZero, false, false}), 0xBC00u);
  EXPECT_EQ(narrow(65520.0f, {Round::kNearest, false, false}), 0x7C00u);
  EXPECT_EQ(narrow(65520.0f, {Round::kNearest, false, true}), 0x7BFFu);
  EXPECT_EQ(narrow(-1e30f, {Round::kNearest, false, true}), 0xFBFFu);
  EXPECT_EQ(narrow(INFINITY, {Round::kNearest, false, true}), 0x7C00u);
  EXPECT_EQ(narrow(0x1p-20f, {Round::kNearest, false, false}), 0x0010u);
  EXPECT_EQ(narrow(-0x1p-20f, {Round::kNearest, true, false}), 0x8000u);
}

// What becomes the least normal half only because a denormal has fewer bits counts as a denormal.
TEST(Half, FlushesWhatIsTinyAfterRounding) {
  const auto narrow = [](float x, Round round, bool flush) {
    float wide[kLanes] = {x};
    Half halves[kLanes];
    Narrow(wide, halves, {round, flush, false});
    return static_cast<uint32_t>(halves[0].bits);
  };
  EXPECT_EQ(narrow(0x1.FFCp-15f, Round::kNearest, false), 0x400u);
  EXPECT_EQ(narrow(0x1.FFCp-15f, Round::kNearest, true), 0u);
  EXPECT_EQ(narrow(0x1.FFDFFEp-15f, Round::kNearest, true), 0u);
  EXPECT_EQ(narrow(0x1.FFEp-15f, Round::kNearest, true), 0x400u);
  EXPECT_EQ(narrow(-0x1.FFCp-15f, Round::kNearest, true), 0x8000u);
  EXPECT_EQ(narrow(0x1.FFCp-15f, Round::kUp, true), 0u);
  EXPECT_EQ(narrow(0x1.FFC002p-15f, Round::kUp, true), 0x400u);
  EXPECT_EQ(narrow(-0x1.FFC002p-15f, Round::kUp, true), 0x8000u);
  EXPECT_EQ(narrow(-0x1.FFC002p-15f, Round::kDown, true), 0x8400u);
  EXPECT_EQ(narrow(0x1.FFFFFEp-15f, Round::kZero, true), 0u);
}

// Products of halves plus a half are exact in double except where the terms are too far apart for
// the difference to matter, so double is a sound reference.
TEST(Half, FusedMultiplyAddRoundsOnce) {
  std::mt19937 engine(1);
  const auto random = [&] { return static_cast<uint32_t>(engine()); };
  Half out[kLanes];
  float sums[kLanes];
  double exact[kLanes];
  for (int round = 0; round < 2000; ++round) {
    for (int n = 0; n < kLanes; ++n) {
      // Products in the middle between two halves, and addends far below them: where rounding to
      // f32 in between goes wrong.
      const uint32_t a = 0x3C00 + random() % 0x400;
      const uint32_t b = (random() % 2 == 0 ? 0x3C00u : 0x2000u) + random() % 0x400;
      const uint32_t c = random() % 0x7BFF;
      const uint32_t tiny = random() % 64;
      const uint32_t addend = (random() % 2 == 0 ? c : tiny) | (random() % 2 == 0 ? 0x8000 : 0);
      sums[n] = FusedHalf{true}(static_cast<float>(ValueOf(a)), static_cast<float>(ValueOf(b)),
                                static_cast<float>(ValueOf(addend)));
      exact[n] = ValueOf(a) * ValueOf(b) + ValueOf(addend);
    }
    Narrow(sums, out, {Round::kNearest, false, false});
    for (int n = 0; n < kLanes; ++n) {
      ASSERT_EQ(out[n].bits, NearestHalf(exact[n])) << std::hexfloat << exact[n];
    }
  }
}

}  // namespace
}  // namespace gcnjit::runtime
