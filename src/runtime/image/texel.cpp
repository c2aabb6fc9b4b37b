#include "runtime/image/texel.h"

#include <bit>

namespace gcnjit::runtime {

void LoadedTexel(const ImageResource& r, const uint32_t* element, TexelValue& value) {
  for (int n = 0; n < 4; ++n) {
    const uint8_t select = r.dst_sel[n];
    value[n] = select == kSelectZero  ? 0
               : select == kSelectOne ? OneOf(r.format)
                                      : UnpackComponent(r.format, select - kSelectX, element);
  }
}

void BorderTexel(const ImageResource& r, const ImageSampler& sampler, TexelValue& value) {
  for (int n = 0; n < 4; ++n) {
    const uint8_t select = r.dst_sel[n];
    const bool is_one = select == kSelectOne ||
                        (select != kSelectZero &&
                         (sampler.border == BorderColor::kOpaqueWhite ||
                          (sampler.border == BorderColor::kOpaqueBlack && select == kSelectX + 3)));
    value[n] = is_one ? OneOf(r.format) : 0;
  }
}

void AbsentTexel(const ImageResource& r, TexelValue& value) {
  for (int n = 0; n < 4; ++n) value[n] = r.dst_sel[n] == kSelectOne ? OneOf(r.format) : 0;
}

void TexelBlend::Add(const TexelValue& value, uint64_t weight) {
  for (int n = 0; n < 4; ++n)
    sum_[n] += std::bit_cast<float>(value[n]) * static_cast<double>(weight);
}

void TexelBlend::Result(uint64_t whole, TexelValue& value) const {
  for (int n = 0; n < 4; ++n) {
    const auto blended = static_cast<float>(sum_[n] / static_cast<double>(whole));
    value[n] = blended == blended ? std::bit_cast<uint32_t>(blended) : kBlendedNan;
  }
}

StoredComponents FindStoredComponents(const ElementFormat& format, const uint8_t (&dst_sel)[4],
                                      uint32_t dmask) {
  StoredComponents stored;
  for (int component = 0; component < format.components; ++component) {
    int from = 0;
    while (from < 4 && dst_sel[from] != kSelectX + component) ++from;
    if (from == 4 || (dmask >> from & 1) == 0) continue;
    stored.is_given[component] = true;
    stored.source[component] = static_cast<uint8_t>(std::popcount(dmask & ((1u << from) - 1)));
  }
  return stored;
}

}  // namespace gcnjit::runtime
