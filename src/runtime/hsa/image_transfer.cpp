#include "runtime/hsa/image_transfer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "runtime/image/texel.h"

namespace gcnjit::hsa {
namespace {

// f(row of the region, slice of the region)
template <typename F>
void ForEachRow(const hsa_dim3_t& range, F f) {
  for (uint64_t z = 0; z < range.z; ++z) {
    for (uint64_t y = 0; y < range.y; ++y) f(y, z);
  }
}

RegionPitch PitchOf(const HsaImage& image, const hsa_dim3_t& range, RegionPitch pitch) {
  if (pitch.row == 0) pitch.row = uint64_t{range.x} * image.format.bytes;
  if (pitch.slice == 0) pitch.slice = pitch.row * range.y;
  return pitch;
}

// IEC 61966-2-1: clearing takes linear values, as kernels write them.
float SrgbOfLinear(float linear) {
  const double value = linear > 0 ? std::min<double>(linear, 1.0) : 0.0;
  return static_cast<float>(value <= 0.0031308 ? value * 12.92
                                               : 1.055 * std::pow(value, 1 / 2.4) - 0.055);
}

}  // namespace

bool HoldsRegion(const HsaImage& image, const hsa_dim3_t& offset, const hsa_dim3_t& range) {
  const uint64_t begins[] = {offset.x, offset.y, offset.z};
  const uint64_t counts[] = {range.x, range.y, range.z};
  // Layers of a 1D array are the second coordinate.
  const bool is_1d_array = image.descriptor.geometry == HSA_EXT_IMAGE_GEOMETRY_1DA;
  const uint64_t sizes[] = {image.SizeOf(0), is_1d_array ? image.SizeOf(2) : image.SizeOf(1),
                            is_1d_array ? 1 : image.SizeOf(2)};
  for (int axis = 0; axis < 3; ++axis) {
    if (counts[axis] == 0 || begins[axis] + counts[axis] > sizes[axis]) return false;
  }
  return true;
}

void ExportRegion(const HsaImage& image, const hsa_ext_image_region_t& region, std::byte* memory,
                  RegionPitch pitch) {
  pitch = PitchOf(image, region.range, pitch);
  const hsa_dim3_t& at = region.offset;
  ForEachRow(region.range, [&](uint64_t y, uint64_t z) {
    std::memcpy(memory + z * pitch.slice + y * pitch.row, image.At(at.x, at.y + y, at.z + z),
                uint64_t{region.range.x} * image.format.bytes);
  });
}

void ImportRegion(const HsaImage& image, const hsa_ext_image_region_t& region,
                  const std::byte* memory, RegionPitch pitch) {
  pitch = PitchOf(image, region.range, pitch);
  const hsa_dim3_t& at = region.offset;
  ForEachRow(region.range, [&](uint64_t y, uint64_t z) {
    std::memcpy(image.At(at.x, at.y + y, at.z + z), memory + z * pitch.slice + y * pitch.row,
                uint64_t{region.range.x} * image.format.bytes);
  });
}

void CopyRegion(const HsaImage& from, const hsa_dim3_t& from_offset, const HsaImage& to,
                const hsa_dim3_t& to_offset, const hsa_dim3_t& range) {
  ForEachRow(range, [&](uint64_t y, uint64_t z) {
    std::memmove(to.At(to_offset.x, to_offset.y + y, to_offset.z + z),
                 from.At(from_offset.x, from_offset.y + y, from_offset.z + z),
                 uint64_t{range.x} * from.format.bytes);
  });
}

hsa_status_t ClearRegion(const HsaImage& image, const hsa_ext_image_region_t& region,
                         const uint32_t (&value)[4]) {
  constexpr uint32_t kAllComponents = 15;
  constexpr uint8_t kUnorm = 0;
  const bool is_srgb =
      image.format.number_format == static_cast<uint8_t>(runtime::NumberFormat::kSrgb);
  runtime::ImageResource resource;
  std::copy_n(image.format.dst_sel, 4, resource.dst_sel);
  if (runtime::DecodeImageFormat(image.format.data_format,
                                 is_srgb ? kUnorm : image.format.number_format,
                                 /*is_store=*/true, &resource.format) != nullptr) {
    return ImageStatus(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
  }
  const runtime::StoredComponents stored =
      FindStoredComponents(resource.format, resource.dst_sel, kAllComponents);
  uint32_t element[4] = {};
  for (int n = 0; n < resource.format.components; ++n) {
    if (!stored.is_given[n]) continue;
    uint32_t component = value[stored.source[n]];
    if (is_srgb && n < 3) {
      component = std::bit_cast<uint32_t>(SrgbOfLinear(std::bit_cast<float>(component)));
    }
    PackComponent(resource.format, n, component, element);
  }
  const hsa_dim3_t& at = region.offset;
  ForEachRow(region.range, [&](uint64_t y, uint64_t z) {
    for (uint64_t x = 0; x < region.range.x; ++x) {
      std::memcpy(image.At(at.x + x, at.y + y, at.z + z), element, image.format.bytes);
    }
  });
  return HSA_STATUS_SUCCESS;
}

}  // namespace gcnjit::hsa
