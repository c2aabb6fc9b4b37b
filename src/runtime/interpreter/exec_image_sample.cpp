// IMAGE_SAMPLE and IMAGE_GATHER4. Levels of detail, their biases, clamps and derivatives choose
// between the sampler's two filters and between the image's levels; where these differ and the
// level is not given, the instruction is refused (image_operation.cpp).
//
// Sources: CLRX GcnInstrsMimg.md, GcnMemHandling.md; OpenCL C specification 6.15.15; footprint.h.
#include <bit>

#include "runtime/image/depth_compare.h"
#include "runtime/interpreter/image_data.h"
#include "runtime/interpreter/image_operation.h"
#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/memory_order.h"

namespace gcnjit::runtime {
namespace {

using frontend::ImageKind;

// False after a fault.
bool FetchTexel(Wave& w, const ImageOperation& o, const SampledTexel& texel, int lane,
                TexelValue& value) {
  if (texel.is_border) {
    BorderTexel(o.resource, o.sampler, value);
    return true;
  }
  uint32_t element[4] = {};
  const uint64_t address = o.resource.AddressOf(texel.x, texel.y, texel.slice, texel.level);
  if (!w.Load(address, element, o.resource.format.bytes, lane)) return false;
  LoadedTexel(o.resource, element, value);
  return true;
}

// What is blended or gathered.
bool TexelOf(Wave& w, const ImageOperation& o, const SampledTexel& texel, int lane,
             TexelValue& value) {
  if (!FetchTexel(w, o, texel, lane, value)) return false;
  if (o.form.compares) CompareTexel(o.sampler.compare, o.Reference(w, lane), value);
  return true;
}

bool SampleLane(Wave& w, const Instruction& i, const ImageOperation& o, int lane) {
  const Footprint footprint = o.FootprintOf(w, lane);
  TexelBlend blend;
  TexelValue value;
  for (int n = 0; n < footprint.count; ++n) {
    if (!TexelOf(w, o, footprint.texels[n], lane, value)) return false;
    blend.Add(value, footprint.texels[n].weight);
  }
  if (footprint.count > 1) blend.Result(footprint.whole, value);
  PutImageComponents(w, i, o.resource.format, lane, value);
  return true;
}

// Of each texel the component that DMASK names.
bool GatherLane(Wave& w, const Instruction& i, const ImageOperation& o, int lane) {
  const Footprint footprint = o.FootprintOf(w, lane);
  const int component = std::countr_zero(static_cast<uint32_t>(i.imm));
  TexelValue gathered;
  for (int n = 0; n < footprint.count; ++n) {
    TexelValue value;
    if (!TexelOf(w, o, footprint.texels[n], lane, value)) return false;
    gathered[n] = value[component];
  }
  for (int n = 0; n < footprint.count; ++n) {
    PutImageValue(w, i, o.resource.format, n, lane, gathered[n]);
  }
  return true;
}

void ImageSample(Wave& w, const Instruction& i, const frontend::ImageForm& form) {
  FenceIfCoherent(i);
  ImageOperation operation;
  if (!PrepareImageOperation(w, i, form, &operation)) return;
  const bool gathers = operation.form.kind == ImageKind::kGather;
  ForEachLane(w.exec(), [&](int lane) {
    if (!operation.HasFace(w, lane)) {
      w.RaiseUnsupported("a cube has faces 0 to 5, and 8 more for each cube before it");
      return false;
    }
    if (!(gathers ? GatherLane(w, i, operation, lane) : SampleLane(w, i, operation, lane))) {
      return false;
    }
    PutImageStatus(w, i, lane);
    return true;
  });
}

}  // namespace

// clang-format off
#define SAMPLE(suffix)                                                     \
  void exec_IMAGE_##suffix(Wave& w, const Instruction& i) {                \
    ImageSample(w, i, ImageFormFor<frontend::Opcode::IMAGE_##suffix>());   \
  }

SAMPLE(SAMPLE)
SAMPLE(SAMPLE_CL)
SAMPLE(SAMPLE_D)
SAMPLE(SAMPLE_D_CL)
SAMPLE(SAMPLE_L)
SAMPLE(SAMPLE_B)
SAMPLE(SAMPLE_B_CL)
SAMPLE(SAMPLE_LZ)
SAMPLE(SAMPLE_O)
SAMPLE(SAMPLE_CL_O)
SAMPLE(SAMPLE_D_O)
SAMPLE(SAMPLE_D_CL_O)
SAMPLE(SAMPLE_L_O)
SAMPLE(SAMPLE_B_O)
SAMPLE(SAMPLE_B_CL_O)
SAMPLE(SAMPLE_LZ_O)
SAMPLE(GATHER4)
SAMPLE(GATHER4_CL)
SAMPLE(GATHER4_L)
SAMPLE(GATHER4_B)
SAMPLE(GATHER4_B_CL)
SAMPLE(GATHER4_LZ)
SAMPLE(GATHER4_O)
SAMPLE(GATHER4_CL_O)
SAMPLE(GATHER4_L_O)
SAMPLE(GATHER4_B_O)
SAMPLE(GATHER4_B_CL_O)
SAMPLE(GATHER4_LZ_O)
SAMPLE(SAMPLE_CD)
SAMPLE(SAMPLE_CD_CL)
SAMPLE(SAMPLE_CD_O)
SAMPLE(SAMPLE_CD_CL_O)
SAMPLE(SAMPLE_C)
SAMPLE(SAMPLE_C_CL)
SAMPLE(SAMPLE_C_D)
SAMPLE(SAMPLE_C_D_CL)
SAMPLE(SAMPLE_C_L)
SAMPLE(SAMPLE_C_B)
SAMPLE(SAMPLE_C_B_CL)
SAMPLE(SAMPLE_C_LZ)
SAMPLE(SAMPLE_C_O)
SAMPLE(SAMPLE_C_CL_O)
SAMPLE(SAMPLE_C_D_O)
SAMPLE(SAMPLE_C_D_CL_O)
SAMPLE(SAMPLE_C_L_O)
SAMPLE(SAMPLE_C_B_O)
SAMPLE(SAMPLE_C_B_CL_O)
SAMPLE(SAMPLE_C_LZ_O)
SAMPLE(GATHER4_C)
SAMPLE(GATHER4_C_CL)
SAMPLE(GATHER4_C_L)
SAMPLE(GATHER4_C_B)
SAMPLE(GATHER4_C_B_CL)
SAMPLE(GATHER4_C_LZ)
SAMPLE(GATHER4_C_O)
SAMPLE(GATHER4_C_CL_O)
SAMPLE(GATHER4_C_L_O)
SAMPLE(GATHER4_C_B_O)
SAMPLE(GATHER4_C_B_CL_O)
SAMPLE(GATHER4_C_LZ_O)
SAMPLE(SAMPLE_C_CD)
SAMPLE(SAMPLE_C_CD_CL)
SAMPLE(SAMPLE_C_CD_O)
SAMPLE(SAMPLE_C_CD_CL_O)

#undef SAMPLE
// clang-format on

}  // namespace gcnjit::runtime
