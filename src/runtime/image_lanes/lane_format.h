// Texels of a wave's lanes between memory and registers: what UnpackComponent and PackComponent
// (runtime/image) do with one.
#pragma once

#include "runtime/image/element_format.h"
#include "runtime/image_lanes/lane_vectors.h"

namespace gcnjit::runtime {

// Neither scaled nor small floats.
bool HasLaneFormat(const ElementFormat& format);

struct LaneElements {
  LaneDwords dwords[4];
};

// The elements at `base` + `offsets`: readable for all lanes.
void LoadLanes(const ElementFormat& format, uint64_t base, const LaneDwords& offsets,
               LaneElements& elements);
// Those of the lanes in `mask`, in ascending order.
void StoreLanes(const ElementFormat& format, uint64_t base, const LaneDwords& offsets,
                uint64_t mask, const LaneElements& elements);

// MXCSR must round to nearest and keep denormals.
void UnpackLanes(const ElementFormat& format, int n, const LaneElements& elements,
                 LaneDwords& values);
// Into elements that are 0 there.
void PackLanes(const ElementFormat& format, int n, const uint32_t (&values)[kImageLanes],
               LaneElements& elements);

}  // namespace gcnjit::runtime
