// Native Mandelbrot: several vectors of pixels in step until the last one has escaped. Compiled
// with -ffp-contract=off: only the fused operations written here are fused, as in the kernel.
#include <cstring>

#include "native/native.h"
#include "native/vector.h"

namespace gcnjit::bench::native {
namespace {

constexpr size_t kChains = 4;  // independent vectors, to hide the latency of one

Floats Fma(Floats a, Floats b, Floats c) {
  Floats result;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    result[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
  }
  return result;
}

// Pixels in step.
struct Block {
  Floats cx[kChains], x[kChains] = {}, y[kChains] = {}, xx[kChains] = {}, yy[kChains] = {};
  Ints count[kChains] = {};
  Ints inside[kChains];
};

// One iteration of all chains. A pixel that has left stays out, wherever its orbit goes.
[[gnu::always_inline]] inline void Iterate(Block& p, Floats cy) {
#pragma GCC unroll 8
  for (size_t v = 0; v < kChains; ++v) {
    p.inside[v] &= p.xx[v] + p.yy[v] <= 4.0f;
    p.count[v] -= p.inside[v];
    p.y[v] = Fma(p.x[v] + p.x[v], p.y[v], cy);
    p.x[v] = p.xx[v] - p.yy[v] + p.cx[v];
    p.xx[v] = p.x[v] * p.x[v];
    p.yy[v] = p.y[v] * p.y[v];
  }
}

[[gnu::always_inline]] inline bool AllOut(const Block& p) {
  Ints any = {};
#pragma GCC unroll 8
  for (size_t v = 0; v < kChains; ++v) any |= p.inside[v];
  int64_t words[kVectorBytes / 8];
  std::memcpy(words, &any, sizeof any);
  int64_t left = 0;
  for (const int64_t word : words) left |= word;
  return left == 0;
}

}  // namespace

void Mandelbrot(uint32_t* out, size_t width, size_t height, float step, uint32_t limit) {
  constexpr uint32_t kBetweenTests = 4;
  for (size_t py = 0; py < height; ++py) {
    const Floats cy = __builtin_fmaf(static_cast<float>(py), step, -1.25f) - Floats{};
    for (size_t px = 0; px < width; px += kChains * kLanes) {
      Block p;
#pragma GCC unroll 8
      for (size_t v = 0; v < kChains; ++v) {
        p.inside[v] = ~Ints{};
        for (size_t lane = 0; lane < kLanes; ++lane) {
          const auto column = static_cast<float>(px + v * kLanes + lane);
          p.cx[v][lane] = __builtin_fmaf(column, step, -2.0f);
        }
      }
      uint32_t n = 0;
      for (; n + kBetweenTests <= limit && !AllOut(p); n += kBetweenTests) {
        for (uint32_t i = 0; i < kBetweenTests; ++i) Iterate(p, cy);
      }
      for (; n < limit && !AllOut(p); ++n) Iterate(p, cy);
      std::memcpy(out + py * width + px, p.count, sizeof p.count);
    }
  }
}

}  // namespace gcnjit::bench::native
