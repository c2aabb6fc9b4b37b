#include "runtime/image/depth_compare.h"

#include <bit>

namespace gcnjit::runtime {

std::string CheckDepthCompare(const ImageResource& r, uint32_t dmask) {
  if (r.format.number != NumberFormat::kFloat || r.format.bits[0] != 32) {
    return "depth comparison of an image whose DATA_FORMAT and NUM_FORMAT (word 1) are not FLOAT "
           "of 32 bits: documents disagree about what becomes of the reference; use 4 and 7";
  }
  if (r.type == ImageType::k3d) {
    return "depth comparison in an image whose TYPE (word 3) is 3D has no documented result; use "
           "a 2D array";
  }
  for (int n = 0; n < 4; ++n) {
    if ((dmask >> n & 1) != 0 && r.dst_sel[n] != kSelectX) {
      return "depth comparison where DST_SEL (word 3) of a component that DMASK names is not 4 "
             "has no documented result; make DMASK 1 and DST_SEL_X 4";
    }
  }
  return {};
}

bool DepthCompares(DepthCompare compare, float reference, float texel) {
  switch (compare) {
    case DepthCompare::kNever: return false;
    case DepthCompare::kLess: return reference < texel;
    case DepthCompare::kEqual: return reference == texel;
    case DepthCompare::kLessEqual: return reference <= texel;
    case DepthCompare::kGreater: return reference > texel;
    case DepthCompare::kNotEqual: return reference != texel;
    case DepthCompare::kGreaterEqual: return reference >= texel;
    case DepthCompare::kAlways: return true;
  }
  return false;
}

void CompareTexel(DepthCompare compare, float reference, TexelValue& value) {
  for (uint32_t& component : value) {
    const bool is_true = DepthCompares(compare, reference, std::bit_cast<float>(component));
    component = std::bit_cast<uint32_t>(is_true ? 1.0f : 0.0f);
  }
}

}  // namespace gcnjit::runtime
