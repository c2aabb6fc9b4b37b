#include "runtime/image/image_sampler.h"

#include <algorithm>

namespace gcnjit::runtime {
namespace {

constexpr uint32_t SamplerField(uint32_t word, int shift, int bits) {
  return (word >> shift) & ((1u << bits) - 1);
}

constexpr uint32_t kBorderOfRegister = 3;

// XY filters: point, bilinear, and the same of anisotropic samplers.
constexpr bool IsLinear(uint32_t filter) { return (filter & 1) != 0; }

}  // namespace

std::string DecodeImageSampler(const uint32_t (&words)[4], ImageSampler* s) {
  for (int axis = 0; axis < 3; ++axis) {
    const uint32_t mode = SamplerField(words[0], 3 * axis, 3);
    if (mode == 4 || mode == 5) {
      return "sampler: CLAMP (word 0) names a half border, which OpenCL and HIP have not; use 0 to "
             "3, 6 or 7";
    }
    s->address[axis] = static_cast<AddressMode>(mode);
  }
  if (SamplerField(words[0], 29, 2) != 0) {
    return "sampler: FILTER_MODE (word 0) asks for the least or largest texel; make it 0";
  }
  if (SamplerField(words[0], 20, 1) != 0) {
    return "sampler: FORCE_DEGAMMA (word 0) is not implemented; use an sRGB format";
  }
  if (SamplerField(words[0], 19, 1) != 0) {
    return "sampler: MC_COORD_TRUNC (word 0) is not implemented; make it 0";
  }
  const uint32_t magnify = SamplerField(words[2], 20, 2);
  const uint32_t minify = SamplerField(words[2], 22, 2);
  const uint32_t depth = SamplerField(words[2], 24, 2);
  if (depth != 0) {
    return "sampler: Z_FILTER (word 2) other than that of X and Y is not implemented; make it 0";
  }
  const uint32_t border = SamplerField(words[3], 30, 2);
  if (border == kBorderOfRegister) {
    return "sampler: BORDER_COLOR_TYPE (word 3) asks for a table of the driver's; use 0 to 2";
  }
  s->unnormalized = SamplerField(words[0], 15, 1) != 0;
  s->truncates = SamplerField(words[0], 27, 1) != 0;
  s->separates_faces = SamplerField(words[0], 28, 1) != 0;
  s->magnifies_linearly = IsLinear(magnify);
  s->minifies_linearly = IsLinear(minify);
  if (s->truncates && (s->magnifies_linearly || s->minifies_linearly)) {
    return "sampler: what TRUNC_COORD (word 0) does to linear filters is not documented; make it 0";
  }
  s->mip_filter = static_cast<MipFilter>(SamplerField(words[2], 26, 2));
  s->perf_mip = SamplerField(words[1], 24, 4);
  s->is_anisotropic = SamplerField(words[0], 9, 3) != 0 && magnify + minify > 1;
  s->min_lod = static_cast<int32_t>(SamplerField(words[1], 0, 12));
  s->max_lod = static_cast<int32_t>(SamplerField(words[1], 12, 12));
  s->lod_bias = static_cast<int32_t>(SamplerField(words[2], 0, 14) << 18) >> 18;
  s->border = static_cast<BorderColor>(border);
  s->compare = static_cast<DepthCompare>(SamplerField(words[0], 12, 3));
  return {};
}

namespace {

// Whether a limit is applied before or after the nearest level is found (MIP_POINT_PRECLAMP).
bool IsBetweenLevels(int32_t limit, uint32_t levels) {
  return (limit & 0xFF) != 0 && static_cast<uint32_t>(limit) < (levels - 1) << 8;
}

std::string CheckLevels(const ImageResource& r, const ImageSampler& s) {
  if (!ChoosesLevel(r, s)) return {};
  if (s.mip_filter == MipFilter::kReserved) return "sampler: MIP_FILTER (word 2) 3 is reserved";
  if (s.unnormalized) {
    return "levels are sampled with normalised coordinates; clear FORCE_UNNORMALIZED (word 0), or "
           "make MIP_FILTER (word 2) 0";
  }
  if (s.is_anisotropic) return kNoAnisotropicFilters;
  const bool is_linear = s.mip_filter == MipFilter::kLinear;
  if (is_linear && r.format.IsInteger()) {
    return "linear filtering of an integer format has no documented result; make MIP_FILTER (word "
           "2) 1";
  }
  if (is_linear && s.perf_mip != 0) {
    return "sampler: PERF_MIP (word 1) makes blends of levels cheaper in a way that is not "
           "documented; make it 0";
  }
  if (!is_linear &&
      (IsBetweenLevels(s.min_lod, r.levels) || IsBetweenLevels(s.max_lod, r.levels))) {
    return "sampler: MIN_LOD and MAX_LOD (word 1) between two levels have no documented effect "
           "where MIP_FILTER is 1; make them whole";
  }
  return {};
}

}  // namespace

std::string CheckSampling(const ImageResource& r, const ImageSampler& s) {
  if (r.type == ImageType::kCube && !s.separates_faces) {
    return "sampler: DISABLE_CUBE_WRAP (word 0) is 0: which texels filters take beyond a cube's "
           "edges is not documented; make it 1, or use a 2D array";
  }
  if (r.type == ImageType::kCube && s.unnormalized) {
    return "cubes are sampled with normalised coordinates; clear FORCE_UNNORMALIZED (sampler, word "
           "0)";
  }
  if (std::string levels = CheckLevels(r, s); !levels.empty()) return levels;
  const bool is_linear = s.magnifies_linearly || s.minifies_linearly;
  if (is_linear && r.format.IsInteger()) {
    return "linear filtering of an integer format has no documented result; filter to the nearest";
  }
  const bool has_border = std::any_of(s.address, s.address + r.Axes(), [](AddressMode mode) {
    return mode >= AddressMode::kClampBorder;
  });
  if (!has_border || s.border != BorderColor::kOpaqueBlack) return {};
  for (int n = 0; n < 4; ++n) {
    if (r.dst_sel[n] > kSelectOne && r.dst_sel[n] != kSelectX + n) {
      return "an opaque black border of an image whose DST_SEL swaps components is not implemented";
    }
  }
  return r.border_swizzle == 0 ? std::string()
                               : "image resource: BC_SWIZZLE (word 4) is not implemented for an "
                                 "opaque black border; make it 0";
}

}  // namespace gcnjit::runtime
