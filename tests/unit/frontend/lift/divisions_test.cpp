// The compilers' IEEE division gives the correctly rounded quotient (frontend/lift/divisions.h):
// where the proof there leaves it open, and on random numbers of all sizes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "runtime/interpreter/division.h"

namespace gcnjit {
namespace {

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

struct Steps {
  int reciprocal = 0;  // after v_rcp
  int quotient = 0;    // after the product
};

// What v_div_fmas adds up.
template <typename T>
struct Last {
  T x, y, z;
};

template <typename T>
Last<T> LastOf(T n, T d, Steps steps) {
  T y = T{1} / d;
  for (int step = 0; step < steps.reciprocal; ++step) y = std::fma(std::fma(-d, y, T{1}), y, y);
  T q = n * y;
  for (int step = 0; step < steps.quotient; ++step) q = std::fma(std::fma(-d, q, n), y, q);
  return {std::fma(-d, q, n), y, q};
}

// All that the matcher takes: 0 to 2 steps each.
template <typename F>
void ForAllSteps(const F& f) {
  for (int reciprocal = 0; reciprocal < 3; ++reciprocal) {
    for (int quotient = 0; quotient < 3; ++quotient) f(Steps{reciprocal, quotient});
  }
}

// How many numerators [begin, begin + count) * 2^(1-p) have another quotient.
template <typename T>
uint64_t CountWrong(T d, uint64_t begin, uint64_t count, Steps steps) {
  constexpr int kFraction = sizeof(T) == 4 ? 23 : 52;
  uint64_t wrong = 0;
  for (uint64_t k = begin; k < begin + count; ++k) {
    const T n = std::ldexp(static_cast<T>(k), -kFraction);
    const Last<T> last = LastOf(n, d, steps);
    wrong += std::fma(last.x, last.y, last.z) != n / d;
  }
  return wrong;
}

// The denominators next to 2, with every numerator.
TEST(Divisions, AreRightForF32DenominatorsNextToTwo) {
  ForAllSteps([](Steps steps) {
    for (int k = 1; k <= 2; ++k) {
      const float d = 2 - std::ldexp(static_cast<float>(k), -23);
      EXPECT_EQ(CountWrong<float>(d, 1 << 23, 1 << 23, steps), 0u) << k;
    }
  });
}

// Quotients by 2 - 2^-52 are near a middle for numerators next to 1 only; by the others that are
// next to 2, for those and some next to 2.
TEST(Divisions, AreRightForF64DenominatorsNextToTwo) {
  constexpr uint64_t kOne = uint64_t{1} << 52;
  ForAllSteps([](Steps steps) {
    for (int k = 1; k <= 16; ++k) {
      const double d = 2 - std::ldexp(static_cast<double>(k), -52);
      EXPECT_EQ(CountWrong<double>(d, kOne, 20000, steps), 0u) << k;
      EXPECT_EQ(CountWrong<double>(d, 2 * kOne - 20000, 20000, steps), 0u) << k;
    }
  });
}

template <typename T>
T DivideIn(T n, T d, Steps steps) {
  using runtime::DivScale;
  const runtime::Scaled<T> scaled_d = DivScale(d, d, n, /*flush=*/false);
  const runtime::Scaled<T> scaled_n = DivScale(n, d, n, /*flush=*/false);
  const Last<T> last = LastOf(scaled_n.value, scaled_d.value, steps);
  const T sum = runtime::DivFmas(last.x, last.y, last.z, scaled_n.post_scale,
                                 runtime::Round::kNearest, /*flush=*/false);
  return runtime::DivFixup(sum, d, n, runtime::Round::kNearest, runtime::Denormals{});
}

template <typename T>
void TryRandom(uint64_t seed, int count) {
  using Bits = BitsOf<T>;
  constexpr int kFraction = sizeof(T) == 4 ? 23 : 52;
  std::mt19937_64 random(seed);
  // Few bits set or clear, exponents at their ends and near each other: now and then.
  const auto number = [&](Bits near) {
    auto bits = static_cast<Bits>(random());
    if (random() % 4 == 0) bits &= ~Bits{0} << (random() % kFraction);
    if (random() % 4 == 0) bits |= (Bits{1} << (random() % kFraction)) - 1;
    const Bits exponent = ((Bits{1} << (sizeof(T) * 8 - 1 - kFraction)) - 1) << kFraction;
    switch (random() % 8) {
      case 0: return static_cast<Bits>(bits & ~exponent);
      case 1: return static_cast<Bits>(bits | exponent);
      case 2: return static_cast<Bits>((bits & ~exponent) | (near & exponent));
      default: return bits;
    }
  };
  for (int n = 0; n < count; ++n) {
    const Bits numerator = number(0);
    const Bits denominator = number(numerator);
    const auto a = std::bit_cast<T>(numerator);
    const auto b = std::bit_cast<T>(denominator);
    const Steps steps{static_cast<int>(random() % 3), static_cast<int>(random() % 3)};
    volatile T quotient = a / b;  // as the host's instruction has it, NaNs too
    ASSERT_EQ(std::bit_cast<Bits>(DivideIn(a, b, steps)), std::bit_cast<Bits>(T{quotient}))
        << std::hex << numerator << " / " << denominator << ", " << steps.reciprocal << " and "
        << steps.quotient << " steps";
  }
}

TEST(Divisions, AreRightForRandomF32) { TryRandom<float>(1, 2'000'000); }
TEST(Divisions, AreRightForRandomF64) { TryRandom<double>(2, 2'000'000); }

}  // namespace
}  // namespace gcnjit
