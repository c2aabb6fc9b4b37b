#include <immintrin.h>

#include "measure/fma_loop.h"

namespace gcnjit::measure {

float FmaLoopAvx512(float seed, size_t rounds) {
  __m512 sum[kFmaChains];
  const __m512 factor = _mm512_set1_ps(seed);
  for (size_t c = 0; c < kFmaChains; ++c) sum[c] = _mm512_set1_ps(seed * static_cast<float>(c));
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t u = 0; u < kFmaUnroll; ++u) {
      for (__m512& chain : sum) chain = _mm512_fmadd_ps(chain, factor, factor);
    }
  }
  __m512 all = _mm512_setzero_ps();
  for (const __m512 chain : sum) all = _mm512_add_ps(all, chain);
  return _mm512_cvtss_f32(all);
}

}  // namespace gcnjit::measure
