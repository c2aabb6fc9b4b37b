// References of math.cl: the host's library in a wider type (double for f32, long double for f64),
// rounded once. Bounds are those of the OpenCL C specification (2.0, section 7.4), which is what
// the kernels' library promises; native_ functions have none there, so theirs is what the hardware
// instruction (1 ulp; sin and cos: an absolute error, Vega ISA) and one multiplication allow.
#include <cmath>
#include <numbers>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace math_kernels {
namespace {

constexpr uint32_t kItems = 192;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};

// The outputs of a kernel lie interleaved, each with its own bound, so that they are judged here.
template <typename T>
struct Column {
  const char* name;
  double ulps;
  double absolute;
  std::vector<long double> expected;
};

template <typename T>
void OutColumns(Run& run, std::vector<Column<T>> columns) {
  const std::vector<T> before(kItems * columns.size(), Run::Unwritten<T>());
  run.Judged<T>(before, [columns](const std::vector<T>& got) {
    std::string wrong;
    for (size_t j = 0; j < columns.size(); ++j) {
      double worst = 0;
      for (size_t i = 0; i < kItems; ++i) {
        const long double want = columns[j].expected[i];
        const long double result = got[i * columns.size() + j];
        if (result == want || (std::isnan(result) && std::isnan(want))) continue;
        const int exponent = std::max(std::ilogb(want), std::numeric_limits<T>::min_exponent - 1);
        const long double ulp = std::ldexp(1.0L, exponent + 1 - std::numeric_limits<T>::digits);
        const long double distance = std::fabs(result - want);
        if (distance <= static_cast<long double>(columns[j].absolute)) continue;
        const bool close = distance <= static_cast<long double>(columns[j].ulps) * ulp;
        if (!close) worst = std::isnan(result) ? INFINITY : static_cast<double>(distance / ulp);
        if (close || wrong.size() > 600) continue;
        wrong += std::string(columns[j].name) + "[" + std::to_string(i) + "]: got " +
                 std::to_string(result) + ", want " + std::to_string(want) + ", " +
                 std::to_string(worst) + " ulp apart, bound " + std::to_string(columns[j].ulps) +
                 "\n";
      }
    }
    return wrong;
  });
}

template <typename T, typename Function>
Column<T> Unary(const char* name, double ulps, const std::vector<T>& a, Function function,
                double absolute = 0) {
  Column<T> column{name, ulps, absolute, {}};
  for (const T x : a) column.expected.push_back(function(static_cast<long double>(x)));
  return column;
}

template <typename T, typename Function>
Column<T> Binary(const char* name, double ulps, const std::vector<T>& a, const std::vector<T>& b,
                 Function function) {
  Column<T> column{name, ulps, 0, {}};
  for (size_t i = 0; i < a.size(); ++i) {
    column.expected.push_back(
        function(static_cast<long double>(a[i]), static_cast<long double>(b[i])));
  }
  return column;
}

using Real = long double;
constexpr Real kPi = std::numbers::pi_v<Real>;
Real Sin(Real x) { return std::sin(x); }
Real Cos(Real x) { return std::cos(x); }
Real Tan(Real x) { return std::tan(x); }
Real Asin(Real x) { return std::asin(x); }
Real Acos(Real x) { return std::acos(x); }
Real Atan(Real x) { return std::atan(x); }
Real Atan2(Real x, Real y) { return std::atan2(x, y); }
Real Exp(Real x) { return std::exp(x); }
Real Exp2(Real x) { return std::exp2(x); }
Real Expm1(Real x) { return std::expm1(x); }
Real Log(Real x) { return std::log(x); }
Real Log2(Real x) { return std::log2(x); }
Real Log1p(Real x) { return std::log1p(x); }
Real Pow(Real x, Real y) { return std::pow(x, y); }
Real Cbrt(Real x) { return std::cbrt(x); }
Real Rsqrt(Real x) { return 1 / std::sqrt(x); }
Real Hypot(Real x, Real y) { return std::hypot(x, y); }
Real Tanh(Real x) { return std::tanh(x); }
Real Erf(Real x) { return std::erf(x); }

void Trigonometry32(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Floats(kItems, -300, 300);
  const auto b = run.random().Floats(kItems, -1, 1);
  auto large = a;
  for (float& x : large) x *= 1000000.0f;
  OutColumns<float>(run, {Unary("sin", 4, a, Sin), Unary("cos", 4, a, Cos), Unary("tan", 5, a, Tan),
                          Unary("asin", 4, b, Asin), Unary("acos", 4, b, Acos),
                          Unary("atan", 5, a, Atan), Binary("atan2", 6, a, b, Atan2),
                          Unary("sincos.sin", 4, b, Sin), Unary("sincos.cos", 4, b, Cos),
                          Unary("sinpi", 4, b, [](Real x) { return std::sin(x * kPi); }),
                          Unary("cospi", 4, b, [](Real x) { return std::cos(x * kPi); }),
                          Unary("sin of large", 4, large, Sin)});
  run.In(a);
  run.In(b);
}

void Exponential32(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Floats(kItems, 0.001, 60);
  const auto b = run.random().Floats(kItems, -18, 18);
  OutColumns<float>(
      run,
      {Unary("exp", 3, b, Exp), Unary("exp2", 3, b, Exp2),
       Unary("exp10", 3, b, [](Real x) { return std::pow(Real{10}, x / 4); }),
       Unary("expm1", 3, b, Expm1), Unary("log", 3, a, Log), Unary("log2", 3, a, Log2),
       Unary("log10", 3, a, [](Real x) { return std::log10(x); }), Unary("log1p", 2, a, Log1p),
       Binary("pow", 16, a, b, Pow), Unary("pown", 16, b, [](Real x) { return x * x * x; }),
       Unary("powr", 16, a, [](Real x) { return std::pow(x, Real{0.3f}); }),
       Unary("cbrt", 2, b, Cbrt), Unary("rsqrt", 2, a, Rsqrt), Binary("hypot", 4, a, b, Hypot)});
  run.In(a);
  run.In(b);
}

void Hyperbolic32(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Floats(kItems, -8, 8);
  const auto plus = [&a](float by) {
    auto sums = a;
    for (float& x : sums) x = std::fabs(x) + by;
    return sums;
  };
  auto tenth = a;
  for (float& x : tenth) x *= 0.1f;
  OutColumns<float>(
      run, {Unary("sinh", 4, a, [](Real x) { return std::sinh(x); }),
            Unary("cosh", 4, a, [](Real x) { return std::cosh(x); }), Unary("tanh", 5, a, Tanh),
            Unary("asinh", 4, a, [](Real x) { return std::asinh(x); }),
            Unary("acosh", 4, plus(1.5f), [](Real x) { return std::acosh(x); }),
            Unary("atanh", 5, tenth, [](Real x) { return std::atanh(x); }),
            Unary("erf", 16, a, Erf), Unary("erfc", 16, a, [](Real x) { return std::erfc(x); }),
            Unary("tgamma", 16, plus(0.5f), [](Real x) { return std::tgamma(x); })});
  run.In(a);
}

void Native32(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Floats(kItems, 0.01, 30);
  // exp and log multiply by log2(e) or ln(2) in f32 first: for arguments up to 30 the rounded
  // product (44 at most) is off by up to 2^-19, which exp2 turns into 2^-19 * ln 2 relatively.
  OutColumns<float>(run,
                    {Unary("native_sin", 0, a, Sin, 1e-5), Unary("native_cos", 0, a, Cos, 1e-5),
                     Unary("native_exp", 40, a, Exp), Unary("native_exp2", 2, a, Exp2),
                     Unary("native_log", 4, a, Log, 1e-7), Unary("native_log2", 2, a, Log2, 1e-7),
                     Unary("native_rsqrt", 2, a, Rsqrt),
                     Unary("native_recip", 2, a, [](Real x) { return 1 / x; }),
                     Unary("native_sqrt", 2, a, [](Real x) { return std::sqrt(x); })});
  run.In(a);
}

void Trigonometry64(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Doubles(kItems, -300, 300);
  const auto b = run.random().Doubles(kItems, -1, 1);
  auto large = a;
  for (double& x : large) x *= 1e12;
  OutColumns<double>(
      run, {Unary("sin", 4, a, Sin), Unary("cos", 4, a, Cos), Unary("tan", 5, a, Tan),
            Unary("asin", 4, b, Asin), Unary("acos", 4, b, Acos), Unary("atan", 5, a, Atan),
            Binary("atan2", 6, a, b, Atan2), Unary("sin of large", 4, large, Sin)});
  run.In(a);
  run.In(b);
}

void Exponential64(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Doubles(kItems, 0.001, 100);
  const auto b = run.random().Doubles(kItems, -40, 40);
  OutColumns<double>(
      run, {Unary("exp", 3, b, Exp), Unary("exp2", 3, b, Exp2), Unary("expm1", 3, b, Expm1),
            Unary("log", 3, a, Log), Unary("log2", 3, a, Log2), Unary("log1p", 2, a, Log1p),
            Binary("pow", 16, a, b, Pow), Unary("cbrt", 2, b, Cbrt), Unary("rsqrt", 2, a, Rsqrt),
            Binary("hypot", 4, a, b, Hypot), Unary("tanh", 5, b, Tanh), Unary("erf", 16, b, Erf)});
  run.In(a);
  run.In(b);
}

}  // namespace
}  // namespace math_kernels

void AddMathKernels(Suite& suite) {
  using namespace math_kernels;
  const std::string source = "math.cl";
  suite.Add({source, "f32_trigonometry", Trigonometry32});
  suite.Add({source, "f32_exponential", Exponential32});
  suite.Add({source, "f32_hyperbolic", Hyperbolic32});
  suite.Add({source, "f32_native", Native32});
  suite.Add({source, "f64_trigonometry", Trigonometry64});
  suite.Add({source, "f64_exponential", Exponential64});
}

}  // namespace gcnjit::kernel_tests
