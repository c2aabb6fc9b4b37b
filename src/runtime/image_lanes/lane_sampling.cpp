#include "runtime/image_lanes/lane_sampling.h"

#include <bit>
#include <cmath>

#include "runtime/image_lanes/lane_registers.h"

namespace gcnjit::runtime {
namespace {

constexpr float kFarthestTexel = 1 << 20;

// In 1/256 of a texel, rounded to nearest even; what is far away is brought nearer. As f32, whose
// products with powers of two are exact.
__m256i FixedPointsOfTexels(__m256 u, bool takes_whole) {
  const __m256 known = _mm256_and_ps(u, _mm256_cmp_ps(u, u, _CMP_ORD_Q));
  __m256 near = _mm256_max_ps(known, _mm256_set1_ps(-kFarthestTexel));
  near = _mm256_min_ps(near, _mm256_set1_ps(kFarthestTexel));
  if (takes_whole) near = _mm256_floor_ps(near);
  return _mm256_cvtps_epi32(_mm256_mul_ps(near, _mm256_set1_ps(256)));
}

// Of normalised coordinates, without whole periods (0: there are none).
__m128i FixedPointsOfSizes(__m256d u, double size, double period, bool takes_whole) {
  if (period != 0) {
    constexpr int kTruncate = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
    const __m256d periods = _mm256_round_pd(_mm256_div_pd(u, _mm256_set1_pd(period)), kTruncate);
    u = _mm256_sub_pd(u, _mm256_mul_pd(periods, _mm256_set1_pd(period)));
  }
  u = _mm256_mul_pd(u, _mm256_set1_pd(size));
  u = _mm256_and_pd(u, _mm256_cmp_pd(u, u, _CMP_ORD_Q));
  u = _mm256_max_pd(u, _mm256_set1_pd(-kFarthestTexel));
  u = _mm256_min_pd(u, _mm256_set1_pd(kFarthestTexel));
  if (takes_whole) u = _mm256_floor_pd(u);
  return _mm256_cvtpd_epi32(_mm256_mul_pd(u, _mm256_set1_pd(256)));
}

void FindFixedPoints(const ImagePlan& plan, int axis, const uint32_t (&coordinates)[kImageLanes],
                     LaneDwords& fixed) {
  const ImageSampler& sampler = plan.operation.sampler;
  const bool takes_whole = !plan.is_linear && sampler.truncates;
  const double size = plan.operation.resource.SizeOf(axis);
  const AddressMode mode = sampler.address[axis];
  const double period = mode == AddressMode::kWrap ? 1 : mode == AddressMode::kMirror ? 2 : 0;
  ForEachEight([&](int l) {
    const __m256 u = _mm256_load_ps(reinterpret_cast<const float*>(coordinates + l));
    if (sampler.unnormalized) return PutEight(fixed, l, FixedPointsOfTexels(u, takes_whole));
    const auto four = [&](__m128 of) {
      return FixedPointsOfSizes(_mm256_cvtps_pd(of), size, period, takes_whole);
    };
    PutEight(fixed, l,
             _mm256_set_m128i(four(_mm256_extractf128_ps(u, 1)), four(_mm256_castps256_ps128(u))));
  });
}

// Of a number that is at most a period and one below it, or one above: what clamping leaves as it
// is, or makes the only texel.
inline int32_t InPeriod(int32_t number, int32_t period) {
  number += number < 0 ? period : 0;
  number += number < 0 ? period : 0;
  number -= number >= period ? period : 0;
  return number;
}

void FindNeighbours(const ImagePlan& plan, int axis, int n, const LaneDwords& first,
                    AxisLanes& lanes) {
  const AddressMode mode = plan.operation.sampler.address[axis];
  const auto size = static_cast<int32_t>(plan.operation.resource.SizeOf(axis));
  const uint32_t stride = plan.strides[axis];
  const bool has_border = mode >= AddressMode::kClampBorder;
  const auto find = [&](auto inside) {
#pragma GCC ivdep
    for (int lane = 0; lane < kImageLanes; ++lane) {
      const int32_t number = inside(static_cast<int32_t>(first.at[lane]) + n);
      const int32_t low = number > 0 ? number : 0;
      const int32_t index = low < size ? low : size - 1;
      lanes.offsets[n].at[lane] = static_cast<uint32_t>(index) * stride;
      lanes.is_border[n].at[lane] = has_border && index != number ? ~0u : 0;
    }
  };
  switch (mode) {
    case AddressMode::kWrap: return find([size](int32_t i) { return InPeriod(i, size); });
    case AddressMode::kMirror:
      return find([size](int32_t i) {
        const int32_t number = InPeriod(i, 2 * size);
        return number < size ? number : 2 * size - 1 - number;
      });
    case AddressMode::kMirrorOnceLastTexel:
    case AddressMode::kMirrorOnceBorder: return find([](int32_t i) { return i < 0 ? -1 - i : i; });
    default: return find([](int32_t i) { return i; });
  }
}

// Lanes that `exec` leaves out count nothing.
void FindAxisLanes(const ImagePlan& plan, int axis, const uint32_t (&coordinates)[kImageLanes],
                   uint64_t exec, AxisLanes& lanes) {
  LaneDwords fixed;
  FindFixedPoints(plan, axis, coordinates, fixed);
  const bool is_linear = plan.is_linear;
  const __m256i half = EightDwords(is_linear ? 128 : 0);
  const __m256i fraction = EightDwords(is_linear ? 255 : 0);
  LaneDwords first;
  ForEachEight([&](int l) {
    const __m256i at = _mm256_sub_epi32(EightOf(fixed, l), half);
    PutEight(first, l, _mm256_srai_epi32(at, 8));
    PutEight(lanes.second, l, _mm256_and_si256(at, fraction));
  });
  lanes.blends = false;
  for (uint64_t left = is_linear ? exec : 0; left != 0 && !lanes.blends; left &= left - 1) {
    lanes.blends = lanes.second.at[std::countr_zero(left)] != 0;
  }
  FindNeighbours(plan, axis, 0, first, lanes);
  if (lanes.blends) FindNeighbours(plan, axis, 1, first, lanes);
}

void FindLayerLanes(const ImagePlan& plan, const uint32_t (&coordinates)[kImageLanes],
                    LaneDwords& offsets) {
  const double last = plan.operation.resource.layers - 1;
  const uint32_t stride = plan.strides[2];
#pragma GCC ivdep
  for (int lane = 0; lane < kImageLanes; ++lane) {
    const double rounded =
        std::nearbyint(static_cast<double>(std::bit_cast<float>(coordinates[lane])));
    const double positive = rounded > 0 ? rounded : 0;
    offsets.at[lane] =
        static_cast<uint32_t>(static_cast<int32_t>(positive < last ? positive : last)) * stride;
  }
}

}  // namespace

void FindSampleLanes(const Wave& w, const ImagePlan& plan, SampleLanes& lanes) {
  const ImageOperation& o = plan.operation;
  const int axes = o.resource.Axes();
  for (int axis = 0; axis < axes; ++axis) {
    LaneDwords halves;
    FindAxisLanes(plan, axis, AddressLanes(w, o, axis, halves), w.exec(), lanes.axes[axis]);
    if (lanes.axes[axis].blends) lanes.blending |= 1u << axis;
  }
  lanes.has_layers = o.resource.IsLayered();
  if (lanes.has_layers) {
    LaneDwords halves;
    FindLayerLanes(plan, AddressLanes(w, o, axes, halves), lanes.layers);
  }
}

double BlendScale(const SampleLanes& lanes) {
  return 1.0 / static_cast<double>(1u << 8 * std::popcount(lanes.blending));
}

}  // namespace gcnjit::runtime
