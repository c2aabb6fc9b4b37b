#include "runtime/interpreter/image_operation.h"

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/vector_registers.h"
#include "runtime/image/depth_compare.h"

namespace gcnjit::runtime {

using frontend::ImageKind;
using frontend::ImageLod;

namespace {

constexpr int kBitsOfOffset = 6;

int32_t TexelOffset(uint32_t packed, int axis) {
  return static_cast<int32_t>(packed << (32 - kBitsOfOffset - 8 * axis)) >> (32 - kBitsOfOffset);
}

const char* CheckFields(const Wave& w, const Instruction& i, const frontend::ImageForm& form) {
  if (i.r128 && !frontend::IsGfx9(w.generation())) {
    return "image resources of 128 bits (R128) are not implemented; use 256 bits";
  }
  if (i.imm == 0) return "what DMASK 0 does is not documented";
  if (form.kind == ImageKind::kGather && !std::has_single_bit(static_cast<uint32_t>(i.imm))) {
    return "IMAGE_GATHER4 takes one component; set one bit of DMASK";
  }
  return nullptr;
}

const char* CheckType(const Instruction& i, const ImageOperation& o) {
  if (o.form.kind != ImageKind::kResourceInfo && !i.da && o.resource.IsLayered()) {
    return "the image resource's TYPE (word 3) has layers, but DA is not set";
  }
  if (o.form.kind == ImageKind::kGather && o.resource.Axes() != 2) {
    return "IMAGE_GATHER4 takes images with two axes";
  }
  if (o.resource.levels > 1 && o.resource.min_lod != 0) {
    return "MIN_LOD (image resource, word 1) of an image with levels is not implemented; make it 0";
  }
  if (o.form.HasSampler() && o.form.has_offset && o.resource.type == ImageType::kCube) {
    return "offsets in a cube have no documented result; use a form without _O";
  }
  if (i.lwe && o.resource.min_lod_warn != 0) {
    return "LWE with a MIN_LOD_WARN (image resource, word 6) is not implemented; make it 0";
  }
  return nullptr;
}

const char* CheckGatheredLevel(const ImageOperation& o) {
  if (!ChoosesLevel(o.resource, o.sampler)) return nullptr;
  const bool is_first = o.form.lod == ImageLod::kZero && o.sampler.min_lod == 0;
  if (is_first && o.sampler.lod_bias <= 0) return nullptr;
  return "which level IMAGE_GATHER4 takes is documented for _LZ without MIN_LOD and LOD_BIAS "
         "(sampler, words 1 and 2) only; use it, or make MIP_FILTER (sampler, word 2) 0";
}

// Where the sampler's filters differ, or there are levels, the level of detail chooses, and
// hardware computes it.
const char* CheckLod(const ImageOperation& o) {
  if (o.form.kind == ImageKind::kGather) return CheckGatheredLevel(o);
  const bool chooses_level = ChoosesLevel(o.resource, o.sampler);
  if (o.form.kind != ImageKind::kSample) return nullptr;
  if (!chooses_level && !o.sampler.FilterDependsOnLod()) return nullptr;
  if (o.sampler.is_anisotropic) return kNoAnisotropicFilters;
  if (o.form.lod == ImageLod::kImplicit) {
    return chooses_level ? "the level depends on differences of coordinates, from which hardware "
                           "computes it in a way that is not documented; use _L or _LZ, or make "
                           "MIP_FILTER (sampler, word 2) 0"
                         : "the filter depends on a level of detail that hardware computes from "
                           "differences of coordinates; use _L or _LZ, or one filter for "
                           "magnification and minification";
  }
  const bool is_limited = o.resource.min_lod != 0 || o.sampler.min_lod != 0;
  if (o.form.lod == ImageLod::kZero && (is_limited || o.sampler.lod_bias > 0)) {
    return "whether _LZ obeys MIN_LOD and LOD_BIAS is not documented; make them 0, or use _L";
  }
  return o.resource.min_lod == 0 ? nullptr : "MIN_LOD (image resource, word 1) is not implemented";
}

// With DA an image without layers has one: ROCm's copies (rocclr blitcl.cpp, copyBufferToImage)
// write all images as 2D arrays. A volume takes the third coordinate for its depth.
void FindRegisters(const Instruction& i, ImageOperation* o) {
  const int axes = o->resource.Axes();
  o->has_layer = o->resource.IsLayered() || (i.da && axes < 3);
  o->has_halves = i.r128;  // gfx9's A16
  const int coordinates = axes + (o->has_layer ? 1 : 0);
  o->address_registers = ImageAddressRegisters(o->form, coordinates, axes, o->has_halves);
  int next = i.src[0].index;
  if (o->form.has_offset) o->offset = next++;
  if (o->form.has_bias) ++next;
  if (o->form.compares) o->reference = next++;
  o->first_coordinate = next + ImageDerivativeRegisters(o->form, axes, o->has_halves);
  const bool has_last = o->form.has_level || o->form.has_clamp || o->form.lod == ImageLod::kGiven;
  if (has_last) o->last = coordinates;
}

// The level of detail in 1/256: given or 0, biased and limited.
double LodOf(const ImageOperation& o, const Wave& w, int lane) {
  if (o.form.lod != ImageLod::kGiven) return 0;
  const double lod =
      std::bit_cast<float>(o.Component(w, o.last, lane)) * 256.0 + o.sampler.lod_bias;
  return std::clamp<double>(lod == lod ? lod : 0, o.sampler.min_lod,
                            std::max(o.sampler.min_lod, o.sampler.max_lod));
}

}  // namespace

uint32_t ImageOperation::Component(const Wave& w, int n, int lane) const {
  if (!has_halves) return w.state.vgpr[first_coordinate + n][lane];
  const uint32_t pair = w.state.vgpr[first_coordinate + n / 2][lane];
  const auto half = static_cast<uint16_t>(n % 2 == 0 ? pair : pair >> 16);
  return form.HasSampler() ? std::bit_cast<uint32_t>(_cvtsh_ss(half)) : half;
}

bool ImageOperation::LocateTexel(const Wave& w, int lane, uint64_t* address) const {
  uint32_t at[frontend::kMostImageCoordinates] = {};
  const int axes = resource.Axes();
  const uint32_t level = form.has_level ? Component(w, last, lane) : 0;
  if (level >= resource.levels) return false;
  for (int n = 0; n < axes; ++n) {
    at[n] = Component(w, n, lane);
    if (at[n] >= resource.level[level].SizeOf(n)) return false;
  }
  uint32_t slice = at[2];
  if (has_layer) {
    slice = Component(w, axes, lane);
    if (slice >= resource.layers) return false;
  }
  *address = resource.AddressOf(at[0], at[1], slice, level);
  return true;
}

bool ImageOperation::HasFace(const Wave& w, int lane) const {
  return resource.type != ImageType::kCube ||
         FaceOf(std::bit_cast<float>(Component(w, resource.Axes(), lane))) < kFacesOfCube;
}

Footprint ImageOperation::FootprintOf(const Wave& w, int lane) const {
  SamplePoint point;
  const int coordinates = resource.Axes() + (has_layer ? 1 : 0);
  for (int n = 0; n < coordinates; ++n) {
    point.coordinates[n] = std::bit_cast<float>(Component(w, n, lane));
  }
  for (int n = 0; offset >= 0 && n < resource.Axes(); ++n) {
    point.offsets[n] = TexelOffset(w.state.vgpr[offset][lane], n);
  }
  if (form.kind == ImageKind::kGather) {
    return GatherFootprint(resource, sampler, point, !gathers_nearest);
  }
  const double lod = LodOf(*this, w, lane);
  const bool linear = lod > 0 ? sampler.minifies_linearly : sampler.magnifies_linearly;
  return SampleFootprint(resource, sampler, point, linear, lod);
}

std::string DecodeImageOperation(const Wave& w, const Instruction& i,
                                 const frontend::ImageForm& form, ImageOperation* o) {
  o->form = form;
  if (const char* refusal = CheckFields(w, i, o->form)) return refusal;
  uint32_t words[8];
  std::copy_n(&w.state.sgpr[i.src[2].index], 8, words);
  const bool is_store = o->form.kind == ImageKind::kStore;
  std::string refusal = DecodeImageResource(w.generation(), words, is_store, &o->resource);
  if (!refusal.empty()) return refusal;
  if (const char* type = CheckType(i, *o)) return type;
  FindRegisters(i, o);
  if (!o->form.HasSampler()) return {};
  uint32_t sampler[4];
  std::copy_n(&w.state.sgpr[i.src[3].index], 4, sampler);
  refusal = DecodeImageSampler(sampler, &o->sampler);
  if (!refusal.empty()) return refusal;
  if (i.unorm) o->sampler.unnormalized = true;
  refusal = CheckSampling(o->resource, o->sampler);
  if (!refusal.empty()) return refusal;
  if (o->form.compares) refusal = CheckDepthCompare(o->resource, static_cast<uint32_t>(i.imm));
  if (!refusal.empty()) return refusal;
  o->gathers_nearest = o->form.kind == ImageKind::kGather && o->resource.format.IsInteger() &&
                       !frontend::IsGfx9(w.generation());
  if (o->gathers_nearest && o->resource.type == ImageType::kCube) {
    return "IMAGE_GATHER4 of integers in cubes before gfx9 is not documented well enough; use a 2D "
           "array";
  }
  if (o->gathers_nearest && o->sampler.truncates) {
    return "what TRUNC_COORD (sampler, word 0) does to IMAGE_GATHER4 of integers before gfx9 is "
           "not documented; make it 0";
  }
  const char* lod = CheckLod(*o);
  return lod == nullptr ? std::string() : lod;
}

bool PrepareImageOperation(Wave& w, const Instruction& i, const frontend::ImageForm& form,
                           ImageOperation* o) {
  std::string refusal = DecodeImageOperation(w, i, form, o);
  if (!refusal.empty()) {
    w.RaiseUnsupported(std::move(refusal));
    return false;
  }
  const auto end = static_cast<uint32_t>(i.src[0].index + o->address_registers);
  if (end > w.state.vgpr_count) {
    w.RaiseFault(FaultKind::kIllegalRegister, -1, 0, 0,
                 "the image's coordinates reach to " +
                     frontend::VectorRegisterName(static_cast<int>(end) - 1) +
                     ", but the kernel descriptor allocates " + std::to_string(w.state.vgpr_count) +
                     " VGPRs");
    return false;
  }
  w.UseFloatClass(FloatClass::kNearest);
  return true;
}

}  // namespace gcnjit::runtime
