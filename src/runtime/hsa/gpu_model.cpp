#include "runtime/hsa/gpu_model.h"

#include <array>

namespace gcnjit::hsa {
namespace {

// Profile: Debian's HIP takes gfx701 for an integrated processor, so only with the full one.
constexpr std::array<GpuModel, 4> kModels = {{
    {"gfx701", "amdgcn-amd-amdhsa--gfx701", "Hawaii (gcnjit)", 0x67A0, HSA_PROFILE_FULL},
    {"gfx803", "amdgcn-amd-amdhsa--gfx803", "Fiji (gcnjit)", 0x7300, HSA_PROFILE_BASE},
    {"gfx900", "amdgcn-amd-amdhsa--gfx900:xnack-", "Vega 10 (gcnjit)", 0x6863, HSA_PROFILE_BASE},
    {"gfx906", "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-", "Vega 20 (gcnjit)", 0x66A1,
     HSA_PROFILE_BASE},
}};

}  // namespace

const GpuModel* FindGpuModel(std::string_view processor) {
  for (const GpuModel& model : kModels) {
    if (processor == model.processor) return &model;
  }
  return nullptr;
}

std::string GpuModelNames() {
  std::string names;
  for (const GpuModel& model : kModels) {
    if (!names.empty()) names += ", ";
    names += model.processor;
  }
  return names;
}

}  // namespace gcnjit::hsa
