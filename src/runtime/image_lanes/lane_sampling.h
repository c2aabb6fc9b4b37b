// Which texels the lanes of a sample blend, and how much each counts: what SampleFootprint
// (runtime/image) says of one lane.
#pragma once

#include "runtime/image_lanes/image_plan.h"
#include "runtime/image_lanes/lane_format.h"

namespace gcnjit::runtime {

// Along one axis: where the two neighbours begin, from the axis's first texel.
struct AxisLanes {
  LaneDwords offsets[2];
  LaneDwords is_border[2];  // all ones: no texel
  LaneDwords second;        // how much the second counts, of 256
  bool blends = false;      // some lane's second counts
};

struct SampleLanes {
  AxisLanes axes[3];
  LaneDwords layers;
  bool has_layers = false;
  uint32_t blending = 0;  // a bit an axis along which some lane blends
};

// MXCSR must round to nearest.
void FindSampleLanes(const Wave& w, const ImagePlan& plan, SampleLanes& lanes);

// What a sum of weighted values is multiplied by.
double BlendScale(const SampleLanes& lanes);

// Of the texels that `which` names, which has a bit an axis: its second neighbour. Eight lanes.
struct EightCorners {
  __m256i offsets;
  __m256i is_border;
  __m256i weights;  // in 1/256 an axis that blends
};
inline EightCorners FindEightCorners(const SampleLanes& lanes, int axes, uint32_t which, int l) {
  EightCorners corners = {lanes.has_layers ? EightOf(lanes.layers, l) : _mm256_setzero_si256(),
                          _mm256_setzero_si256(), EightDwords(1)};
  for (int axis = 0; axis < axes; ++axis) {
    const AxisLanes& of = lanes.axes[axis];
    const uint32_t n = which >> axis & 1;
    corners.offsets = _mm256_add_epi32(corners.offsets, EightOf(of.offsets[n], l));
    corners.is_border = _mm256_or_si256(corners.is_border, EightOf(of.is_border[n], l));
    if ((lanes.blending >> axis & 1) == 0) continue;
    const __m256i second = EightOf(of.second, l);
    const __m256i own = n == 0 ? _mm256_sub_epi32(EightDwords(256), second) : second;
    corners.weights = _mm256_mullo_epi32(corners.weights, own);
  }
  return corners;
}

}  // namespace gcnjit::runtime
