// The most multiply-adds that a core does: what the other rates are measured against.
#include "native/native.h"
#include "native/vector.h"

namespace gcnjit::bench::native {
namespace {

constexpr size_t kChains = 12;  // more than latency (4) x units (2)
constexpr size_t kUnroll = 4;

}  // namespace

const size_t kFmaPeakFlops = kChains * kUnroll * kLanes * 2;

float FmaPeak(float seed, size_t rounds) {
  Floats sum[kChains];
  const Floats factor = seed - Floats{};
  for (size_t c = 0; c < kChains; ++c) sum[c] = seed * static_cast<float>(c) - Floats{};
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t u = 0; u < kUnroll; ++u) {
      for (Floats& chain : sum) chain = chain * factor + factor;
    }
  }
  Floats all = {};
  for (const Floats& chain : sum) all += chain;
  float result = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) result += all[lane];
  return result;
}

}  // namespace gcnjit::bench::native
