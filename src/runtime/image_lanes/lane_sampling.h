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

// MXCSR must round to nearest. Lanes that `exec` leaves out count nothing.
void FindAxisLanes(const ImagePlan& plan, int axis, const uint32_t (&coordinates)[kImageLanes],
                   uint64_t exec, AxisLanes& lanes);

// Where the layers begin.
void FindLayerLanes(const ImagePlan& plan, const uint32_t (&coordinates)[kImageLanes],
                    LaneDwords& offsets);

}  // namespace gcnjit::runtime
