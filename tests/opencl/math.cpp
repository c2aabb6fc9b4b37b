// Builtin functions against the host's, within the errors that the OpenCL C specification allows
// (7.4, "Relative error as ULPs"): the host computes in a wider type.
#include <cmath>
#include <limits>

#include "harness.h"

namespace {

// The distance of `got` from `want` in units in the last place of T at `want`; 0 for equal special
// values, infinity for unequal ones.
template <typename T, typename Wide>
double Ulps(T got, Wide want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
  const T rounded = static_cast<T>(want);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : INFINITY;
  int exponent = std::numeric_limits<T>::min_exponent;
  if (rounded != 0) exponent = std::max(exponent, std::ilogb(rounded) + 1);
  const Wide unit = std::ldexp(Wide{1}, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<Wide>(got) - want) / unit);
}

template <typename T>
std::vector<T> Inputs(double low, double high, size_t count) {
  std::vector<T> values = {T(low), T(high), T(1), T((low + high) / 2)};
  uint64_t state = 88172645463325252u;
  while (values.size() < count) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    values.push_back(T(low + (high - low) * double(state >> 11) * 0x1p-53));
  }
  return values;
}

template <typename Wide>
struct Function {
  const char* expression;  // of x and y
  double low, high, ulps_single, ulps_double;
  Wide (*want)(Wide x, Wide y);
};

template <typename Wide>
std::vector<Function<Wide>> Functions() {
  using W = Wide;
  return {
      {"x + y", -1e6, 1e6, 0.5, 0.5, [](W x, W y) { return x + y; }},
      {"x * y", -1e6, 1e6, 0.5, 0.5, [](W x, W y) { return x * y; }},
      {"x / y", 1e-3, 1e6, 2.5, 0.5, [](W x, W y) { return x / y; }},
      {"1 / x", 1e-3, 1e6, 2.5, 0.5, [](W x, W) { return 1 / x; }},
      {"fma(x, y, (T)-3)", -1e3, 1e3, 0.5, 0.5, [](W x, W y) { return std::fma(x, y, W{-3}); }},
      {"sqrt(x)", 0, 1e9, 3, 0.5, [](W x, W) { return std::sqrt(x); }},
      {"rsqrt(x)", 1e-9, 1e9, 2, 2, [](W x, W) { return 1 / std::sqrt(x); }},
      {"cbrt(x)", -1e9, 1e9, 2, 2, [](W x, W) { return std::cbrt(x); }},
      {"exp(x)", -80, 80, 3, 3, [](W x, W) { return std::exp(x); }},
      {"exp2(x)", -120, 120, 3, 3, [](W x, W) { return std::exp2(x); }},
      {"exp10(x)", -35, 35, 3, 3, [](W x, W) { return std::pow(W{10}, x); }},
      {"expm1(x)", -2, 2, 3, 3, [](W x, W) { return std::expm1(x); }},
      {"log(x)", 1e-30, 1e30, 3, 3, [](W x, W) { return std::log(x); }},
      {"log2(x)", 1e-3, 9, 3, 3, [](W x, W) { return std::log2(x); }},
      {"log10(x)", 1e-3, 1e9, 3, 3, [](W x, W) { return std::log10(x); }},
      {"log1p(x)", -0.9, 9, 2, 2, [](W x, W) { return std::log1p(x); }},
      {"pow(x, y)", 0.1, 9, 16, 16, [](W x, W y) { return std::pow(x, y); }},
      {"sin(x)", -1e4, 1e4, 4, 4, [](W x, W) { return std::sin(x); }},
      {"cos(x)", -1e5, 1e5, 4, 4, [](W x, W) { return std::cos(x); }},
      {"tan(x)", -100, 100, 5, 5, [](W x, W) { return std::tan(x); }},
      {"asin(x)", -1, 1, 4, 4, [](W x, W) { return std::asin(x); }},
      {"acos(x)", -1, 1, 4, 4, [](W x, W) { return std::acos(x); }},
      {"atan(x)", -50, 50, 5, 5, [](W x, W) { return std::atan(x); }},
      {"atan2(x, y)", -50, 50, 6, 6, [](W x, W y) { return std::atan2(x, y); }},
      {"sinh(x)", -20, 20, 4, 4, [](W x, W) { return std::sinh(x); }},
      {"cosh(x)", -20, 20, 4, 4, [](W x, W) { return std::cosh(x); }},
      {"tanh(x)", -5, 5, 5, 5, [](W x, W) { return std::tanh(x); }},
      {"erf(x)", -4, 4, 16, 16, [](W x, W) { return std::erf(x); }},
      {"erfc(x)", -2, 8, 16, 16, [](W x, W) { return std::erfc(x); }},
      {"tgamma(x)", 0.5, 30, 16, 16, [](W x, W) { return std::tgamma(x); }},
      {"hypot(x, y)", -1e3, 1e3, 4, 4, [](W x, W y) { return std::hypot(x, y); }},
      {"fmod(x, y)", 0.5, 1e4, 0, 0, [](W x, W y) { return std::fmod(x, y); }},
      {"remainder(x, y)", 0.5, 1e4, 0, 0, [](W x, W y) { return std::remainder(x, y); }},
      {"rint(x)", -9, 9, 0, 0, [](W x, W) { return std::nearbyint(x); }},
      {"round(x)", -9, 9, 0, 0, [](W x, W) { return std::round(x); }},
      {"floor(x) + ceil(y) + trunc(x)", -9, 9, 0.5, 0.5,
       [](W x, W y) { return std::floor(x) + std::ceil(y) + std::trunc(x); }},
      {"ldexp(x, 7) + ldexp(y, -3)", -9, 9, 0.5, 0.5,
       [](W x, W y) { return std::ldexp(x, 7) + std::ldexp(y, -3); }},
      {"fdim(x, y)", -9, 9, 0.5, 0.5, [](W x, W y) { return std::fdim(x, y); }},
      {"fmin(x, y) + fmax(x, y)", -9, 9, 0.5, 0.5, [](W x, W y) { return x + y; }},
  };
}

template <typename T, typename Wide>
void Compare(const Session& s, const char* type, double Function<Wide>::*allowed) {
  constexpr size_t kCount = 2048;
  const auto functions = Functions<Wide>();
  std::string source = "#define T " + std::string(type) + "\n";
  for (size_t f = 0; f < functions.size(); ++f)
    source += "kernel void f" + std::to_string(f) +
              "(global const T* in, global T* out) { size_t i = get_global_id(0);"
              " T x = in[i], y = in[i ^ 1]; out[i] = " +
              functions[f].expression + "; }\n";
  const Program program = s.Build(source.c_str());
  for (size_t f = 0; f < functions.size(); ++f) {
    const auto& function = functions[f];
    std::vector<T> in = Inputs<T>(function.low, function.high, kCount);
    const Buffer from = s.NewBuffer(kCount, in.data()), to = s.NewBuffer<T>(kCount);
    const Kernel kernel = s.NewKernel(program, ("f" + std::to_string(f)).c_str());
    s.Set(kernel, from, to);
    s.Launch(kernel, {kCount});
    const std::vector<T> got = s.Read<T>(to, kCount);
    double most = 0;
    size_t where = 0;
    for (size_t i = 0; i < kCount; ++i) {
      const double ulps = Ulps<T, Wide>(got[i], function.want(in[i], in[i ^ 1]));
      if (ulps <= most) continue;
      most = ulps;
      where = i;
    }
    True(most <= function.*allowed + 1e-6,
         std::string(type) + " " + function.expression + " at " + std::to_string(in[where]) + ", " +
             std::to_string(in[where ^ 1]) + ": " + std::to_string(most) + " ulp",
         __FILE__, __LINE__);
  }
}

void Single(Session& s) { Compare<float, double>(s, "float", &Function<double>::ulps_single); }
void Double(Session& s) {
  Compare<double, long double>(s, "double", &Function<long double>::ulps_double);
}

}  // namespace

int main() { return Main({{"single", Single}, {"double", Double}}); }
