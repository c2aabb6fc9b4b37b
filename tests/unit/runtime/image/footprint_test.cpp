// Sampled texels against the formulas of the OpenCL C specification 6.15.15, in double: they may
// differ by the 8 bits of fraction that hardware has.
#include "runtime/image/footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gcnjit::runtime {
namespace {

constexpr double kStep = 1.0 / 256;

// A texel's value by its coordinates; the border's is 0.
double TexelValueAt(int x, int y, int z) { return 1 + x * x + 3 * y - 2 * z; }

struct Neighbours {
  int first = 0;
  int second = 0;
  double fraction = 0;
};

// The specification's i0, i1 and a of a normalised coordinate; numbers outside are the border.
Neighbours LinearOf(AddressMode mode, double s, int size) {
  double u = s * size;
  if (mode == AddressMode::kWrap) u = (s - std::floor(s)) * size;
  if (mode == AddressMode::kMirror) u = std::fabs(s - 2 * std::nearbyint(0.5 * s)) * size;
  Neighbours n;
  n.first = static_cast<int>(std::floor(u - 0.5));
  n.second = n.first + 1;
  n.fraction = u - 0.5 - n.first;
  switch (mode) {
    case AddressMode::kWrap:
      if (n.first < 0) n.first += size;
      if (n.second > size - 1) n.second -= size;
      break;
    case AddressMode::kClampBorder:
      n.first = std::clamp(n.first, -1, size);
      n.second = std::clamp(n.second, -1, size);
      break;
    default:
      n.first = std::clamp(n.first, 0, size - 1);
      n.second = std::clamp(n.second, 0, size - 1);
      break;
  }
  return n;
}

bool IsInside(int index, int size) { return index >= 0 && index < size; }

double Sampled(const Footprint& footprint) {
  double sum = 0;
  for (int n = 0; n < footprint.count; ++n) {
    const SampledTexel& t = footprint.texels[n];
    if (t.is_border) continue;
    sum += TexelValueAt(static_cast<int>(t.x), static_cast<int>(t.y), static_cast<int>(t.slice)) *
           static_cast<double>(t.weight) / kWholeWeight;
  }
  return sum;
}

ImageResource Cuboid(ImageType type, uint32_t width, uint32_t height, uint32_t depth) {
  ImageResource r;
  r.type = type;
  r.level[0].width = r.level[0].pitch = width;
  r.level[0].height = height;
  r.level[0].depth = depth;
  return r;
}

class FootprintTest : public testing::TestWithParam<AddressMode> {
 protected:
  ImageSampler sampler_ = [] {
    ImageSampler s;
    std::fill(std::begin(s.address), std::end(s.address), GetParam());
    return s;
  }();
  std::mt19937 random_{7};
  float Coordinate() { return std::uniform_real_distribution<float>(-2.5f, 3.5f)(random_); }
};

TEST_P(FootprintTest, LinearAlongOneAxis) {
  for (const int size : {1, 2, 3, 7, 16}) {
    const ImageResource resource = Cuboid(ImageType::k1d, static_cast<uint32_t>(size), 1, 1);
    const double steepest = 2.0 * size + TexelValueAt(size, 0, 0);
    for (int n = 0; n < 2000; ++n) {
      const float s = Coordinate();
      const Neighbours spec = LinearOf(GetParam(), s, size);
      const auto value = [&](int x) { return IsInside(x, size) ? TexelValueAt(x, 0, 0) : 0.0; };
      const double expected =
          (1 - spec.fraction) * value(spec.first) + spec.fraction * value(spec.second);
      const Footprint got = SampleFootprint(resource, sampler_, {{s}, {}}, true, 0);
      EXPECT_NEAR(Sampled(got), expected, steepest * kStep) << s << " of " << size;
    }
  }
}

TEST_P(FootprintTest, NearestAlongOneAxis) {
  for (const int size : {1, 2, 3, 7, 16}) {
    const ImageResource resource = Cuboid(ImageType::k1d, static_cast<uint32_t>(size), 1, 1);
    for (int n = 0; n < 2000; ++n) {
      const float s = Coordinate();
      // Half a texel on, the linear filter's first neighbour is the nearest texel.
      const double shifted = s + 0.5 / size;
      const double edge = s * static_cast<double>(size);
      if (std::fabs(edge - std::nearbyint(edge)) <= kStep) continue;  // rounds over an edge
      const Footprint got = SampleFootprint(resource, sampler_, {{s}, {}}, false, 0);
      ASSERT_EQ(got.count, 1);
      double expected = 0;
      if (GetParam() == AddressMode::kMirror) {
        const double u = std::fabs(s - 2 * std::nearbyint(0.5 * s)) * size;
        expected = std::min(std::floor(u), size - 1.0);
      } else {
        expected = LinearOf(GetParam(), shifted, size).first;
      }
      const SampledTexel& texel = got.texels[0];
      const bool inside = IsInside(static_cast<int>(expected), size);
      EXPECT_EQ(texel.is_border, !inside) << s << " of " << size;
      if (inside) {
        EXPECT_EQ(texel.x, expected) << s << " of " << size;
      }
      EXPECT_EQ(texel.weight, kWholeWeight);
    }
  }
}

TEST_P(FootprintTest, LinearInSpace) {
  constexpr int kSize[3] = {5, 4, 3};
  const ImageResource resource = Cuboid(ImageType::k3d, 5, 4, 3);
  for (int n = 0; n < 2000; ++n) {
    SamplePoint point;
    Neighbours spec[3];
    for (int axis = 0; axis < 3; ++axis) {
      point.coordinates[axis] = Coordinate();
      spec[axis] = LinearOf(GetParam(), point.coordinates[axis], kSize[axis]);
    }
    double expected = 0;
    for (int corner = 0; corner < 8; ++corner) {
      int at[3];
      double weight = 1;
      bool inside = true;
      for (int axis = 0; axis < 3; ++axis) {
        const bool second = (corner >> axis & 1) != 0;
        at[axis] = second ? spec[axis].second : spec[axis].first;
        weight *= second ? spec[axis].fraction : 1 - spec[axis].fraction;
        inside &= IsInside(at[axis], kSize[axis]);
      }
      if (inside) expected += weight * TexelValueAt(at[0], at[1], at[2]);
    }
    const Footprint got = SampleFootprint(resource, sampler_, point, true, 0);
    EXPECT_NEAR(Sampled(got), expected, 3 * 40 * kStep);
    uint64_t whole = 0;
    for (int texel = 0; texel < got.count; ++texel) whole += got.texels[texel].weight;
    EXPECT_EQ(whole, kWholeWeight);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, FootprintTest,
                         testing::Values(AddressMode::kWrap, AddressMode::kMirror,
                                         AddressMode::kClampLastTexel, AddressMode::kClampBorder));

// Neither what is no number nor what is far away names a texel outside.
TEST(FootprintLimitsTest, AnyCoordinateNamesTexelsOfTheImage) {
  const float kCoordinates[] = {INFINITY, -INFINITY, NAN, 3e38f, -3e38f, 1e9f, -0.0f, 1e-45f};
  ImageResource resource = Cuboid(ImageType::k2dArray, 5, 3, 1);
  resource.layers = 2;
  for (const bool unnormalized : {false, true}) {
    for (const int mode : {0, 1, 2, 3, 6, 7}) {
      ImageSampler sampler;
      sampler.unnormalized = unnormalized;
      std::fill(std::begin(sampler.address), std::end(sampler.address),
                static_cast<AddressMode>(mode));
      for (const float s : kCoordinates) {
        for (const bool linear : {false, true}) {
          const Footprint got =
              SampleFootprint(resource, sampler, {{s, s, s}, {-32, 31}}, linear, 0);
          ASSERT_GE(got.count, 1);
          for (int n = 0; n < got.count; ++n) {
            EXPECT_LT(got.texels[n].x, 5u);
            EXPECT_LT(got.texels[n].y, 3u);
            EXPECT_LT(got.texels[n].slice, 2u);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::runtime
