// What _C does: each texel becomes 1 if the reference value compares with it as the sampler says,
// or else 0; a filter then blends these.
//
// Sources: CLRX GcnMemHandling.md, GcnInstrsMimg.md (the first component; float images only);
// Direct3D shader model 4 sample_c (the reference on the left, texel by texel before the filter,
// one result, no volumes); Vulkan specification, "Depth Compare Operation" (after the border,
// before the swizzle). Codes: ROCR-Runtime resource_kv.h, PAL gfx6Device.cpp (1 to 6 are LESS to
// GREATEREQUAL, as in Vulkan). DMASK: LLPC ImageBuilder.cpp, Mesa ACO visit_tex (1).
//
// Components of less than 32 bits: Direct3D rounds the reference to the format, OpenGL 4.5 8.23.1
// only clamps it to 0 and 1. DST_SEL's constants: Mesa does not vouch for them (radv,
// depthStencilSwizzleOneSupport).
#pragma once

#include <string>

#include "runtime/image/texel.h"

namespace gcnjit::runtime {

// "", or why the image can't be compared.
std::string CheckDepthCompare(const ImageResource& resource, uint32_t dmask);

// NaN is unordered.
bool DepthCompares(DepthCompare compare, float reference, float texel);

// Of a texel's components those that are the first of the image.
void CompareTexel(DepthCompare compare, float reference, TexelValue& value);

}  // namespace gcnjit::runtime
