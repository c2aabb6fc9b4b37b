#include "runtime/image_lanes/byte_samples.h"

#include "runtime/image_lanes/lane_registers.h"
#include "runtime/image_lanes/normaliser.h"

namespace gcnjit::runtime {
namespace {

constexpr int kComponents = 4;
constexpr uint32_t kMostByte = 255;

// Of eight lanes.
struct EightTexels {
  __m256i texels;
  __m256d weights[2];
};

EightTexels LoadEight(const ImagePlan& plan, const SampleLanes& lanes, int axes, uint32_t which,
                      int l) {
  const EightCorners corners = FindEightCorners(lanes, axes, which, l);
  const auto* const base = reinterpret_cast<const int*>(plan.begin);
  return {_mm256_i32gather_epi32(base, corners.offsets, 1),
          {_mm256_cvtepi32_pd(_mm256_castsi256_si128(corners.weights)),
           _mm256_cvtepi32_pd(_mm256_extracti128_si256(corners.weights, 1))}};
}

// The sums of all texels' bytes, normalised and weighted, by component. A lane with one texel has
// that one's: its weight is all there is.
void BlendEight(const ImagePlan& plan, const SampleLanes& lanes, int axes, int l,
                __m256d (&sums)[kComponents][2]) {
  const Normaliser normalise(kMostByte);
  const __m256i mask = EightDwords(kMostByte);
  for (auto& halves : sums) halves[0] = halves[1] = _mm256_setzero_pd();
  for (uint32_t which = 0; which <= lanes.blending; ++which) {
    if ((which & ~lanes.blending) != 0) continue;
    const EightTexels from = LoadEight(plan, lanes, axes, which, l);
    for (int c = 0; c < kComponents; ++c) {
      const __m256i bytes = _mm256_and_si256(_mm256_srli_epi32(from.texels, 8 * c), mask);
      const __m256 values = normalise.Of(bytes);
      sums[c][0] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(values)), from.weights[0],
                                   sums[c][0]);
      sums[c][1] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(values, 1)),
                                   from.weights[1], sums[c][1]);
    }
  }
}

}  // namespace

bool HasBytes(const ImagePlan& plan) {
  const ElementFormat& format = plan.operation.resource.format;
  return format.number == NumberFormat::kUnorm && format.components == kComponents &&
         format.bytes == kComponents && format.bits[0] == 8 && !plan.has_border;
}

void SampleBytes(Wave& w, const Instruction& i, const ImagePlan& plan, const SampleLanes& lanes) {
  const ImageResource& r = plan.operation.resource;
  const int axes = r.Axes();
  const __m256d scale = _mm256_set1_pd(BlendScale(lanes));
  LaneDwords components[kComponents];
  ForEachEight([&](int l) {
    __m256d sums[kComponents][2];
    BlendEight(plan, lanes, axes, l, sums);
    for (int c = 0; c < kComponents; ++c) {
      const __m128 low = _mm256_cvtpd_ps(_mm256_mul_pd(sums[c][0], scale));
      const __m128 high = _mm256_cvtpd_ps(_mm256_mul_pd(sums[c][1], scale));
      PutEight(components[c], l, _mm256_castps_si256(_mm256_set_m128(high, low)));
    }
  });
  LaneResults results(w, i, r.format);
  ForEachComponent(static_cast<uint32_t>(i.imm), [&](int c) {
    const uint8_t select = r.dst_sel[c];
    if (select > kSelectOne) return results.Put(components[select - kSelectX]);
    LaneDwords constants;
    std::fill_n(constants.at, kImageLanes, select == kSelectOne ? OneOf(r.format) : 0);
    results.Put(constants);
  });
}

}  // namespace gcnjit::runtime
