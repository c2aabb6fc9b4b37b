// Samplers (S#): what their words say. The same words on gfx6 to gfx9.
//
// Sources: ROCR-Runtime resource_kv.h, resource_ai.h (fields, codes), image_manager_ai.cpp
// (Z_FILTER NONE is as the others are); CLRX GcnMemHandling.md "Sampler resource format"; Mesa
// ac_descriptors.c (ac_build_sampler_descriptor).
#pragma once

#include <cstdint>
#include <string>

#include "runtime/image/image_resource.h"

namespace gcnjit::runtime {

enum class AddressMode : uint8_t {
  kWrap = 0,
  kMirror = 1,
  kClampLastTexel = 2,
  kMirrorOnceLastTexel = 3,
  kClampBorder = 6,
  kMirrorOnceBorder = 7,
};

// The reference on the left.
enum class DepthCompare : uint8_t {
  kNever,
  kLess,
  kEqual,
  kLessEqual,
  kGreater,
  kNotEqual,
  kGreaterEqual,
  kAlways
};

enum class MipFilter : uint8_t { kNone, kPoint, kLinear, kReserved };

enum class BorderColor : uint8_t { kTransparentBlack, kOpaqueBlack, kOpaqueWhite };

struct ImageSampler {
  AddressMode address[3] = {};
  bool unnormalized = false;
  bool separates_faces = false;  // DISABLE_CUBE_WRAP: each face of a cube is an image by itself
  bool truncates = false;        // TRUNC_COORD: nearest texels without rounding to 1/256 first
  bool magnifies_linearly = false;
  bool minifies_linearly = false;
  int32_t min_lod = 0;  // in 1/256
  int32_t max_lod = 0;
  int32_t lod_bias = 0;
  MipFilter mip_filter = MipFilter::kNone;
  uint32_t perf_mip = 0;
  bool is_anisotropic = false;
  BorderColor border = BorderColor::kTransparentBlack;
  DepthCompare compare = DepthCompare::kNever;  // of _C

  bool FilterDependsOnLod() const {
    return is_anisotropic || magnifies_linearly != minifies_linearly;
  }
};

// "", or what of the descriptor is not implemented, by its field.
std::string DecodeImageSampler(const uint32_t (&words)[4], ImageSampler* sampler);

inline constexpr const char* kNoAnisotropicFilters =
    "anisotropic filters are not implemented; make MAX_ANISO_RATIO (sampler, word 0) 0";

// Does a level of detail choose the level? Else it is the first.
inline bool ChoosesLevel(const ImageResource& resource, const ImageSampler& sampler) {
  return resource.levels > 1 && sampler.mip_filter != MipFilter::kNone;
}

// Why the two don't go together; "" if they do.
std::string CheckSampling(const ImageResource& resource, const ImageSampler& sampler);

}  // namespace gcnjit::runtime
