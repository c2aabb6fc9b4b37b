// Descriptors by their fields' places: CLRX GcnMemHandling.md ("Image resource format", "Sampler
// resource format": bits from the first word on) for gfx6-8, ROCR-Runtime resource_ai.h for gfx9.
#include "runtime/image/image_resource.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "runtime/image/image_sampler.h"
#include "runtime/image/image_words.h"

namespace gcnjit::runtime {
namespace {

using frontend::Generation;

struct DescriptorWords {
  uint32_t at[8] = {};
  DescriptorWords& Set(int bit, int bits, uint64_t value) {
    for (int n = 0; n < bits; ++n) {
      uint32_t& word = at[(bit + n) / 32];
      const uint32_t mask = 1u << (bit + n) % 32;
      word = (value >> n & 1) != 0 ? word | mask : word & ~mask;
    }
    return *this;
  }
};

// 8_8_8_8 UINT, 300 x 20 with a pitch of 320.
DescriptorWords PlainImage(Generation generation, int type) {
  DescriptorWords words;
  words.Set(0, 40, 0x123456789A).Set(52, 6, 10).Set(58, 4, 4).Set(64, 14, 299).Set(78, 14, 19);
  words.Set(96, 12, 0xFAC).Set(124, 4, static_cast<uint64_t>(type));
  const bool gfx9 = frontend::IsGfx9(generation);
  words.Set(141, gfx9 ? 16 : 14, 319);
  if (!gfx9) words.Set(116, 5, 8);
  return words;
}

class ImageResourceTest : public testing::TestWithParam<Generation> {
 protected:
  std::string Decode(const DescriptorWords& words, bool is_store = false) {
    resource_ = {};
    return DecodeImageResource(GetParam(), words.at, is_store, &resource_);
  }
  bool gfx9() const { return frontend::IsGfx9(GetParam()); }
  ImageResource resource_;
};

TEST_P(ImageResourceTest, Fields) {
  ASSERT_EQ(Decode(PlainImage(GetParam(), 9)), "");
  EXPECT_EQ(resource_.base, 0x123456789A00u);
  EXPECT_EQ(resource_.type, ImageType::k2d);
  EXPECT_EQ(resource_.level[0].width, 300u);
  EXPECT_EQ(resource_.level[0].height, 20u);
  EXPECT_EQ(resource_.level[0].depth, 1u);
  EXPECT_EQ(resource_.level[0].pitch, 320u);
  EXPECT_EQ(resource_.format.bytes, 4u);
  EXPECT_EQ(resource_.Coordinates(), 2);
  EXPECT_EQ(resource_.AddressOf(3, 2, 0), 0x123456789A00u + (2 * 320 + 3) * 4);
}

TEST_P(ImageResourceTest, DepthAndLayers) {
  DescriptorWords words = PlainImage(GetParam(), 10).Set(128, 13, 6);
  ASSERT_EQ(Decode(words), "");
  EXPECT_EQ(resource_.level[0].depth, 7u);
  EXPECT_EQ(resource_.AddressOf(1, 2, 3), 0x123456789A00u + ((3 * 20 + 2) * 320 + 1) * 4);
  // Slices 2 to 5.
  words = PlainImage(GetParam(), 13).Set(160, 13, 2);
  gfx9() ? words.Set(128, 13, 5) : words.Set(173, 13, 5);
  ASSERT_EQ(Decode(words), "");
  EXPECT_EQ(resource_.layers, 4u);
  EXPECT_EQ(resource_.Coordinates(), 3);
  EXPECT_EQ(resource_.AddressOf(0, 0, 1), 0x123456789A00u + uint64_t{3 * 20 * 320 * 4});
  // A 1D array has no height, whatever its field says.
  words.Set(124, 4, 12);
  ASSERT_EQ(Decode(words), "");
  EXPECT_EQ(resource_.Coordinates(), 2);
  EXPECT_EQ(resource_.AddressOf(0, 0, 1), 0x123456789A00u + uint64_t{3 * 320 * 4});
  words.Set(160, 13, 6);
  EXPECT_NE(Decode(words).find(gfx9() ? "DEPTH" : "LAST_ARRAY"), std::string::npos);
}

// Whatever is refused is refused by its field's name.
TEST_P(ImageResourceTest, Refusals) {
  const auto refused = [&](int bit, int bits, uint64_t value, const char* field) {
    const std::string reason = Decode(PlainImage(GetParam(), 9).Set(bit, bits, value));
    EXPECT_NE(reason.find(field), std::string::npos) << field << ": " << reason;
  };
  refused(116, 5, 14, gfx9() ? "SW_MODE" : "TILING_INDEX");
  refused(124, 4, 0, "TYPE");
  refused(124, 4, 14, "TYPE");
  refused(52, 6, 0, "DATA_FORMAT");
  refused(52, 6, 35, "DATA_FORMAT");
  refused(58, 4, 8, "NUM_FORMAT");
  refused(52, 6, 4, "DST_SEL");
  refused(96, 3, 3, "DST_SEL");
  refused(108, 4, 1, "BASE_LEVEL");
  refused(112, 4, 1, "LAST_LEVEL");
  if (!gfx9()) refused(116 + 5, 1, 1, "POW2_PAD");  // 300 x 20
  if (gfx9()) refused(188, 4, 1, "PITCH");          // rows of 20 and 10 are 30
  if (frontend::IsGfx8Plus(GetParam())) refused(213, 1, 1, "COMPRESSION_EN");
  if (gfx9()) refused(173, 4, 1, "ARRAY_PITCH");
  EXPECT_EQ(Decode(PlainImage(GetParam(), 9).Set(58, 4, 9)), "");
  EXPECT_NE(Decode(PlainImage(GetParam(), 9).Set(58, 4, 9), /*is_store=*/true), "");
}

// What is encoded is decoded.
TEST_P(ImageResourceTest, Words) {
  ImageShape shape;
  shape.base = 0x7FEDCBA98700;
  shape.type = ImageType::k2dArray;
  shape.width = 300;
  shape.height = 16384;
  shape.layers = 7;
  shape.pitch = 320;
  shape.data_format = 12;
  shape.number_format = 7;
  const uint8_t kSelects[4] = {6, 5, 4, 1};
  std::copy_n(kSelects, 4, shape.dst_sel);
  DescriptorWords words;
  EncodeImageResource(GetParam(), shape, words.at);
  ASSERT_EQ(Decode(words), "");
  EXPECT_EQ(resource_.base, shape.base);
  EXPECT_EQ(resource_.type, shape.type);
  EXPECT_EQ(resource_.level[0].width, 300u);
  EXPECT_EQ(resource_.level[0].height, 16384u);
  EXPECT_EQ(resource_.layers, 7u);
  EXPECT_EQ(resource_.level[0].pitch, 320u);
  EXPECT_EQ(resource_.format.bytes, 8u);
  EXPECT_TRUE(std::equal(std::begin(kSelects), std::end(kSelects), resource_.dst_sel));
  shape.type = ImageType::k3d;
  shape.layers = 1;
  shape.depth = 9;
  EncodeImageResource(GetParam(), shape, words.at);
  ASSERT_EQ(Decode(words), "");
  EXPECT_EQ(resource_.level[0].depth, 9u);
  EXPECT_EQ(resource_.AddressOf(1, 2, 3), shape.base + ((uint64_t{3} * 16384 + 2) * 320 + 1) * 8);
}

INSTANTIATE_TEST_SUITE_P(Generations, ImageResourceTest, testing::ValuesIn(frontend::kGenerations));

DescriptorWords PlainSampler() {
  return DescriptorWords().Set(44, 12, 0xFFF).Set(84, 2, 1).Set(86, 2, 1);
}

std::string DecodeWords(const DescriptorWords& words, ImageSampler* sampler) {
  const uint32_t four[4] = {words.at[0], words.at[1], words.at[2], words.at[3]};
  *sampler = {};
  return DecodeImageSampler(four, sampler);
}

TEST(ImageSamplerTest, Fields) {
  ImageSampler s;
  DescriptorWords words = PlainSampler().Set(0, 3, 2).Set(3, 3, 1).Set(6, 3, 6).Set(15, 1, 1);
  words.Set(32, 12, 0x180).Set(64, 14, 0x3F00).Set(126, 2, 2);
  ASSERT_EQ(DecodeWords(words, &s), "");
  EXPECT_EQ(s.address[0], AddressMode::kClampLastTexel);
  EXPECT_EQ(s.address[1], AddressMode::kMirror);
  EXPECT_EQ(s.address[2], AddressMode::kClampBorder);
  EXPECT_TRUE(s.unnormalized);
  EXPECT_FALSE(s.truncates);
  EXPECT_EQ(s.min_lod, 0x180);
  EXPECT_EQ(s.max_lod, 0xFFF);
  EXPECT_EQ(s.lod_bias, -256);
  EXPECT_TRUE(s.magnifies_linearly);
  EXPECT_TRUE(s.minifies_linearly);
  EXPECT_FALSE(s.FilterDependsOnLod());
  EXPECT_EQ(s.border, BorderColor::kOpaqueWhite);
  ASSERT_EQ(DecodeWords(PlainSampler().Set(86, 2, 0), &s), "");
  EXPECT_TRUE(s.FilterDependsOnLod());
  EXPECT_FALSE(s.minifies_linearly);
  EXPECT_EQ(s.mip_filter, MipFilter::kNone);
  ASSERT_EQ(DecodeWords(PlainSampler().Set(90, 2, 2).Set(56, 4, 9).Set(12, 3, 6), &s), "");
  EXPECT_EQ(s.mip_filter, MipFilter::kLinear);
  EXPECT_EQ(s.perf_mip, 9u);
  EXPECT_EQ(s.compare, DepthCompare::kGreaterEqual);
}

TEST(ImageSamplerTest, Words) {
  SamplerShape shape;
  shape.address[0] = AddressMode::kMirror;
  shape.address[1] = AddressMode::kClampBorder;
  shape.address[2] = AddressMode::kClampLastTexel;
  shape.unnormalized = shape.linear = true;
  uint32_t words[4];
  EncodeImageSampler(shape, words);
  ImageSampler s;
  ASSERT_EQ(DecodeImageSampler(words, &s), "");
  EXPECT_TRUE(std::equal(std::begin(shape.address), std::end(shape.address), s.address));
  EXPECT_TRUE(s.unnormalized);
  EXPECT_TRUE(s.magnifies_linearly);
  EXPECT_FALSE(s.FilterDependsOnLod());
  EXPECT_EQ(s.min_lod, 0);
  EXPECT_EQ(s.max_lod, 0xFFF);
}

TEST(ImageSamplerTest, Refusals) {
  ImageSampler s;
  const auto refused = [&](int bit, int bits, uint64_t value, const char* field) {
    const std::string reason = DecodeWords(PlainSampler().Set(bit, bits, value), &s);
    EXPECT_NE(reason.find(field), std::string::npos) << field << ": " << reason;
  };
  refused(3, 3, 4, "CLAMP");
  refused(6, 3, 5, "CLAMP");
  refused(19, 1, 1, "MC_COORD_TRUNC");
  refused(20, 1, 1, "FORCE_DEGAMMA");
  refused(27, 1, 1, "TRUNC_COORD");
  refused(29, 2, 1, "FILTER_MODE");
  refused(88, 2, 1, "Z_FILTER");
  refused(126, 2, 3, "BORDER_COLOR_TYPE");
}

}  // namespace
}  // namespace gcnjit::runtime
