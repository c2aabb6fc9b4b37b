#include "runtime/hsa/images.h"

#include <algorithm>
#include <cstring>

#include "runtime/image/image_words.h"

namespace gcnjit::hsa {

using runtime::AddressMode;
using runtime::ImageShape;
using runtime::ImageType;
using runtime::kImageAlignment;

namespace {

ImageType TypeOf(uint32_t geometry) {
  switch (geometry) {
    case HSA_EXT_IMAGE_GEOMETRY_1D: return ImageType::k1d;
    case HSA_EXT_IMAGE_GEOMETRY_3D: return ImageType::k3d;
    case HSA_EXT_IMAGE_GEOMETRY_1DA: return ImageType::k1dArray;
    case HSA_EXT_IMAGE_GEOMETRY_2DA:
    case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH: return ImageType::k2dArray;
    default: return ImageType::k2d;
  }
}

bool IsWithin(uint64_t size, uint64_t limit) { return std::max<uint64_t>(size, 1) <= limit; }

uint64_t RoundUpToPitch(uint64_t bytes) {
  return (bytes + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
}

std::optional<AddressMode> ModeOf(uint32_t mode) {
  switch (mode) {
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED:
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT: return AddressMode::kWrap;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE: return AddressMode::kClampLastTexel;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER: return AddressMode::kClampBorder;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT: return AddressMode::kMirror;
    default: return std::nullopt;
  }
}

void WriteWords(const HsaImage& image, uint32_t (&words)[8]) {
  const hsa_ext_image_descriptor_t& d = image.descriptor;
  ImageShape shape;
  shape.base = reinterpret_cast<uint64_t>(image.data);
  shape.type = TypeOf(d.geometry);
  shape.width = static_cast<uint32_t>(image.SizeOf(0));
  shape.data_format = image.format.data_format;
  shape.number_format = image.format.number_format;
  std::copy_n(image.format.dst_sel, 4, shape.dst_sel);
  const frontend::Generation generation = image.agent->gpu->generation();
  if (d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) {
    return EncodeBufferImage(generation, shape, image.format.bytes, words);
  }
  shape.height = static_cast<uint32_t>(image.SizeOf(1));
  shape.depth = static_cast<uint32_t>(std::max<uint64_t>(d.depth, 1));
  shape.layers = static_cast<uint32_t>(std::max<uint64_t>(d.array_size, 1));
  shape.pitch = static_cast<uint32_t>(image.layout.row_pitch / image.format.bytes);
  EncodeImageResource(generation, shape, words);
}

}  // namespace

uint64_t HsaImage::SizeOf(int axis) const {
  const uint64_t sizes[] = {descriptor.width, descriptor.height,
                            std::max(descriptor.depth, descriptor.array_size)};
  return std::max<uint64_t>(sizes[axis], 1);
}

hsa_status_t LayoutOf(const hsa_ext_image_descriptor_t& d, uint64_t row_pitch, uint64_t slice_pitch,
                      ImageLayout* layout) {
  const hsa_status_t kNoFormat = ImageStatus(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  const hsa_status_t kNoSize = ImageStatus(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
  const hsa_status_t kNoPitch = ImageStatus(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
  const ImageFormat format = ImageFormatOf(d.format, d.geometry);
  if (format.capability == 0) return kNoFormat;
  const ImageLimits limits = LimitsOf(d.geometry);
  if (d.width == 0 || !IsWithin(d.width, limits.width) || !IsWithin(d.height, limits.height) ||
      !IsWithin(d.depth, limits.depth) || !IsWithin(d.array_size, limits.layers)) {
    return kNoSize;
  }
  const uint64_t row = d.width * uint64_t{format.bytes};
  if (d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) {
    if (row > UINT32_MAX) return kNoSize;
    *layout = {row, row, row};
    return HSA_STATUS_SUCCESS;
  }
  if (row_pitch == 0) row_pitch = RoundUpToPitch(row);
  // A pitch has 14 bits before gfx9, and slices follow each other without a gap.
  if (row_pitch < row || row_pitch % format.bytes != 0 ||
      row_pitch / format.bytes > LimitsOf(HSA_EXT_IMAGE_GEOMETRY_2D).width) {
    return kNoPitch;
  }
  const uint64_t slice = row_pitch * std::max<uint64_t>(d.height, 1);
  if (slice_pitch != 0 && slice_pitch != slice) return kNoPitch;
  const uint64_t slices = std::max<uint64_t>({d.depth, d.array_size, 1});
  *layout = {row_pitch, slice, slice * slices};
  return HSA_STATUS_SUCCESS;
}

uint64_t ImageTable::TakeObject() {
  if (free_.empty()) {
    constexpr uint64_t kPage = runtime::GuestMemory::kPageBytes;
    const Result<uint64_t> page = memory_.Allocate(kPage, "images and samplers");
    if (!page) return 0;
    for (uint64_t at = kPage; at > 0; at -= kObjectBytes) {
      free_.push_back(page.value() + at - kObjectBytes);
    }
  }
  const uint64_t object = free_.back();
  free_.pop_back();
  std::memset(reinterpret_cast<void*>(object), 0, kObjectBytes);
  return object;
}

hsa_status_t ImageTable::Create(const HsaImage& image, hsa_ext_image_t* handle) {
  uint32_t words[8];
  WriteWords(image, words);
  const std::scoped_lock lock(mutex_);
  const uint64_t object = TakeObject();
  if (object == 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  auto* const to = reinterpret_cast<uint32_t*>(object);
  std::copy_n(words, 8, to);
  to[8] = image.descriptor.format.channel_type;
  to[9] = image.descriptor.format.channel_order;
  to[10] = static_cast<uint32_t>(image.descriptor.width);
  images_[object] = image;
  handle->handle = object;
  return HSA_STATUS_SUCCESS;
}

bool ImageTable::Destroy(hsa_ext_image_t handle) {
  const std::scoped_lock lock(mutex_);
  if (images_.erase(handle.handle) == 0) return false;
  free_.push_back(handle.handle);
  return true;
}

std::optional<HsaImage> ImageTable::Find(hsa_ext_image_t handle) const {
  const std::scoped_lock lock(mutex_);
  const auto found = images_.find(handle.handle);
  if (found == images_.end()) return std::nullopt;
  return found->second;
}

hsa_status_t ImageTable::Create(const Agent& agent, uint32_t coordinate_mode, uint32_t filter_mode,
                                const uint32_t (&address_modes)[3], hsa_ext_sampler_t* handle) {
  runtime::SamplerShape shape;
  for (int axis = 0; axis < 3; ++axis) {
    const std::optional<AddressMode> mode = ModeOf(address_modes[axis]);
    if (!mode) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    shape.address[axis] = *mode;
  }
  if (filter_mode > HSA_EXT_SAMPLER_FILTER_MODE_LINEAR ||
      coordinate_mode > HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  shape.unnormalized = coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED;
  shape.linear = filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR;
  uint32_t words[4];
  EncodeImageSampler(shape, words);
  const std::scoped_lock lock(mutex_);
  const uint64_t object = TakeObject();
  if (object == 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  std::copy_n(words, 4, reinterpret_cast<uint32_t*>(object));
  samplers_[object] = &agent;
  handle->handle = object;
  return HSA_STATUS_SUCCESS;
}

bool ImageTable::Destroy(hsa_ext_sampler_t handle) {
  const std::scoped_lock lock(mutex_);
  if (samplers_.erase(handle.handle) == 0) return false;
  free_.push_back(handle.handle);
  return true;
}

}  // namespace gcnjit::hsa
