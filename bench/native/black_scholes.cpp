// Native Black-Scholes. Compiled with -ffast-math (so expf and logf come from libmvec): the
// kernel's native_exp, native_log, native_sqrt and native_divide are approximate as well.
#include <cmath>

#include "native/native.h"

namespace gcnjit::bench::native {
namespace {

inline float NormalCdf(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  const float poly =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float upper = 0.39894228f * std::exp(-0.5f * d * d) * poly;
  return d > 0 ? 1.0f - upper : upper;
}

}  // namespace

void BlackScholes(float* call, float* put, const float* spot, const float* strike,
                  const float* years, float rate, float volatility, size_t count) {
#pragma omp simd
  for (size_t i = 0; i < count; ++i) {
    const float s = spot[i], k = strike[i], t = years[i];
    const float root = volatility * std::sqrt(t);
    const float d1 = (std::log(s / k) + (rate + 0.5f * volatility * volatility) * t) / root;
    const float cdf1 = NormalCdf(d1), cdf2 = NormalCdf(d1 - root);
    const float discounted = k * std::exp(-rate * t);
    call[i] = s * cdf1 - discounted * cdf2;
    put[i] = discounted * (1.0f - cdf2) - s * (1.0f - cdf1);
  }
}

}  // namespace gcnjit::bench::native
