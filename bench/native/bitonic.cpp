// Native bitonic sort: the same network, one pass over the data a stride.
#include <algorithm>

#include "native/native.h"

namespace gcnjit::bench::native {
namespace {

void Exchange(uint32_t* low, uint32_t* high, size_t stride, bool ascending) {
  uint32_t* smaller = ascending ? low : high;
  uint32_t* larger = ascending ? high : low;
#pragma omp simd
  for (size_t i = 0; i < stride; ++i) {
    const uint32_t a = smaller[i], b = larger[i];
    smaller[i] = std::min(a, b);
    larger[i] = std::max(a, b);
  }
}

}  // namespace

void BitonicSort(uint32_t* data, size_t count) {
  for (size_t block = 2; block <= count; block *= 2) {
    for (size_t stride = block / 2; stride > 0; stride /= 2) {
      for (size_t at = 0; at < count; at += 2 * stride) {
        Exchange(data + at, data + at + stride, stride, (at & block) == 0);
      }
    }
  }
}

}  // namespace gcnjit::bench::native
