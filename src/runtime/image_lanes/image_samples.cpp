#include "runtime/image_lanes/image_samples.h"

#include "runtime/image_lanes/byte_samples.h"
#include "runtime/image_lanes/lane_registers.h"
#include "runtime/image_lanes/lane_sampling.h"

namespace gcnjit::runtime {
namespace {

struct Corner {
  LaneDwords offsets;
  LaneDwords is_border;
  LaneDwords counts;  // all ones: the weight is not 0
  LaneSums weights;
};

void FindCorner(const SampleLanes& lanes, int axes, uint32_t which, Corner& corner) {
  ForEachEight([&](int l) {
    const EightCorners eight = FindEightCorners(lanes, axes, which, l);
    PutEight(corner.offsets, l, eight.offsets);
    PutEight(corner.is_border, l, eight.is_border);
    if (lanes.blending == 0) return;
    PutEight(corner.counts, l, _mm256_cmpgt_epi32(eight.weights, _mm256_setzero_si256()));
    _mm256_store_pd(corner.weights.at + l,
                    _mm256_cvtepi32_pd(_mm256_castsi256_si128(eight.weights)));
    _mm256_store_pd(corner.weights.at + l + 4,
                    _mm256_cvtepi32_pd(_mm256_extracti128_si256(eight.weights, 1)));
  });
}

void SelectBorder(const LaneDwords& is_border, uint32_t border, LaneDwords& values) {
  ForEachEight([&](int l) {
    PutEight(values, l,
             _mm256_blendv_epi8(EightOf(values, l), EightDwords(border), EightOf(is_border, l)));
  });
}

// One eight of values after another: 1.0 where the reference, on the left, compares with them.
template <int kPredicate>
void CompareEights(const uint32_t (&references)[kImageLanes], LaneDwords& values) {
  ForEachEight([&](int l) {
    const __m256 reference = _mm256_load_ps(reinterpret_cast<const float*>(references + l));
    const __m256 texel = _mm256_castsi256_ps(EightOf(values, l));
    const __m256 passes = _mm256_cmp_ps(reference, texel, kPredicate);
    PutEight(values, l, _mm256_castps_si256(_mm256_and_ps(passes, _mm256_set1_ps(1))));
  });
}

// As CompareTexel (runtime/image).
void CompareLanes(DepthCompare compare, const uint32_t (&references)[kImageLanes],
                  LaneDwords& values) {
  switch (compare) {
    case DepthCompare::kNever: return CompareEights<_CMP_FALSE_OQ>(references, values);
    case DepthCompare::kLess: return CompareEights<_CMP_LT_OQ>(references, values);
    case DepthCompare::kEqual: return CompareEights<_CMP_EQ_OQ>(references, values);
    case DepthCompare::kLessEqual: return CompareEights<_CMP_LE_OQ>(references, values);
    case DepthCompare::kGreater: return CompareEights<_CMP_GT_OQ>(references, values);
    case DepthCompare::kNotEqual: return CompareEights<_CMP_NEQ_UQ>(references, values);
    case DepthCompare::kGreaterEqual: return CompareEights<_CMP_GE_OQ>(references, values);
    case DepthCompare::kAlways: return CompareEights<_CMP_TRUE_UQ>(references, values);
  }
}

// The sums begin as +0. Products are exact, so that it does not matter that they are not rounded.
void AddToBlend(const LaneDwords& values, const Corner& corner, bool is_first, LaneSums& sums) {
  ForEachEight([&](int l) {
    // An infinity that does not count is none.
    const __m256 value =
        _mm256_castsi256_ps(_mm256_and_si256(EightOf(values, l), EightOf(corner.counts, l)));
    const auto add = [&](int from, __m128 four) {
      double* const sum = sums.at + from;
      const __m256d before = is_first ? _mm256_setzero_pd() : _mm256_load_pd(sum);
      const __m256d weight = _mm256_load_pd(corner.weights.at + from);
      _mm256_store_pd(sum, _mm256_fmadd_pd(_mm256_cvtps_pd(four), weight, before));
    };
    add(l, _mm256_castps256_ps128(value));
    add(l + 4, _mm256_extractf128_ps(value, 1));
  });
}

// Lanes with one texel have its value as it is.
void FinishBlend(const LaneDwords& is_blended, double scale, const LaneSums& sums,
                 LaneDwords& values) {
  const __m256d scale4 = _mm256_set1_pd(scale);
  ForEachEight([&](int l) {
    const __m128 low = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_load_pd(sums.at + l), scale4));
    const __m128 high = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_load_pd(sums.at + l + 4), scale4));
    const __m256 blended = _mm256_set_m128(high, low);
    const __m256 is_nan = _mm256_cmp_ps(blended, blended, _CMP_UNORD_Q);
    const __m256i bits = _mm256_blendv_epi8(_mm256_castps_si256(blended), EightDwords(kBlendedNan),
                                            _mm256_castps_si256(is_nan));
    const __m256i is_single = _mm256_cmpeq_epi32(EightOf(is_blended, l), _mm256_setzero_si256());
    PutEight(values, l, _mm256_blendv_epi8(bits, EightOf(values, l), is_single));
  });
}

}  // namespace

void SampleImage(Wave& w, const Instruction& i, const ImagePlan& plan) {
  const ImageOperation& o = plan.operation;
  const ImageResource& r = o.resource;
  const int axes = r.Axes();
  const auto dmask = static_cast<uint32_t>(i.imm);
  SampleLanes lanes;
  FindSampleLanes(w, plan, lanes);
  if (HasBytes(plan)) return SampleBytes(w, i, plan, lanes);
  TexelValue border;
  BorderTexel(r, o.sampler, border);

  LaneDwords first[4];  // values of the texels that count anywhere
  LaneSums sums[4];
  Corner corner;
  LaneElements elements;
  for (uint32_t which = 0; which <= lanes.blending; ++which) {
    if ((which & ~lanes.blending) != 0) continue;
    FindCorner(lanes, axes, which, corner);
    LoadLanes(r.format, plan.begin, corner.offsets, elements);
    ForEachComponent(dmask, [&](int c) {
      LaneDwords other;
      LaneDwords& values = which == 0 ? first[c] : other;
      SelectLanes(r, c, elements, values);
      if (plan.has_border) SelectBorder(corner.is_border, border[c], values);
      if (o.form.compares) CompareLanes(o.sampler.compare, w.state.vgpr[o.reference], values);
      if (lanes.blending != 0) AddToBlend(values, corner, which == 0, sums[c]);
    });
  }

  if (lanes.blending != 0) {
    LaneDwords is_blended = {};
    for (int axis = 0; axis < axes; ++axis) {
      if ((lanes.blending >> axis & 1) == 0) continue;
      for (int lane = 0; lane < kImageLanes; ++lane) {
        is_blended.at[lane] |= lanes.axes[axis].second.at[lane];
      }
    }
    const double scale = BlendScale(lanes);
    ForEachComponent(dmask, [&](int c) { FinishBlend(is_blended, scale, sums[c], first[c]); });
  }
  LaneResults results(w, i, r.format);
  ForEachComponent(dmask, [&](int c) { results.Put(first[c]); });
}

}  // namespace gcnjit::runtime
