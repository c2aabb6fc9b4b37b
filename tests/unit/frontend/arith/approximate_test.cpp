// Accuracy of the approximate functions over f32, at a stride, against double precision; every f16.
// The same loop over all 2^32 arguments gave the figures of docs/approximate.md.
#include "frontend/arith/approximate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#include "frontend/arith/accuracy.h"
#include "runtime/interpreter/native_ops.h"

namespace gcnjit::runtime {
namespace {

namespace arith = frontend::arith;
using frontend::Opcode;

using F32 = NativeOps::F32;
using F64 = NativeOps::F64;
NativeOps ops;

// A prime, so that all mantissas are met.
constexpr uint64_t kStride = 2003;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLowestNormal = 0x1p-126f;

double UlpOf(double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 24);
}

// The bound that the fidelity report states, and what the measurement itself rounds.
double Limit(Opcode opcode) {
  constexpr double kOfMeasurement = 1e-4;
  return arith::AccuracyOf(opcode)->ulp + kOfMeasurement;
}

struct Worst {
  double error = 0;
  float argument = 0;
};

// The largest error over [low, high], in units of `unit`(exact).
template <typename F, typename Exact, typename Unit>
Worst Measure(float low, float high, F f, Exact exact, Unit unit) {
  Worst worst;
  alignas(32) float x[8];
  alignas(32) float y[8];
  for (uint64_t first = 0; first < (uint64_t{1} << 32); first += 8 * kStride) {
    for (uint64_t n = 0; n < 8; ++n) {
      const float value = std::bit_cast<float>(static_cast<uint32_t>(first + n * kStride));
      x[n] = value >= low && value <= high ? value : high;
    }
    _mm256_store_ps(y, f(_mm256_load_ps(x)));
    for (int n = 0; n < 8; ++n) {
      const double expected = exact(static_cast<double>(x[n]));
      const double error = std::fabs(static_cast<double>(y[n]) - expected) / unit(expected);
      if (!(error <= worst.error)) worst = {error, x[n]};
    }
  }
  return worst;
}

#define EXPECT_WITHIN(limit, ...)                                     \
  {                                                                   \
    const Worst worst = Measure(__VA_ARGS__);                         \
    EXPECT_LE(worst.error, limit) << std::hexfloat << worst.argument; \
  }

TEST(Approximate, F32IsWithinOneUlp) {
  EXPECT_WITHIN(
      Limit(Opcode::V_EXP_F32), -126.0f, 0x1.fffffep+6f, [](F32 x) { return arith::Exp2(ops, x); },
      [](double x) { return std::exp2(x); }, UlpOf);
  EXPECT_WITHIN(
      Limit(Opcode::V_LOG_F32), kLowestNormal, FLT_MAX, [](F32 x) { return arith::Log2(ops, x); },
      [](double x) { return std::log2(x); }, UlpOf);
  EXPECT_WITHIN(
      Limit(Opcode::V_RCP_F32), kLowestNormal, 0x1p+126f, [](F32 x) { return arith::Rcp(ops, x); },
      [](double x) { return 1 / x; }, UlpOf);
  EXPECT_WITHIN(
      Limit(Opcode::V_RSQ_F32), kLowestNormal, FLT_MAX, [](F32 x) { return arith::Rsq(ops, x); },
      [](double x) { return 1 / std::sqrt(x); }, UlpOf);
  EXPECT_WITHIN(
      Limit(Opcode::V_SQRT_F32), kLowestNormal, FLT_MAX, [](F32 x) { return arith::Sqrt(ops, x); },
      [](double x) { return std::sqrt(x); }, UlpOf);
}

// v_rsq_f32 does the same to x and 4 * x, so this is all of it.
TEST(Approximate, EveryMantissaOfRsq) {
  Worst worst;
  alignas(32) float x[8];
  alignas(32) float y[8];
  alignas(32) float of_large[8];
  alignas(32) float of_small[8];
  constexpr uint32_t kOne = 0x3F800000;
  for (uint32_t bits = kOne; bits < 0x40800000; bits += 8) {
    for (uint32_t n = 0; n < 8; ++n) x[n] = std::bit_cast<float>(bits + n);
    const F32 lanes = _mm256_load_ps(x);
    _mm256_store_ps(y, arith::Rsq(ops, lanes));
    _mm256_store_ps(of_large, arith::Rsq(ops, _mm256_mul_ps(lanes, _mm256_set1_ps(0x1p+126f))));
    _mm256_store_ps(of_small, arith::Rsq(ops, _mm256_mul_ps(lanes, _mm256_set1_ps(0x1p-126f))));
    for (int n = 0; n < 8; ++n) {
      const double expected = 1 / std::sqrt(static_cast<double>(x[n]));
      const double error = std::fabs(static_cast<double>(y[n]) - expected) / UlpOf(expected);
      if (!(error <= worst.error)) worst = {error, x[n]};
      ASSERT_EQ(of_large[n], y[n] * 0x1p-63f) << x[n];
      ASSERT_EQ(of_small[n], y[n] * 0x1p+63f) << x[n];
    }
  }
  EXPECT_LE(worst.error, Limit(Opcode::V_RSQ_F32)) << std::hexfloat << worst.argument;
}

double SinOfTurns(double x) {
  double turn = x - std::nearbyint(x);
  if (std::fabs(turn) > 0.25) turn = std::copysign(0.5, turn) - turn;
  return std::sin(turn * 6.28318530717958647692);
}
double CosOfTurns(double x) {
  return std::sin((0.25 - std::fabs(x - std::nearbyint(x))) * 6.28318530717958647692);
}

TEST(Approximate, SineAndCosine) {
  EXPECT_WITHIN(
      Limit(Opcode::V_SIN_F32), -256.0f, 256.0f, [](F32 x) { return arith::Sin(ops, x, false); },
      SinOfTurns, UlpOf);
  EXPECT_WITHIN(
      Limit(Opcode::V_COS_F32), -256.0f, 256.0f, [](F32 x) { return arith::Cos(ops, x, false); },
      CosOfTurns, [](double) { return 0x1p-24; });
}
#undef EXPECT_WITHIN

template <typename F>
float At(float x, F f) {
  alignas(32) float lanes[8];
  _mm256_store_ps(lanes, f(_mm256_set1_ps(x)));
  for (const float lane : lanes) {
    EXPECT_EQ(std::bit_cast<uint32_t>(lane), std::bit_cast<uint32_t>(lanes[0]));
  }
  return lanes[0];
}

TEST(Approximate, PowersOfTwoAndTheirLogarithmsAreExact) {
  for (int n = -126; n < 128; ++n) {
    const float power = std::ldexp(1.0f, n);
    EXPECT_EQ(At(static_cast<float>(n), [](F32 x) { return arith::Exp2(ops, x); }), power);
    EXPECT_EQ(At(power, [](F32 x) { return arith::Log2(ops, x); }), static_cast<float>(n));
  }
}

TEST(Approximate, ReciprocalRootsOfPowersOfFourAreExact) {
  for (int n = -63; n < 64; ++n) {
    EXPECT_EQ(At(std::ldexp(1.0f, 2 * n), [](F32 x) { return arith::Rsq(ops, x); }),
              std::ldexp(1.0f, -n));
  }
}

// Bits of f of eight arguments, under an MXCSR.
template <typename F>
std::array<uint32_t, 8> BitsUnder(uint32_t mxcsr, F32 x, F f) {
  _mm_setcsr(mxcsr);
  __asm__ volatile("" : "+x"(x));  // not computed before the MXCSR is set, or after
  F32 y = f(x);
  __asm__ volatile("" : "+x"(y));
  _mm_setcsr(0x1F80);
  return std::bit_cast<std::array<uint32_t, 8>>(y);
}

// Lifted code computes these in the denormal mode of the code around them.
TEST(Approximate, DenormalModeDoesNotMatter) {
  const auto check = [](F32 x, const char* name, auto f) {
    const auto expected = BitsUnder(0x1F80, x, f);
    for (const uint32_t flush : {0x0040u, 0x8000u, 0x8040u}) {
      ASSERT_EQ(BitsUnder(0x1F80 | flush, x, f), expected) << name << " " << x[0];
    }
  };
  const auto check_all = [&](const float(&x)[8]) {
    const F32 lanes = _mm256_loadu_ps(x);
    check(lanes, "exp", [](F32 v) { return arith::Exp2(ops, v); });
    check(lanes, "log", [](F32 v) { return arith::Log2(ops, v); });
    check(lanes, "rcp", [](F32 v) { return arith::Rcp(ops, v); });
    check(lanes, "rsq", [](F32 v) { return arith::Rsq(ops, v); });
    check(lanes, "sqrt", [](F32 v) { return arith::Sqrt(ops, v); });
  };
  float x[8];
  for (uint64_t first = 0; first < (uint64_t{1} << 32); first += 8 * kStride) {
    for (uint64_t n = 0; n < 8; ++n) {
      x[n] = std::bit_cast<float>(static_cast<uint32_t>(first + n * kStride));
    }
    check_all(x);
  }
  // Around the arguments where something changes.
  for (const float at : {0.0f, kLowestNormal, 0x1p+126f, 0x1p-126f, kInfinity, -126.0f, 128.0f}) {
    for (uint32_t sign : {0u, 1u << 31}) {
      for (uint32_t n = 0; n < 8; ++n) {
        x[n] = std::bit_cast<float>((std::bit_cast<uint32_t>(at) ^ sign) + n - 4);
      }
      check_all(x);
    }
  }
}

// Every f32 function of every kind of special argument.
TEST(Approximate, SpecialArguments) {
  const auto of = [](uint32_t bits, auto f) {
    return std::bit_cast<uint32_t>(At(std::bit_cast<float>(bits), f));
  };
  const auto exp = [](F32 x) { return arith::Exp2(ops, x); };
  const auto log = [](F32 x) { return arith::Log2(ops, x); };
  const auto rcp = [](F32 x) { return arith::Rcp(ops, x); };
  const auto rsq = [](F32 x) { return arith::Rsq(ops, x); };
  const auto sqrt = [](F32 x) { return arith::Sqrt(ops, x); };
  const auto sin = [](F32 x) { return arith::Sin(ops, x, false); };
  const auto cos = [](F32 x) { return arith::Cos(ops, x, false); };
  const auto sin_any = [](F32 x) { return arith::Sin(ops, x, true); };
  const auto cos_any = [](F32 x) { return arith::Cos(ops, x, true); };
  constexpr uint32_t kOne = 0x3F800000, kInf = 0x7F800000, kSign = 0x80000000, kNan = 0xFFC00000;
  // Zeros, and denormals as zeros.
  for (const uint32_t magnitude : {0u, 1u, 0x00400000u, 0x007FFFFFu}) {
    for (const uint32_t sign : {0u, kSign}) {
      const uint32_t x = sign | magnitude;
      EXPECT_EQ(of(x, exp), kOne);
      EXPECT_EQ(of(x, log), kSign | kInf);
      EXPECT_EQ(of(x, rcp), sign | kInf);
      EXPECT_EQ(of(x, rsq), sign | kInf);
      EXPECT_EQ(of(x, sqrt), sign);
      EXPECT_EQ(of(x, cos), kOne);
    }
  }
  EXPECT_EQ(of(0, sin), 0u);
  EXPECT_EQ(of(kSign, sin), kSign);
  // Infinities.
  EXPECT_EQ(of(kInf, exp), kInf);
  EXPECT_EQ(of(kSign | kInf, exp), 0u);
  EXPECT_EQ(of(kInf, log), kInf);
  EXPECT_EQ(of(kInf, rcp), 0u);
  EXPECT_EQ(of(kSign | kInf, rcp), kSign);
  EXPECT_EQ(of(kInf, rsq), 0u);
  EXPECT_EQ(of(kInf, sqrt), kInf);
  for (const uint32_t x : {kInf, kSign | kInf}) {
    EXPECT_EQ(of(x, sin), kNan);
    EXPECT_EQ(of(x, cos), kNan);
    EXPECT_EQ(of(x, sin_any), kNan);
    EXPECT_EQ(of(x, cos_any), kNan);
  }
  // Results that would be denormal or too large.
  EXPECT_EQ(of(std::bit_cast<uint32_t>(128.0f), exp), kInf);
  EXPECT_EQ(of(std::bit_cast<uint32_t>(-126.00001f), exp), 0u);
  EXPECT_EQ(of(std::bit_cast<uint32_t>(0x1p+126f), rcp), 0x00800000u);
  EXPECT_EQ(of(std::bit_cast<uint32_t>(0x1.000002p+126f), rcp), 0u);
  EXPECT_EQ(of(std::bit_cast<uint32_t>(-FLT_MAX), rcp), kSign);
  // NaNs keep sign and payload.
  for (const uint32_t x : {0x7F800001u, 0x7FC12345u, 0xFF800001u, 0xFFFFFFFFu, 0xFFBFFFFFu}) {
    const uint32_t quiet = x | 0x00400000;
    EXPECT_EQ(of(x, exp), quiet);
    EXPECT_EQ(of(x, log), quiet);
    EXPECT_EQ(of(x, rcp), quiet);
    EXPECT_EQ(of(x, rsq), quiet);
    EXPECT_EQ(of(x, sqrt), quiet);
    EXPECT_EQ(of(x, sin), quiet);
    EXPECT_EQ(of(x, cos), quiet);
    EXPECT_EQ(of(x, sin_any), quiet);
    EXPECT_EQ(of(x, cos_any), quiet);
  }
}

TEST(Approximate, NeverBeyondOne) {
  const auto sin = [](F32 x) { return arith::Sin(ops, x, false); };
  const auto cos = [](F32 x) { return arith::Cos(ops, x, false); };
  // Around 1/4, closely, and the cosine of small angles.
  for (uint32_t bits = 0x3E7FE000; bits < 0x3E802000; ++bits) {
    ASSERT_LE(At(std::bit_cast<float>(bits), sin), 1.0f) << bits;
  }
  for (uint32_t bits = 0; bits < 0x3D000000; bits += 30011) {
    ASSERT_LE(At(std::bit_cast<float>(bits), cos), 1.0f) << bits;
  }
  EXPECT_EQ(At(0.25f, sin), 1.0f);
  EXPECT_EQ(At(-0.25f, sin), -1.0f);
  EXPECT_EQ(At(0.0f, cos), 1.0f);
  EXPECT_EQ(At(0.25f, cos), 0.0f);
}

TEST(Approximate, F64) {
  const auto check = [](double x, double y, double expected, double ulps) {
    if (y == expected) return;  // infinities too
    const double ulp = std::nextafter(std::fabs(expected), HUGE_VAL) - std::fabs(expected);
    EXPECT_LE(std::fabs(y - expected), ulps * ulp) << x;
  };
  uint64_t bits = 1;
  for (int n = 0; n < 100000; ++n) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    const double x = std::bit_cast<double>(bits >> 1);
    if (!(x < HUGE_VAL)) continue;
    const F64 lanes = _mm256_set1_pd(x);
    check(x, arith::Rcp(ops, lanes)[0], 1 / x, 0);
    check(x, arith::Sqrt(ops, lanes)[0], std::sqrt(x), 0);
    const long double root = sqrtl(static_cast<long double>(x));
    check(x, arith::Rsq(ops, lanes)[0], static_cast<double>(1 / root), 1);
  }
}

TEST(Approximate, NegativeArgumentsGiveTheDefaultNan) {
  const auto bits = [](float x) { return std::bit_cast<uint32_t>(x); };
  constexpr uint32_t kDefaultNan = 0xFFC00000;
  for (const float x : {-1.0f, -0x1p-126f, -3e38f, -kInfinity}) {
    EXPECT_EQ(bits(At(x, [](F32 v) { return arith::Log2(ops, v); })), kDefaultNan);
    EXPECT_EQ(bits(At(x, [](F32 v) { return arith::Rsq(ops, v); })), kDefaultNan);
    EXPECT_EQ(bits(At(x, [](F32 v) { return arith::Sqrt(ops, v); })), kDefaultNan);
  }
}

}  // namespace
}  // namespace gcnjit::runtime
