// The rivals: each benchmark's algorithm in native C++, in files of their own that are compiled for
// the machine at hand (-O3 -march=native, OpenMP simd). One thread. They work on the same memory as
// the kernels. Only plain types cross this header: code compiled with other flags must not share
// inline functions with these files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gcnjit::bench::native {

void Saxpy(float* y, const float* x, float a, size_t count);
void Triad(float* a, const float* b, const float* c, float s, size_t count);
void Stencil(float* out, const float* in, size_t width, size_t height);

// The order of loops that vectorises (rows of B), not blocked: the naive kernel's rival.
void SgemmInterchanged(float* c, const float* a, const float* b, size_t n);
// Blocked for registers and L1/L2. n must be a multiple of 64.
void SgemmBlocked(float* c, const float* a, const float* b, size_t n);

// Bodies and accelerations are 4 floats each.
void Nbody(float* acceleration, const float* bodies, size_t count);

// width must be a multiple of 64.
void Mandelbrot(uint32_t* out, size_t width, size_t height, float step, uint32_t limit);

// count must be a multiple of 16.
void Sha256(uint32_t* out, const uint32_t* seed, size_t count);

// count must be a power of two.
void BitonicSort(uint32_t* data, size_t count);

float Reduction(const float* in, size_t count);
void Histogram(uint32_t* bins, const uint32_t* in, size_t count);  // adds to bins[256]

void BlackScholes(float* call, float* put, const float* spot, const float* strike,
                  const float* years, float rate, float volatility, size_t count);

}  // namespace gcnjit::bench::native
