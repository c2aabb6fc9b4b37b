#include <immintrin.h>

#include "measure/fma_loop.h"

namespace gcnjit::measure {

float FmaLoopAvx2(float seed, size_t rounds) {
  __m256 sum[kFmaChains];
  const __m256 factor = _mm256_set1_ps(seed);
  for (size_t c = 0; c < kFmaChains; ++c) sum[c] = _mm256_set1_ps(seed * static_cast<float>(c));
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t u = 0; u < kFmaUnroll; ++u) {
      for (__m256& chain : sum) chain = _mm256_fmadd_ps(chain, factor, factor);
    }
  }
  __m256 all = _mm256_setzero_ps();
  for (const __m256 chain : sum) all = _mm256_add_ps(all, chain);
  return _mm256_cvtss_f32(all);
}

}  // namespace gcnjit::measure
