// Which texels a sample is made of, and how much each counts.
//
// Sources: OpenCL C specification 6.15.15 "Image addressing and filtering" (formulas); CLRX
// GcnMemHandling.md ("Threshold of coordinates ... are 1/256 of distance between pixels"),
// GcnInstrsMimg.md (order of IMAGE_GATHER4); Direct3D 11.3 functional specification 7.18 (8 bits of
// fraction, rounded; addressing of texel numbers). Where texels meet, nearest filters round to
// 1/256 unless TRUNC_COORD is set: ROCm's device library relies on that (ockl image.cl: it moves
// coordinates of nearest filters down to a texel's edge).
#pragma once

#include <cstdint>

#include "runtime/image/image_resource.h"
#include "runtime/image/image_sampler.h"

namespace gcnjit::runtime {

inline constexpr uint32_t kWholeWeight = 1u << 24;

struct SampledTexel {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t slice = 0;
  uint32_t weight = kWholeWeight;  // of kWholeWeight
  bool is_border = false;          // no texel: the sampler's border
};

struct Footprint {
  SampledTexel texels[8];
  int count = 0;
};

struct SamplePoint {
  float coordinates[3] = {};  // the layer of an array after its axes
  int32_t offsets[3] = {};    // in texels
};

// MXCSR must round to nearest (FloatClass::kNearest). Texels that count nothing are left out.
Footprint SampleFootprint(const ImageResource& resource, const ImageSampler& sampler,
                          const SamplePoint& point, bool linear);

// The four texels that a linear filter would blend in a plane, as IMAGE_GATHER4 returns them.
Footprint GatherFootprint(const ImageResource& resource, const ImageSampler& sampler,
                          const SamplePoint& point);

}  // namespace gcnjit::runtime
