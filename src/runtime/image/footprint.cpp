#include "runtime/image/footprint.h"

#include <algorithm>
#include <cmath>

namespace gcnjit::runtime {
namespace {

constexpr int kTexelFractionBits = 8;
constexpr int32_t kOneTexel = 1 << kTexelFractionBits;
// Farther than any texel number; what is beyond is clamped.
constexpr double kFarthest = 1 << 20;

// Along one axis: two neighbours, and how much the second counts, of kOneTexel.
struct AxisTexels {
  uint32_t index[2] = {};
  bool is_border[2] = {};
  int32_t second = 0;
};

int32_t Modulo(int32_t value, int32_t by) { return ((value % by) + by) % by; }

// A texel number of the endless axis as one of the image. False: the border.
bool ApplyAddressMode(AddressMode mode, int32_t size, int32_t number, uint32_t* index) {
  switch (mode) {
    case AddressMode::kWrap: number = Modulo(number, size); break;
    case AddressMode::kMirror:
      number = Modulo(number, 2 * size);
      if (number >= size) number = 2 * size - 1 - number;
      break;
    case AddressMode::kMirrorOnceLastTexel:
    case AddressMode::kMirrorOnceBorder:
      if (number < 0) number = -1 - number;
      break;
    case AddressMode::kClampLastTexel:
    case AddressMode::kClampBorder: break;
  }
  const bool inside = number >= 0 && number < size;
  *index = static_cast<uint32_t>(std::clamp(number, 0, size - 1));
  return inside || mode == AddressMode::kClampLastTexel ||
         mode == AddressMode::kMirrorOnceLastTexel;
}

// The coordinate in texels. Whole periods are taken off while it is exact.
double InTexels(double value, const ImageSampler& sampler, AddressMode mode, double size) {
  if (sampler.unnormalized) return value;
  if (mode == AddressMode::kWrap) value = std::fmod(value, 1.0);
  if (mode == AddressMode::kMirror) value = std::fmod(value, 2.0);
  return value * size;
}

// `origin`: the coordinate of the first texel's edge.
AxisTexels TexelsOfAxis(const ImageSampler& sampler, int axis, uint32_t size, double origin,
                        const SamplePoint& point, bool linear) {
  const AddressMode mode = sampler.address[axis];
  double u = InTexels(point.coordinates[axis] - origin, sampler, mode, size);
  if (!(u == u)) u = 0;
  u = std::clamp(u, -kFarthest, kFarthest);
  // Nearest texels: floor(u) without rounding, or after it.
  if (!linear && sampler.truncates) u = std::floor(u);
  auto fixed = static_cast<int32_t>(std::nearbyint(u * kOneTexel));
  if (linear) fixed -= kOneTexel / 2;
  const int32_t first = (fixed >> kTexelFractionBits) + point.offsets[axis];
  AxisTexels texels;
  texels.second = linear ? fixed & (kOneTexel - 1) : 0;
  for (int n = 0; n < 2; ++n) {
    texels.is_border[n] =
        !ApplyAddressMode(mode, static_cast<int32_t>(size), first + n, &texels.index[n]);
  }
  return texels;
}

// Layers are rounded to nearest even and clamped, whatever the sampler says.
uint32_t LayerOf(float coordinate, uint32_t layers) {
  const double rounded = std::nearbyint(static_cast<double>(coordinate));
  if (!(rounded > 0)) return 0;
  return static_cast<uint32_t>(std::min<double>(rounded, layers - 1));
}

constexpr double kNumbersOfCube = 8;  // from a cube's first face to the next one's

// Of the nearest cube that there is.
uint32_t LayerOfFace(float coordinate, uint32_t layers) {
  const double rounded = std::nearbyint(static_cast<double>(coordinate));
  const double last_cube = layers / kFacesOfCube - 1;
  const double cube = std::floor(rounded / kNumbersOfCube);
  const uint32_t first = cube > 0 ? static_cast<uint32_t>(std::min(cube, last_cube)) : 0;
  return first * kFacesOfCube + std::min(FaceOf(coordinate), kFacesOfCube - 1);
}

struct AllAxes {
  AxisTexels axes[3];
  uint32_t layer = 0;
};

AllAxes FindTexels(const ImageResource& resource, uint32_t level, const ImageSampler& sampler,
                   const SamplePoint& point, bool linear) {
  AllAxes all;
  const int axes = resource.Axes();
  const bool is_cube = resource.type == ImageType::kCube;
  for (int axis = 0; axis < axes; ++axis) {
    all.axes[axis] = TexelsOfAxis(sampler, axis, resource.level[level].SizeOf(axis),
                                  is_cube ? 1 : 0, point, linear);
  }
  if (resource.IsLayered()) {
    const auto layer_of = is_cube ? LayerOfFace : LayerOf;
    all.layer = layer_of(point.coordinates[axes], resource.layers);
  }
  return all;
}

// `which` has a bit an axis: its first or second neighbour.
SampledTexel TexelAt(const AllAxes& all, uint32_t which) {
  uint32_t index[3] = {};
  SampledTexel texel;
  texel.weight = 1;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const AxisTexels& texels = all.axes[axis];
    const uint32_t n = which >> axis & 1;
    index[axis] = texels.index[n];
    texel.is_border |= texels.is_border[n];
    texel.weight *= static_cast<uint64_t>(n == 0 ? kOneTexel - texels.second : texels.second);
  }
  texel.x = index[0];
  texel.y = index[1];
  texel.slice = index[2] + all.layer;
  return texel;
}

// Two neighbours among the levels, and how much the second counts, of kOneLevel.
struct LevelPair {
  uint32_t index[2] = {};
  uint32_t second = 0;
};
constexpr uint32_t kOneLevel = 256;

LevelPair LevelsOf(const ImageSampler& sampler, uint32_t levels, double lod) {
  LevelPair pair;
  if (sampler.mip_filter == MipFilter::kNone) return pair;
  auto fixed = static_cast<uint32_t>(std::max(std::nearbyint(lod), 0.0));
  if (sampler.mip_filter == MipFilter::kPoint) fixed += kOneLevel / 2;
  pair.index[0] = std::min(fixed / kOneLevel, levels - 1);
  pair.index[1] = std::min(pair.index[0] + 1, levels - 1);
  const bool blends = sampler.mip_filter == MipFilter::kLinear && pair.index[0] != pair.index[1];
  pair.second = blends ? fixed % kOneLevel : 0;
  return pair;
}

}  // namespace

uint32_t FaceOf(float coordinate) {
  const double rounded = std::nearbyint(static_cast<double>(coordinate));
  const double face = rounded - std::floor(rounded / kNumbersOfCube) * kNumbersOfCube;
  return face >= 0 ? static_cast<uint32_t>(face) : 0;
}

Footprint SampleFootprint(const ImageResource& resource, const ImageSampler& sampler,
                          const SamplePoint& point, bool linear, double lod) {
  const LevelPair pair = LevelsOf(sampler, resource.levels, lod);
  Footprint footprint;
  if (pair.second != 0) footprint.whole *= kOneLevel;
  for (int n = 0; n < (pair.second == 0 ? 1 : 2); ++n) {
    const AllAxes all = FindTexels(resource, pair.index[n], sampler, point, linear);
    for (uint32_t which = 0; which < 8; ++which) {
      SampledTexel texel = TexelAt(all, which);
      if (texel.weight == 0) continue;
      texel.level = pair.index[n];
      if (pair.second != 0) texel.weight *= n == 0 ? kOneLevel - pair.second : pair.second;
      footprint.texels[footprint.count++] = texel;
    }
  }
  return footprint;
}

Footprint GatherFootprint(const ImageResource& resource, const ImageSampler& sampler,
                          const SamplePoint& point, bool linear) {
  constexpr uint32_t kOrder[] = {0b10, 0b11, 0b01, 0b00};  // y, x
  const AllAxes all = FindTexels(resource, 0, sampler, point, linear);
  Footprint footprint;
  for (const uint32_t which : kOrder) footprint.texels[footprint.count++] = TexelAt(all, which);
  return footprint;
}

}  // namespace gcnjit::runtime
