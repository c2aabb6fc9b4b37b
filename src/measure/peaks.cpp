#include "measure/peaks.h"

#include <algorithm>
#include <vector>

#include "measure/fma_loop.h"
#include "measure/stopwatch.h"

namespace gcnjit::measure {
namespace {

constexpr int kTries = 5;  // of which the best counts

// What the compiler may not leave out.
template <typename T>
void Use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Several sums, which the compiler need not reorder to use vectors.
float Sum(const std::vector<float>& values) {
  constexpr size_t kSums = 64;
  float sums[kSums] = {};
  for (size_t i = 0; i + kSums <= values.size(); i += kSums) {
    for (size_t n = 0; n < kSums; ++n) sums[n] += values[i + n];
  }
  float all = 0;
  for (const float sum : sums) all += sum;
  return all;
}

void Triad(float* a, const float* b, const float* c, float s, size_t count) {
  for (size_t i = 0; i < count; ++i) a[i] = b[i] + s * c[i];
}

}  // namespace

double RunFma(backend::HostIsa isa, size_t rounds) {
  volatile float seed = 0.5f;
  const bool wide = isa == backend::HostIsa::kAvx512;
  const float result = wide ? FmaLoopAvx512(seed, rounds) : FmaLoopAvx2(seed, rounds);
  Use(result);
  return static_cast<double>(FmaFlops(wide ? 16 : 8)) * static_cast<double>(rounds);
}

double FmaPeak(backend::HostIsa isa) {
  constexpr size_t kRounds = 500'000;  // about 20 ms
  double best = 0;
  for (int n = 0; n < kTries; ++n) {
    const Stopwatch watch;
    const double flops = RunFma(isa, kRounds);
    best = std::max(best, flops / watch.Stop().cpu);
  }
  return best;
}

double MemoryPeak() {
  constexpr size_t kFloats = size_t{16} << 20;
  std::vector<float> a(kFloats), b(kFloats, 1.0f), c(kFloats, 2.0f);
  constexpr double kBytes = static_cast<double>(kFloats) * sizeof(float);
  double best = 0;
  for (int n = 0; n < kTries; ++n) {
    const Stopwatch reading;
    const float sum = Sum(b);
    Use(sum);
    best = std::max(best, kBytes / reading.Stop().cpu);
    const Stopwatch streaming;
    Triad(a.data(), b.data(), c.data(), 3.0f, kFloats);
    Use(a[0]);
    best = std::max(best, 3 * kBytes / streaming.Stop().cpu);
  }
  return best;
}

}  // namespace gcnjit::measure
