#include "runtime/image/image_words.h"

#include <algorithm>

namespace gcnjit::runtime {
namespace {

uint32_t DstSelWord(const uint8_t (&dst_sel)[4]) {
  uint32_t word = 0;
  for (int n = 0; n < 4; ++n) word |= uint32_t{dst_sel[n]} << 3 * n;
  return word;
}

}  // namespace

void EncodeImageResource(frontend::Generation generation, const ImageShape& s,
                         uint32_t (&words)[8]) {
  const bool gfx9 = frontend::IsGfx9(generation);
  std::fill(std::begin(words), std::end(words), 0);
  words[0] = static_cast<uint32_t>(s.base >> 8);
  words[1] = static_cast<uint32_t>(s.base >> 40 & 0xFF) | uint32_t{s.data_format} << 20 |
             uint32_t{s.number_format} << 26;
  words[2] = (s.width - 1) | (s.height - 1) << 14;
  words[3] = DstSelWord(s.dst_sel) | (gfx9 ? 0 : kLinearTilingIndex << 20) |
             static_cast<uint32_t>(s.type) << 28;
  words[4] = (std::max(s.depth, s.layers) - 1) | (s.pitch - 1) << 13;
  if (!gfx9) words[5] = (s.layers - 1) << 13;
}

void EncodeBufferImage(frontend::Generation generation, const ImageShape& s, uint32_t bytes,
                       uint32_t (&words)[8]) {
  std::fill(std::begin(words), std::end(words), 0);
  words[0] = static_cast<uint32_t>(s.base);
  words[1] = static_cast<uint32_t>(s.base >> 32 & 0xFFFF) | bytes << 16;
  // NUM_RECORDS counts elements, but bytes where only swizzled buffers have them counted.
  const bool counts_bytes = frontend::Has(generation, frontend::kRecordsIfSwizzled);
  words[2] = s.width * (counts_bytes ? bytes : 1);
  words[3] =
      DstSelWord(s.dst_sel) | uint32_t{s.number_format} << 12 | uint32_t{s.data_format} << 15;
}

void EncodeImageSampler(const SamplerShape& s, uint32_t (&words)[4]) {
  constexpr uint32_t kHighestLod = 0xFFF;
  constexpr uint32_t kBothLinear = 5;
  words[0] = s.unnormalized ? 1u << 15 : 0;
  for (int axis = 0; axis < 3; ++axis) {
    words[0] |= static_cast<uint32_t>(s.address[axis]) << 3 * axis;
  }
  words[1] = kHighestLod << 12;
  words[2] = s.linear ? kBothLinear << 20 : 0;
  words[3] = 0;
}

}  // namespace gcnjit::runtime
