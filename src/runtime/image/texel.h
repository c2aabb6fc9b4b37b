// A texel's values: from memory through DST_SEL to what instructions load, blended or not, and
// back.
//
// Sources: CDNA3 ISA 9.1.4 (DST_SEL, components that are missing); ROCR-Runtime image_lut_kv.cpp
// (channel orders are DST_SEL; they can be stored, so stores go through it the other way); OpenCL C
// specification 6.15.15 (filters blend converted values; sRGB is converted first). How hardware
// rounds a blend is not documented: here it is exact, and rounded to f32 once; a NaN is 0xFFC00000.
#pragma once

#include <cstdint>

#include "runtime/image/footprint.h"

namespace gcnjit::runtime {

using TexelValue = uint32_t[4];
inline constexpr uint32_t kBlendedNan = 0xFFC00000;

// MXCSR must round to nearest (FloatClass::kNearest).
void LoadedTexel(const ImageResource& resource, const uint32_t* element, TexelValue& value);
void BorderTexel(const ImageResource& resource, const ImageSampler& sampler, TexelValue& value);
// What loads give where there is no texel: 0, but DST_SEL's 1.
void AbsentTexel(const ImageResource& resource, TexelValue& value);

class TexelBlend {
 public:
  void Add(const TexelValue& value, uint64_t weight);
  // `whole`: what the weights are together.
  void Result(uint64_t whole, TexelValue& value) const;

 private:
  double sum_[4] = {};
};

// Which of an instruction's values go to the components in memory. A component that DMASK leaves
// out becomes 0 (LLVM AMDGPU.td, FeatureDefaultComponentZero: compilers leave zeros out; Mesa ACO
// visit_image_store). So does one that DST_SEL does not name: OpenCL's CL_RGB of 10 bits leaves two
// bits undefined (API specification 5.3.1.1), and ROCR-Runtime stores it as 2_10_10_10 without W.
struct StoredComponents {
  uint8_t source[4] = {};
  bool is_given[4] = {};
};
StoredComponents FindStoredComponents(const ElementFormat& format, const uint8_t (&dst_sel)[4],
                                      uint32_t dmask);

}  // namespace gcnjit::runtime
