// Descriptors of linear images, of buffers with a format, and of samplers, as words: what
// DecodeImageResource, DecodeBufferResource and DecodeImageSampler read.
//
// Sources: ROCR-Runtime image_manager_kv.cpp, image_manager_ai.cpp (PopulateImageSrd,
// PopulateSamplerSrd).
#pragma once

#include <cstdint>

#include "runtime/image/image_sampler.h"

namespace gcnjit::runtime {

struct ImageShape {
  uint64_t base = 0;  // a multiple of 256
  ImageType type = ImageType::k2d;
  uint32_t width = 1;
  uint32_t height = 1;
  uint32_t depth = 1;
  uint32_t layers = 1;
  uint32_t pitch = 1;  // in texels
  uint8_t data_format = 0;
  uint8_t number_format = 0;
  uint8_t dst_sel[4] = {};
};
inline constexpr uint64_t kImageAlignment = 256;

void EncodeImageResource(frontend::Generation generation, const ImageShape& shape,
                         uint32_t (&words)[8]);

// `bytes` an element; of the shape the base, width and format count.
void EncodeBufferImage(frontend::Generation generation, const ImageShape& shape, uint32_t bytes,
                       uint32_t (&words)[8]);

struct SamplerShape {
  AddressMode address[3] = {};
  bool unnormalized = false;
  bool linear = false;
};
void EncodeImageSampler(const SamplerShape& shape, uint32_t (&words)[4]);

}  // namespace gcnjit::runtime
