// A division by what a component of so many bits has at most.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace gcnjit::runtime {

// Divides whole numbers by `most`, rounded once: a step of Newton's rule after a quotient that is
// off by an ulp at most. Tested with all numbers of up to 16 bits.
struct Normaliser {
  explicit Normaliser(uint32_t greatest)
      : most(_mm256_set1_ps(static_cast<float>(greatest))),
        reciprocal(_mm256_set1_ps(1.0f / static_cast<float>(greatest))) {}

  __m256 Of(__m256i whole) const {
    const __m256 number = _mm256_cvtepi32_ps(whole);
    const __m256 quotient = _mm256_mul_ps(number, reciprocal);
    const __m256 rest = _mm256_fnmadd_ps(quotient, most, number);
    return _mm256_fmadd_ps(rest, reciprocal, quotient);
  }

  __m256 most;
  __m256 reciprocal;
};

}  // namespace gcnjit::runtime
