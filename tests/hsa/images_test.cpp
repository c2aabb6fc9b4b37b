// Images and samplers: what they take, what handles point to, and copies between them and memory.
// Formats and limits: ROCR-Runtime image_lut_kv.cpp. Objects: ROCR-Runtime resource.h.
#include <hsa/hsa_ext_image.h>

#include <bit>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

constexpr hsa_ext_image_format_t kRgbaBytes = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8,
                                               HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
constexpr hsa_ext_image_format_t kBgraUnorm = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
                                               HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA};
constexpr hsa_ext_image_format_t kFloat = {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
                                           HSA_EXT_IMAGE_CHANNEL_ORDER_R};

hsa_status_t Extension(uint32_t number) { return std::bit_cast<hsa_status_t>(number); }

hsa_ext_image_descriptor_t Plane(size_t width, size_t height, hsa_ext_image_format_t format) {
  return {HSA_EXT_IMAGE_GEOMETRY_2D, width, height, 0, 0, format};
}

class Images : public HsaTest {
 protected:
  uint32_t CapabilityOf(hsa_ext_image_format_t format,
                        hsa_ext_image_geometry_t geometry = HSA_EXT_IMAGE_GEOMETRY_2D) {
    uint32_t mask = ~0u;
    EXPECT_OK(hsa_ext_image_get_capability(gpu_, geometry, &format, &mask));
    return mask;
  }

  // With memory of its own, which the test's end frees.
  hsa_ext_image_t Make(const hsa_ext_image_descriptor_t& descriptor) {
    hsa_ext_image_data_info_t info{};
    EXPECT_OK(hsa_ext_image_data_get_info(gpu_, &descriptor, HSA_ACCESS_PERMISSION_RW, &info));
    data_ = Allocate<uint8_t>(info.size);
    std::memset(data_, 0xEE, info.size);
    hsa_ext_image_t image{};
    EXPECT_OK(hsa_ext_image_create(gpu_, &descriptor, data_, HSA_ACCESS_PERMISSION_RW, &image));
    return image;
  }
  uint8_t* data_ = nullptr;
};

TEST_F(Images, Capabilities) {
  constexpr uint32_t kAll = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY |
                            HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY |
                            HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;
  EXPECT_EQ(CapabilityOf(kRgbaBytes), kAll);
  EXPECT_EQ(
      CapabilityOf({HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA}),
      HSA_EXT_IMAGE_CAPABILITY_READ_ONLY);
  EXPECT_EQ(
      CapabilityOf({HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565, HSA_EXT_IMAGE_CHANNEL_ORDER_RGB}),
      kAll);
  EXPECT_EQ(
      CapabilityOf({HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565, HSA_EXT_IMAGE_CHANNEL_ORDER_RGB},
                   HSA_EXT_IMAGE_GEOMETRY_1DB),
      0u);
  EXPECT_EQ(CapabilityOf({HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RGB}), 0u);
  EXPECT_EQ(
      CapabilityOf({HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16, HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH},
                   HSA_EXT_IMAGE_GEOMETRY_2DDEPTH),
      HSA_EXT_IMAGE_CAPABILITY_READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY);
  EXPECT_EQ(CapabilityOf({99, 99}), 0u);
}

TEST_F(Images, Limits) {
  uint32_t plane[2] = {};
  const uint32_t attribute = HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS;
  EXPECT_OK(hsa_agent_get_info(gpu_, std::bit_cast<hsa_agent_info_t>(attribute), plane));
  EXPECT_EQ(plane[0], 16384u);
  EXPECT_EQ(plane[1], 16384u);
  hsa_ext_image_data_info_t info{};
  const auto get = [&](const hsa_ext_image_descriptor_t& descriptor) {
    return hsa_ext_image_data_get_info(gpu_, &descriptor, HSA_ACCESS_PERMISSION_RO, &info);
  };
  EXPECT_OK(get(Plane(16384, 3, kFloat)));
  EXPECT_EQ(info.size, 16384u * 3 * 4);
  EXPECT_EQ(info.alignment, 256u);
  EXPECT_OK(get(Plane(65, 3, kFloat)));
  EXPECT_EQ(info.size, 512u * 3);  // rows begin at multiples of 256 bytes
  EXPECT_EQ(get(Plane(16385, 3, kFloat)), Extension(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED));
  EXPECT_EQ(get(Plane(0, 3, kFloat)), Extension(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED));
  EXPECT_EQ(get(Plane(4, 4, {99, 1})), Extension(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED));
  EXPECT_EQ(hsa_ext_image_data_get_info(gpu_, nullptr, HSA_ACCESS_PERMISSION_RO, &info),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Images, ObjectsAreWhatKernelsRead) {
  const hsa_ext_image_t image = Make(Plane(100, 20, kBgraUnorm));
  const auto* const words = reinterpret_cast<const uint32_t*>(image.handle);
  EXPECT_EQ(words[0], static_cast<uint32_t>(reinterpret_cast<uint64_t>(data_) >> 8));
  EXPECT_EQ(words[1] >> 20, 10u);  // 8_8_8_8 UNORM
  EXPECT_EQ(words[2], 99u | 19u << 14);
  EXPECT_EQ(words[3] & 0xFFF, 6u | 5u << 3 | 4u << 6 | 7u << 9);
  EXPECT_EQ(words[3] >> 28, 9u);    // 2D
  EXPECT_EQ(words[4] >> 13, 127u);  // 512 bytes a row
  EXPECT_EQ(words[8], static_cast<uint32_t>(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8));
  EXPECT_EQ(words[9], static_cast<uint32_t>(HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA));
  EXPECT_EQ(words[10], 100u);
  EXPECT_OK(hsa_ext_image_destroy(gpu_, image));
  EXPECT_EQ(hsa_ext_image_destroy(gpu_, image), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Images, LayoutsOfTheCallers) {
  const hsa_ext_image_descriptor_t plane = Plane(10, 4, kFloat);
  auto* const data = Allocate<float>(4096);
  hsa_ext_image_t image{};
  const auto make = [&](void* at, size_t row, size_t slice) {
    return hsa_ext_image_create_with_layout(gpu_, &plane, at, HSA_ACCESS_PERMISSION_RO,
                                            HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, row, slice, &image);
  };
  EXPECT_OK(make(data, 48, 0));
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(image.handle)[4] >> 13, 11u);
  EXPECT_OK(hsa_ext_image_destroy(gpu_, image));
  const hsa_status_t no_pitch = Extension(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
  EXPECT_EQ(make(data, 36, 0), no_pitch);
  EXPECT_EQ(make(data, 50, 0), no_pitch);
  EXPECT_EQ(make(data, 48, 200), no_pitch);
  EXPECT_EQ(make(data + 1, 48, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(make(nullptr, 48, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Images, ImportsExportsAndCopies) {
  const hsa_ext_image_descriptor_t plane = Plane(8, 4, kRgbaBytes);
  const hsa_ext_image_t first = Make(plane);
  const hsa_ext_image_t second = Make(plane);
  std::vector<uint32_t> texels(6 * 2);
  for (size_t n = 0; n < texels.size(); ++n) texels[n] = static_cast<uint32_t>(n + 1);
  // Five of six texels a row, to (2, 1).
  const hsa_ext_image_region_t region = {{2, 1, 0}, {5, 2, 1}};
  EXPECT_OK(hsa_ext_image_import(gpu_, texels.data(), 24, 0, first, &region));
  const hsa_dim3_t from = {3, 1, 0}, to = {0, 2, 0}, range = {4, 2, 1};
  EXPECT_OK(hsa_ext_image_copy(gpu_, first, &from, second, &to, &range));
  std::vector<uint32_t> back(8 * 4, 7);
  const hsa_ext_image_region_t all = {{0, 0, 0}, {8, 4, 1}};
  EXPECT_OK(hsa_ext_image_export(gpu_, second, back.data(), 0, 0, &all));
  for (uint32_t y = 0; y < 4; ++y) {
    for (uint32_t x = 0; x < 8; ++x) {
      const uint32_t expected = y >= 2 && x < 4 ? (y - 2) * 6 + x + 2 : 0xEEEEEEEE;
      EXPECT_EQ(back[y * 8 + x], expected) << x << ", " << y;
    }
  }
  const hsa_ext_image_region_t outside = {{5, 0, 0}, {4, 1, 1}};
  const hsa_ext_image_region_t empty = {{0, 0, 0}, {4, 0, 1}};
  for (const auto& bad : {outside, empty}) {
    EXPECT_EQ(hsa_ext_image_export(gpu_, second, back.data(), 0, 0, &bad),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_ext_image_import(gpu_, back.data(), 0, 0, second, &bad),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_EQ(hsa_ext_image_export(gpu_, {77}, back.data(), 0, 0, &all),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Images, ClearsConvertAsKernelsDo) {
  const hsa_ext_image_t image = Make(Plane(3, 2, kBgraUnorm));
  const float value[4] = {1.0f, 0.2f, 0.0f, 2.0f};
  const hsa_ext_image_region_t region = {{1, 0, 0}, {2, 1, 1}};
  EXPECT_OK(hsa_ext_image_clear(gpu_, image, value, &region));
  const auto* const texels = reinterpret_cast<const uint32_t*>(data_);
  EXPECT_EQ(texels[0], 0xEEEEEEEEu);
  EXPECT_EQ(texels[1], 0xFFFF3300u);  // blue, green, red and alpha from the lowest byte
  EXPECT_EQ(texels[2], 0xFFFF3300u);
  EXPECT_EQ(texels[64], 0xEEEEEEEEu);
}

TEST_F(Images, Samplers) {
  hsa_ext_sampler_descriptor_t descriptor = {HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
                                             HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                             HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE};
  hsa_ext_sampler_t sampler{};
  ASSERT_OK(hsa_ext_sampler_create(gpu_, &descriptor, &sampler));
  const auto* const words = reinterpret_cast<const uint32_t*>(sampler.handle);
  EXPECT_EQ(words[0], 0x8000u | 0x92u);
  EXPECT_EQ(words[1], 0xFFF000u);
  EXPECT_EQ(words[2], 0x500000u);
  EXPECT_EQ(words[3], 0u);
  EXPECT_OK(hsa_ext_sampler_destroy(gpu_, sampler));
  EXPECT_EQ(hsa_ext_sampler_destroy(gpu_, sampler), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  descriptor.address_mode = 9;
  EXPECT_EQ(hsa_ext_sampler_create(gpu_, &descriptor, &sampler), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
