// References of float.cl: host IEEE arithmetic, bit for bit. NaN payloads are left open.
#include <cmath>
#include <limits>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace float_kernels {
namespace {

constexpr uint32_t kItems = 320;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};

template <typename T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

// Signed numbers with exponents in [low, high], so that no intermediate is denormal.
template <typename T>
std::vector<T> Scaled(Run& run, size_t count, int low, int high) {
  std::vector<T> values(count);
  for (T& value : values) {
    const double significand = run.random().Real(1, 2) * (run.random().Next() % 2 ? 1 : -1);
    value =
        static_cast<T>(std::ldexp(significand, static_cast<int>(run.random().Between(low, high))));
  }
  return values;
}

template <typename T>
void Arithmetic(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = Scaled<T>(run, kItems, -20, 20);
  const auto b = Scaled<T>(run, kItems, -20, 20);
  const auto c = Scaled<T>(run, kItems, -20, 20);
  std::vector<T> expected;
  for (size_t i = 0; i < kItems; ++i) {
    const T x = a[i], y = b[i], z = c[i];
    const T product = x * y;
    const T sum = x + y;
    expected.insert(expected.end(),
                    {sum, x - y, product, x / y, std::fma(x, y, z), product + z,
                     std::sqrt(std::fabs(x)), -x * std::fabs(y), std::fmod(x, y),
                     std::remainder(x, y), x < y ? x : z, sum * 2 - z * static_cast<T>(0.5)});
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
  run.In(c);
}

template <typename T>
std::vector<T> SpecialValues() {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T big = std::numeric_limits<T>::max();
  const T small = std::numeric_limits<T>::min();
  const T half = static_cast<T>(0.5);
  const T below_half = std::nextafter(half, static_cast<T>(0));
  return {0,
          static_cast<T>(-0.0),
          1,
          -1,
          half,
          -half,
          static_cast<T>(1.5),
          static_cast<T>(-1.5),
          static_cast<T>(2.5),
          nan,
          -nan,
          kInfinity<T>,
          -kInfinity<T>,
          big,
          -big,
          small,
          -small,
          below_half,
          -below_half,
          static_cast<T>(1e6),
          static_cast<T>(-8388607.5),
          static_cast<T>(4503599627370495.5),
          static_cast<T>(3.7)};
}

template <typename T>
void Special(Run& run) {
  const auto values = SpecialValues<T>();
  // gfx6 has no f64 instructions for these. What LLVM emits instead of ceil and rint ends with an
  // addition of +0, which makes -0 positive (adding -0 changes nothing); instead of floor(x), it
  // subtracts the fraction, which it keeps below 1.
  const bool emulates = std::is_same_v<T, double> && run.generation() == 6;
  const T lost = emulates ? T{0} : -T{0};
  const auto floor_of = [emulates](T x) {
    const T floor = std::floor(x);
    return emulates && x - floor == 1 ? x - std::nextafter(T{1}, T{0}) : floor;
  };
  std::vector<T> a;
  std::vector<T> b;
  std::vector<T> expected;
  std::vector<int32_t> flags;
  for (const T x : values) {
    for (const T y : values) {
      // The product of two smallest normals underflows: flushed or 0, the same.
      a.push_back(x);
      b.push_back(y);
      T quotient = x / y;
      T product = x * y;
      if (std::is_same_v<T, float> && run.flushes_f32()) {
        if (std::fpclassify(quotient) == FP_SUBNORMAL) quotient = std::copysign(T{0}, quotient);
        if (std::fpclassify(product) == FP_SUBNORMAL) product = std::copysign(T{0}, product);
      }
      // fmin and fmax of zeros of different sign: the hardware orders -0 below +0
      // (Vega ISA, V_MIN_F32 and V_MAX_F32).
      T minimum = std::fmin(x, y);
      T maximum = std::fmax(x, y);
      if (x == 0 && y == 0) {
        minimum = std::signbit(x) ? x : y;
        maximum = std::signbit(x) ? y : x;
      }
      expected.insert(expected.end(),
                      {floor_of(x), std::ceil(x) + lost, std::trunc(x), std::nearbyint(x) + lost,
                       std::round(x) + T{0}, minimum, maximum, std::copysign(x, y), std::fabs(x),
                       -x, x + y, product, x - y, std::fdim(x, y), std::sqrt(x), quotient});
      flags.push_back((x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 |
                      (x >= y) << 5 | std::isnan(x) << 6 | std::isinf(x) << 7 |
                      std::isfinite(x) << 8 | std::signbit(x) << 9 |
                      (std::isnan(x) || std::isnan(y)) << 10 | (x < y || x > y) << 11 |
                      std::isnormal(x) << 12 | !(x < y) << 13);
    }
  }
  run.Grid({static_cast<uint32_t>(a.size())}, kLocal);
  run.Out(expected, BitsOrNan());
  run.Out(flags);
  run.In(a);
  run.In(b);
}

template <typename T>
void Parts(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = Scaled<T>(run, kItems, -60, 60);
  const auto by = run.random().IntegersBetween<int32_t>(kItems, -40, 40);
  std::vector<T> expected;
  std::vector<int32_t> exponents;
  for (size_t i = 0; i < kItems; ++i) {
    int exponent = 0;
    T whole = 0;
    const T significand = std::frexp(a[i], &exponent);
    const T fraction = std::modf(a[i], &whole);
    expected.insert(expected.end(), {significand, std::ldexp(a[i], by[i]), fraction, whole,
                                     std::nextafter(a[i], a[i] * 2), static_cast<T>(exponent - 1)});
    exponents.insert(exponents.end(), {exponent, exponent - 1});
  }
  run.Out(expected);
  run.Out(exponents);
  run.In(a);
  run.In(by);
}

template <typename T>
void Denormals(Run& run) {
  constexpr bool kIsFloat = std::is_same_v<T, float>;
  const int tiny = std::numeric_limits<T>::min_exponent - 1;  // of the smallest normal number
  const bool flush = kIsFloat && run.flushes_f32();
  const auto flushed = [flush](T value) {
    return flush && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
  };
  run.Grid(kGlobal, kLocal);
  const auto a = Scaled<T>(run, kItems, tiny - 20, tiny + 3);
  auto b = Scaled<T>(run, kItems, tiny - 20, tiny + 3);
  for (size_t i = 0; i < kItems; i += 4) b[i] = std::ldexp(b[i], -tiny);  // products are denormal
  std::vector<T> expected;
  for (size_t i = 0; i < kItems; ++i) {
    const T x = flushed(a[i]);
    const T y = flushed(b[i]);
    expected.push_back(flushed(x + y));
    expected.push_back(flushed(x * y));
    expected.push_back(flushed(std::fma(x, static_cast<T>(0.5), y)));
    expected.push_back(flushed(x - flushed(static_cast<T>(0.25) * y)));
    if (!kIsFloat) expected.push_back(x / 3);
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
}

void Vectors(Run& run) {
  run.Grid(kGlobal, kLocal);
  // Small whole numbers: each order of summation and each contraction gives the same bits.
  std::vector<float> a;
  std::vector<float> b;
  for (size_t i = 0; i < kItems * 4; ++i) {
    a.push_back(static_cast<float>(run.random().Between(-1000, 1000)));
    b.push_back(static_cast<float>(run.random().Between(-1000, 1000)));
  }
  std::vector<float> expected;
  for (size_t i = 0; i < kItems; ++i) {
    const float* x = &a[4 * i];
    const float* y = &b[4 * i];
    const float dot = x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
    expected.insert(expected.end(), {x[1] * y[1] + 2, x[0] * y[0] + 1, x[2] * y[2] + 3, dot});
    const float cross[4] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                            x[0] * y[1] - x[1] * y[0], 0};
    for (int j = 0; j < 4; ++j) {
      const int k = 3 - j;
      expected.push_back(cross[j] + (x[k] < y[k] ? y[k] : x[k]));
    }
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
}

}  // namespace
}  // namespace float_kernels

void AddFloatKernels(Suite& suite) {
  using namespace float_kernels;
  const std::string source = "float.cl";
  suite.Add({source, "f32_arithmetic", Arithmetic<float>});
  suite.Add({source, "f64_arithmetic", Arithmetic<double>});
  suite.Add({source, "f32_special", Special<float>});
  suite.Add({source, "f64_special", Special<double>});
  suite.Add({source, "f32_parts", Parts<float>});
  suite.Add({source, "f64_parts", Parts<double>});
  suite.Add({source, "f32_denormals", Denormals<float>});
  suite.Add({source, "f64_denormals", Denormals<double>});
  suite.Add({source, "f32_vectors", Vectors});
}

}  // namespace gcnjit::kernel_tests
