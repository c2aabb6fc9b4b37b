// The division that LLVM builds of v_div_scale, v_rcp, fused multiply-adds, v_div_fmas and
// v_div_fixup (AMDGPU back end, LowerFDIV32 and LowerFDIV64) must be the correctly rounded
// quotient.
#include "runtime/interpreter/division.h"

#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace gcnjit::runtime {
namespace {

constexpr Denormals kKept = {false, false};
constexpr Denormals kFlushed = {true, true};

class HostRounding {
 public:
  explicit HostRounding(Round round) {
    static constexpr unsigned kControl[] = {0, 2, 1, 3};
    _mm_setcsr(0x1F80u | kControl[static_cast<int>(round)] << 13);
  }
  ~HostRounding() { _mm_setcsr(saved_); }

 private:
  unsigned saved_ = _mm_getcsr();
};

template <typename T>
T Fma(T a, T b, T c) {
  // Not folded at compile time: MXCSR decides.
  volatile T x = a;
  volatile T y = b;
  volatile T z = c;
  return std::fma(T{x}, T{y}, T{z});
}

// As frontend/arith/approximate.h has them.
float Reciprocal(float x) {
  using F = Format<float>;
  const float quotient = 1.0f / F::From(F::FlushDenormal(F::Of(x)));
  return F::From(F::FlushDenormal(F::Of(quotient)));
}
double Reciprocal(double x) { return 1.0 / x; }

float Refined(float d, float r) {
  const float error = Fma(-d, r, 1.0f);
  return Fma(error, r, r);
}
double Refined(double d, double r) {
  const double first = Fma(Fma(-d, r, 1.0), r, r);
  return Fma(Fma(-d, first, 1.0), first, first);
}

template <typename T>
T Divide(T numerator, T denominator) {
  const Scaled<T> d = DivScale(denominator, denominator, numerator, false);
  const Scaled<T> n = DivScale(numerator, denominator, numerator, false);
  const T r = Refined(d.value, Reciprocal(d.value));
  volatile T n_value = n.value;
  T q = n_value * r;
  if constexpr (sizeof(T) == 4) q = Fma(Fma(-d.value, q, n.value), r, q);
  const T residual = Fma(-d.value, q, n.value);
  const T fused = DivFmas(residual, r, q, n.post_scale, Round::kNearest, false);
  return DivFixup(fused, denominator, numerator, Round::kNearest, kKept);
}

template <typename T>
T HostQuotient(T a, T b) {
  volatile T x = a;
  volatile T y = b;
  return x / y;
}

template <typename T>
void ExpectQuotient(T a, T b) {
  using F = Format<T>;
  const T expected = HostQuotient(a, b);
  const T got = Divide(a, b);
  if (expected != expected) {
    EXPECT_TRUE(got != got) << std::hexfloat << a << " / " << b;
    return;
  }
  EXPECT_EQ(F::Of(expected), F::Of(got))
      << std::hexfloat << a << " / " << b << " = " << expected << ", got " << got;
}

template <typename T>
void TestFormat() {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const Bits special[] = {0,
                          F::kSign,
                          1,
                          F::kFraction,
                          F::kImplicitOne,
                          F::kImplicitOne + 1,
                          F::Of(T{1}),
                          F::Of(T{-1}),
                          F::Of(T{3}),
                          static_cast<Bits>(F::Of(T{1}) - 1),
                          static_cast<Bits>(F::kInfinity - 1),
                          static_cast<Bits>(F::kInfinity - F::kImplicitOne),
                          F::kInfinity,
                          static_cast<Bits>(F::kSign | F::kInfinity),
                          static_cast<Bits>(F::kInfinity | F::kQuiet)};
  for (const Bits a : special) {
    for (const Bits b : special) ExpectQuotient(F::From(a), F::From(b));
  }
  std::mt19937_64 random(sizeof(T));
  for (int n = 0; n < 30000 && !::testing::Test::HasFailure(); ++n) {
    // All exponents alike, so that every rule of v_div_scale is met.
    ExpectQuotient(F::From(static_cast<Bits>(random())), F::From(static_cast<Bits>(random())));
    // Quotients near the limits of the format: tiny numerators, huge denominators.
    const auto tiny = static_cast<Bits>(random() % (F::kImplicitOne * 60));
    const auto huge = static_cast<Bits>(F::kInfinity - 1 - random() % (F::kImplicitOne * 60));
    const auto middle = static_cast<Bits>(F::Of(T{1}) - random() % (F::kImplicitOne * 30) +
                                          random() % (F::kImplicitOne * 30));
    ExpectQuotient(F::From(tiny), F::From(middle));
    ExpectQuotient(F::From(middle), F::From(huge));
    ExpectQuotient(F::From(middle), F::From(tiny));
    ExpectQuotient(F::From(huge), F::From(middle));
    ExpectQuotient(F::From(tiny), F::From(tiny ^ 0x55));
    ExpectQuotient(F::From(huge), F::From(huge ^ 0x55));
  }
}

TEST(Division, F32IsCorrectlyRounded) { TestFormat<float>(); }
TEST(Division, F64IsCorrectlyRounded) { TestFormat<double>(); }

TEST(Division, FixupFlushesWhatModeFlushes) {
  constexpr float kDenormal = 0x1p-130f;
  EXPECT_EQ(DivFixup(5.0f, kDenormal, 1.0f, Round::kNearest, kFlushed), INFINITY);
  EXPECT_EQ(DivFixup(5.0f, kDenormal, 1.0f, Round::kNearest, kKept), 5.0f);
  EXPECT_EQ(DivFixup(5.0f, 1.0f, -kDenormal, Round::kNearest, kFlushed), -0.0f);
  // A quotient far below the denormals: the rounding mode decides.
  EXPECT_EQ(DivFixup(0.0f, 0x1p100f, 0x1p-100f, Round::kUp, kKept), 0x1p-149f);
  EXPECT_EQ(DivFixup(0.0f, 0x1p100f, 0x1p-100f, Round::kUp, kFlushed), 0.0f);
  EXPECT_EQ(DivFixup(0.0f, 0x1p100f, -0x1p-100f, Round::kDown, kKept), -0x1p-149f);
  EXPECT_EQ(DivFixup(0.0f, 0x1p100f, 0x1p-100f, Round::kNearest, kKept), 0.0f);
}

TEST(Division, FmasRoundsOnceAfterThePostScale) {
  // (1 + 2^-23) * 2^-127 lies between two denormals; what f32 loses of the sum tips the balance.
  const float c = 0x1.000002p-63f;
  EXPECT_EQ(DivFmas(0x1p-44f, 0x1p-44f, c, true, Round::kNearest, false), 0x1.000004p-127f);
  EXPECT_EQ(DivFmas(0x1p-44f, -0x1p-44f, c, true, Round::kNearest, false), 0x1p-127f);
  EXPECT_EQ(DivFmas(1.0f, 0.0f, 4.0f, true, Round::kNearest, false), 0x1p66f);
  EXPECT_EQ(DivFmas(1.0f, 0.0f, 1.5f, true, Round::kNearest, false), 0x1.8p-64f);
  EXPECT_EQ(DivFmas(1.0f, 0.0f, 1.5f, false, Round::kNearest, false), 1.5f);
}

// RoundToFormat is the only rounding in the project that the host does not do: compare it with the
// host's.
template <typename T>
void TestScaledFma() {
  using F = Format<T>;
  using Bits = typename F::Bits;
  std::mt19937_64 random(7);
  for (const Round round : {Round::kNearest, Round::kUp, Round::kDown, Round::kZero}) {
    const HostRounding host(round);
    for (int n = 0; n < 60000; ++n) {
      T values[3];
      for (T& value : values) {
        Bits bits = static_cast<Bits>(random());
        // Mostly exponents that are close to each other and to the limits.
        const Bits exponent = static_cast<Bits>(random() % 8 * (2 * F::kBias / 8) + random() % 4);
        bits = (bits & (F::kSign | F::kFraction)) | exponent << F::kFractionBits;
        if (random() % 4 == 0) bits &= static_cast<Bits>(~(F::kFraction >> (random() % 20)));
        value = F::From(bits);
      }
      const T expected = Fma(values[0], values[1], values[2]);
      const T got = ScaledFma(values[0], values[1], values[2], 0, round, false);
      ASSERT_EQ(F::Of(expected), F::Of(got))
          << std::hexfloat << values[0] << " * " << values[1] << " + " << values[2] << " rounding "
          << static_cast<int>(round);
    }
  }
}

TEST(ScaledFma, F32EqualsHost) { TestScaledFma<float>(); }
TEST(ScaledFma, F64EqualsHost) { TestScaledFma<double>(); }

TEST(ScaledFma, FlushesWhatIsTinyAfterRoundingLikeTheHost) {
  std::mt19937_64 random(9);
  const unsigned saved = _mm_getcsr();
  for (int n = 0; n < 200000; ++n) {
    const float a =
        std::bit_cast<float>(static_cast<uint32_t>(0x1F000000u + random() % 0x2000000u));
    const float b =
        std::bit_cast<float>(static_cast<uint32_t>(0x1F000000u + random() % 0x2000000u));
    _mm_setcsr(0x1F80u | 0x8000u);
    const float expected = Fma(a, b, 0.0f);
    _mm_setcsr(saved);
    ASSERT_EQ(std::bit_cast<uint32_t>(expected),
              std::bit_cast<uint32_t>(ScaledFma(a, b, 0.0f, 0, Round::kNearest, true)))
        << std::hexfloat << a << " * " << b;
  }
  _mm_setcsr(saved);
}

}  // namespace
}  // namespace gcnjit::runtime
