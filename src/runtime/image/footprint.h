// Which texels a sample is made of, and how much each counts.
//
// Sources: OpenCL C specification 6.15.15 "Image addressing and filtering" (formulas); CLRX
// GcnMemHandling.md ("Threshold of coordinates ... are 1/256 of distance between pixels"),
// GcnInstrsMimg.md (order of IMAGE_GATHER4); Direct3D 11.3 functional specification 7.18 (8 bits of
// fraction, rounded; addressing of texel numbers), 7.18.10 (levels: a level of detail is rounded to
// 1/256; the nearest level is the whole part of it and 1/2). Where texels meet, nearest filters
// round to 1/256 unless TRUNC_COORD is set: ROCm's device library relies on that (ockl image.cl: it
// moves coordinates of nearest filters down to a texel's edge).
//
// Cubes, if their faces are images by themselves: coordinates from 1 to 2 (Mesa ac_nir_lower_tex,
// LLPC ImageBuilder.cpp, shadPS4 FixCubeCoords), the face's number after them, and 8 for each cube
// of an array before (the same, and ROCm's device library); DISABLE_CUBE_WRAP: PAL gfx6Device.cpp
// and Mesa si_create_sampler_state (not seamless), Vulkan's VK_EXT_non_seamless_cube_map (address
// modes as in 2D).
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
  uint32_t level = 0;
  uint64_t weight = kWholeWeight;  // of the footprint's whole
  bool is_border = false;          // no texel: the sampler's border
};

struct Footprint {
  SampledTexel texels[16];
  int count = 0;
  uint64_t whole = kWholeWeight;
};

inline constexpr uint32_t kFacesOfCube = 6;
// The number of a face, with its cube's, rounded: the face alone. From kFacesOfCube on there is
// none.
uint32_t FaceOf(float coordinate);

struct SamplePoint {
  float coordinates[3] = {};  // the layer of an array, or face of a cube, after its axes
  int32_t offsets[3] = {};    // in texels
};

// MXCSR must round to nearest (FloatClass::kNearest). Texels that count nothing are left out.
// `lod`, in 1/256 and limited, says which levels: the nearest, or the two that it is between.
Footprint SampleFootprint(const ImageResource& resource, const ImageSampler& sampler,
                          const SamplePoint& point, bool linear, double lod);

// The four texels that a linear filter would blend in a plane, as IMAGE_GATHER4 returns them; or,
// not linear, the nearest texel, and those to the right of it and below.
Footprint GatherFootprint(const ImageResource& resource, const ImageSampler& sampler,
                          const SamplePoint& point, bool linear);

}  // namespace gcnjit::runtime
