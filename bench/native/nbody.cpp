// Native n-body. Compiled with -ffast-math: the kernel's native_rsqrt is approximate as well.
#include <cmath>

#include "native/native.h"

namespace gcnjit::bench::native {

void Nbody(float* acceleration, const float* bodies, size_t count) {
  constexpr size_t kBlock = 64;  // bodies in step, so that several chains hide the latency
  for (size_t first = 0; first < count; first += kBlock) {
    const size_t width = count - first < kBlock ? count - first : kBlock;
    float x[kBlock] = {}, y[kBlock] = {}, z[kBlock] = {};
    float ax[kBlock] = {}, ay[kBlock] = {}, az[kBlock] = {};
    for (size_t i = 0; i < width; ++i) {
      x[i] = bodies[(first + i) * 4];
      y[i] = bodies[(first + i) * 4 + 1];
      z[i] = bodies[(first + i) * 4 + 2];
    }
    for (size_t j = 0; j < count; ++j) {
      const float* other = bodies + j * 4;
#pragma omp simd
      for (size_t i = 0; i < kBlock; ++i) {
        const float dx = other[0] - x[i], dy = other[1] - y[i], dz = other[2] - z[i];
        const float r = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        const float scale = other[3] * r * r * r;
        ax[i] += dx * scale;
        ay[i] += dy * scale;
        az[i] += dz * scale;
      }
    }
    for (size_t i = 0; i < width; ++i) {
      float* to = acceleration + (first + i) * 4;
      to[0] = ax[i];
      to[1] = ay[i];
      to[2] = az[i];
      to[3] = 0;
    }
  }
}

}  // namespace gcnjit::bench::native
