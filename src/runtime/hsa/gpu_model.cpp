#include "runtime/hsa/gpu_model.h"

#include <algorithm>
#include <array>

#include "frontend/code_object/target.h"

namespace gcnjit::hsa {
namespace {

// Profile: Debian's HIP takes gfx701 for an integrated processor, so only with the full one.
// Of models that a name fits, the first is meant: Vega 20 cards come with SRAM-ECC switched on.
constexpr std::array<GpuModel, 5> kModels = {{
    {"gfx701", "amdgcn-amd-amdhsa--gfx701", "Hawaii (gcnjit)", 0x67A0, HSA_PROFILE_FULL},
    {"gfx803", "amdgcn-amd-amdhsa--gfx803", "Fiji (gcnjit)", 0x7300, HSA_PROFILE_BASE},
    {"gfx900", "amdgcn-amd-amdhsa--gfx900:xnack-", "Vega 10 (gcnjit)", 0x6863, HSA_PROFILE_BASE},
    {"gfx906", "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", "Vega 20 (gcnjit)", 0x66A1,
     HSA_PROFILE_BASE},
    {"gfx906", "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-", "Vega 20 (gcnjit)", 0x66A1,
     HSA_PROFILE_BASE},
}};

}  // namespace

std::string_view GpuModel::target() const {
  const std::string_view name = isa;
  return name.substr(name.rfind("--") + 2);
}

const GpuModel* FindGpuModel(std::string_view target) {
  const auto found = std::ranges::find_if(kModels, [target](const GpuModel& model) {
    return frontend::TargetFits(model.target(), target);
  });
  return found == kModels.end() ? nullptr : &*found;
}

std::string GpuModelNames() {
  std::string names;
  for (const GpuModel& model : kModels) {
    if (!names.empty()) names += ", ";
    // What a shorter name does not stand for is called by all of it.
    names += FindGpuModel(model.processor) == &model ? model.processor : model.target();
  }
  return names;
}

}  // namespace gcnjit::hsa
