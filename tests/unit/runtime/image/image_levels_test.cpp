// Where levels are, against formulas of other libraries: libdrm radeon_surface.c
// (si_surf_minify, si_surface_init_linear_aligned) before gfx9, AddrLib's sums of halved rows on
// it. Which levels a level of detail means: Direct3D 11.3 functional specification 7.18.10.
#include "runtime/image/image_levels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "runtime/image/footprint.h"

namespace gcnjit::runtime::image_levels_tests {
namespace {

using frontend::Generation;

struct Chain {
  uint32_t sides[3] = {1, 1, 1};
  uint32_t layers = 1;
  uint32_t format = 4;
  uint32_t bytes = 4;
  uint32_t type = 9;
  uint32_t pitch = 1;
  uint32_t base = 0;
  uint32_t last = 0;
  uint32_t most = 0;  // the image's last

  uint32_t Side(int axis, uint32_t n) const { return std::max(1u, sides[axis] >> n); }
};

uint64_t AlignUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

void FillWords(const Chain& c, bool gfx9, uint32_t (&words)[8]) {
  const uint32_t last_slice = std::max(c.sides[2], c.layers) - 1;
  words[0] = 0x1000;
  words[1] = c.format << 20 | 4 << 26;
  words[2] = (c.sides[0] - 1) | (c.sides[1] - 1) << 14;
  words[3] = 4 | c.base << 12 | c.last << 16 | c.type << 28 | (gfx9 ? 0 : 8u << 20 | 1u << 25);
  words[4] = last_slice | (c.pitch - 1) << 13;
  words[5] = gfx9 ? c.most << 28 : (c.layers - 1) << 13;
  words[6] = words[7] = 0;
}

class ImageLevelsTest : public testing::TestWithParam<Generation> {
 protected:
  bool gfx9() const { return frontend::IsGfx9(GetParam()); }
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  Chain RandomChain() {
    constexpr uint32_t kFormats[][2] = {{1, 1}, {2, 2}, {4, 4}, {11, 8}, {14, 16}};
    Chain c;
    c.type = 8 + Below(6);
    if (c.type == 11) c.type = 9;
    const int axes = c.type == 10 ? 3 : c.type == 8 || c.type == 12 ? 1 : 2;
    for (int axis = 0; axis < axes; ++axis) {
      c.sides[axis] = gfx9() ? 1 + Below(axis == 2 ? 8 : 300) : 1u << Below(axis == 2 ? 4 : 9);
    }
    if (c.type > 11) c.layers = gfx9() ? 1 + Below(8) : 1u << Below(4);
    const uint32_t(&format)[2] = kFormats[Below(5)];
    c.format = format[0];
    c.bytes = format[1];
    c.most = 1 + Below(9);
    c.last = Below(c.most + 1);
    c.base = Below(c.last + 1);
    return c;
  }

  std::mt19937 random_{5};
};

// The sum of all texels up to a level, as each library has it.
TEST_P(ImageLevelsTest, AsOtherLibrariesSay) {
  for (int n = 0; n < 4000; ++n) {
    Chain c = RandomChain();
    const uint64_t bytes = c.bytes;
    uint64_t rows = 0;  // gfx9
    for (uint32_t level = 0, h = c.sides[1]; level <= c.most; ++level, h = (h + 1) / 2) rows += h;
    const uint64_t slice_align = std::max<uint64_t>(64 * bytes, 256);
    const auto row_align = [&](uint64_t height) {
      return std::max({uint64_t{8}, 64 / bytes, slice_align / bytes / height});
    };
    c.pitch = static_cast<uint32_t>(gfx9() ? rows : AlignUp(c.sides[0], row_align(c.sides[1])));
    uint32_t words[8];
    FillWords(c, gfx9(), words);
    ImageResource r;
    ASSERT_EQ(DecodeImageResource(GetParam(), words, false, &r), "") << "try " << n;
    ASSERT_EQ(r.levels, c.last - c.base + 1);
    uint64_t offset = 0;
    uint64_t h = c.sides[1];
    for (uint32_t level = 0; level <= c.last; ++level) {
      uint64_t pitch = AlignUp(c.sides[0] * bytes, 256);
      uint64_t slice = rows * pitch;
      uint64_t next = offset + h * pitch;
      h = (h + 1) / 2;
      if (!gfx9()) {
        const uint64_t height = c.Side(1, level);
        pitch = AlignUp(std::max(1u, c.pitch >> level), row_align(height)) * bytes;
        slice = AlignUp(pitch * height, slice_align);
        next = offset + slice * c.Side(2, level) * c.layers;
      }
      if (level >= c.base) {
        const uint32_t at = level - c.base;
        const uint32_t x = c.Side(0, level) - 1, y = c.Side(1, level) - 1;
        const uint32_t z = c.type == 10 ? c.Side(2, level) - 1 : c.layers - 1;
        EXPECT_EQ(r.AddressOf(x, y, z, at), 0x100000 + offset + z * slice + y * pitch + x * bytes)
            << "try " << n << ", level " << level;
        for (int axis = 0; axis < 3; ++axis) {
          EXPECT_EQ(r.level[at].SizeOf(axis), c.Side(axis, level));
        }
      }
      offset = next;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Generations, ImageLevelsTest, testing::ValuesIn(frontend::kGenerations));

// By level, how much it counts.
std::map<uint32_t, double> SharesOf(const Footprint& footprint) {
  std::map<uint32_t, double> shares;
  for (int n = 0; n < footprint.count; ++n) {
    shares[footprint.texels[n].level] += static_cast<double>(footprint.texels[n].weight);
  }
  for (auto& share : shares) share.second /= static_cast<double>(footprint.whole);
  return shares;
}

TEST(SampledLevelsTest, NearestAndBetween) {
  ImageResource r;
  r.levels = 4;
  for (uint32_t n = 0; n < 4; ++n) {
    r.level[n].width = 16u >> n;
    r.level[n].height = 8u >> n;
  }
  std::mt19937 random{6};
  for (int n = 0; n < 4000; ++n) {
    const double lod = static_cast<double>(random() % 0x5000) / 16;  // in 1/256
    const SamplePoint point = {{static_cast<float>(random() % 999) / 999, 0.3f}, {}};
    ImageSampler sampler;
    sampler.mip_filter = MipFilter::kLinear;
    const double fixed = std::nearbyint(lod) / 256;
    const double first = std::min(std::floor(fixed), 3.0);
    const double second = std::min(first + 1, 3.0);
    std::map<uint32_t, double> expected;
    const double share = first == second ? 0 : fixed - first;
    if (share != 1) expected[static_cast<uint32_t>(first)] += 1 - share;
    if (share != 0) expected[static_cast<uint32_t>(second)] += share;
    EXPECT_EQ(SharesOf(SampleFootprint(r, sampler, point, n % 2 == 0, lod)), expected) << lod;
    sampler.mip_filter = MipFilter::kPoint;
    expected = {{static_cast<uint32_t>(std::min(std::floor(fixed + 0.5), 3.0)), 1.0}};
    EXPECT_EQ(SharesOf(SampleFootprint(r, sampler, point, n % 2 == 0, lod)), expected) << lod;
    sampler.mip_filter = MipFilter::kNone;
    expected = {{0, 1.0}};
    EXPECT_EQ(SharesOf(SampleFootprint(r, sampler, point, n % 2 == 0, lod)), expected) << lod;
  }
}

// A level's texels are those of an image of its size.
TEST(SampledLevelsTest, TexelsOfALevel) {
  ImageResource r;
  r.levels = 2;
  r.level[0].width = 13;
  r.level[0].height = 6;
  r.level[1].width = 6;
  r.level[1].height = 3;
  ImageResource alone;
  alone.level[0] = r.level[1];
  ImageSampler sampler;
  sampler.mip_filter = MipFilter::kLinear;
  for (int n = 0; n < 999; ++n) {
    const SamplePoint point = {{static_cast<float>(n) / 500, static_cast<float>(n) / 333}, {}};
    const Footprint got = SampleFootprint(r, sampler, point, true, 256);
    const Footprint expected = SampleFootprint(alone, sampler, point, true, 0);
    ASSERT_EQ(got.count, expected.count);
    for (int texel = 0; texel < got.count; ++texel) {
      EXPECT_EQ(got.texels[texel].x, expected.texels[texel].x);
      EXPECT_EQ(got.texels[texel].y, expected.texels[texel].y);
      EXPECT_EQ(got.texels[texel].weight, expected.texels[texel].weight);
      EXPECT_EQ(got.texels[texel].level, 1u);
    }
  }
}

}  // namespace
}  // namespace gcnjit::runtime::image_levels_tests
