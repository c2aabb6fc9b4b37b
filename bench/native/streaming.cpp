// Native saxpy, triad, stencil, reduction and histogram.
#include "native/native.h"

namespace gcnjit::bench::native {

void Saxpy(float* y, const float* x, float a, size_t count) {
#pragma omp simd
  for (size_t i = 0; i < count; ++i) y[i] = a * x[i] + y[i];
}

void Triad(float* a, const float* b, const float* c, float s, size_t count) {
#pragma omp simd
  for (size_t i = 0; i < count; ++i) a[i] = b[i] + s * c[i];
}

void Stencil(float* out, const float* in, size_t width, size_t height) {
  for (size_t x = 0; x < width; ++x) {
    out[x] = in[x];
    out[(height - 1) * width + x] = in[(height - 1) * width + x];
  }
  for (size_t y = 1; y + 1 < height; ++y) {
    const float* row = in + y * width;
    float* to = out + y * width;
    to[0] = row[0];
    to[width - 1] = row[width - 1];
#pragma omp simd
    for (size_t x = 1; x < width - 1; ++x) {
      to[x] = 0.5f * row[x] +
              0.125f * (row[x - 1] + row[x + 1] + *(row + x - width) + *(row + x + width));
    }
  }
}

float Reduction(const float* in, size_t count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < count; ++i) sum += in[i];
  return sum;
}

void Histogram(uint32_t* bins, const uint32_t* in, size_t count) {
  // Several tables, so that equal neighbours do not wait for each other's store.
  constexpr size_t kTables = 8;
  uint32_t tables[kTables][256] = {};
  size_t i = 0;
  for (; i + kTables <= count; i += kTables) {
    for (size_t t = 0; t < kTables; ++t) ++tables[t][in[i + t] >> 24];
  }
  for (; i < count; ++i) ++tables[0][in[i] >> 24];
  for (const auto& table : tables) {
    for (size_t bin = 0; bin < 256; ++bin) bins[bin] += table[bin];
  }
}

}  // namespace gcnjit::bench::native
