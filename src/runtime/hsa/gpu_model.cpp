#include "runtime/hsa/gpu_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/target_features.h"

namespace gcnjit::hsa {
namespace {

// Profile: Debian's HIP takes gfx701 for an integrated processor, so only with the full one.
// Of models that a name may stand for, the first is meant: Vega 20 cards come with SRAM-ECC
// switched on.
constexpr std::array<GpuModel, 9> kModels = {{
    {"gfx701", "amdgcn-amd-amdhsa--gfx701", "Hawaii (gcnjit)", 0x67A0, HSA_PROFILE_FULL},
    {"gfx803", "amdgcn-amd-amdhsa--gfx803", "Fiji (gcnjit)", 0x7300, HSA_PROFILE_BASE},
    {"gfx900", "amdgcn-amd-amdhsa--gfx900:xnack-", "Vega 10 (gcnjit)", 0x6863, HSA_PROFILE_BASE},
    {"gfx906", "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", "Vega 20 (gcnjit)", 0x66A1,
     HSA_PROFILE_BASE},
    {"gfx906", "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-", "Vega 20 (gcnjit)", 0x66A1,
     HSA_PROFILE_BASE},
    {"gfx908", "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-", "MI100 (gcnjit)", 0x738C,
     HSA_PROFILE_BASE},
    {"gfx908", "amdgcn-amd-amdhsa--gfx908:sramecc-:xnack-", "MI100 (gcnjit)", 0x738C,
     HSA_PROFILE_BASE},
    {"gfx90a", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "MI210 (gcnjit)", 0x740F,
     HSA_PROFILE_BASE},
    {"gfx942", "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", "MI300X (gcnjit)", 0x74A1,
     HSA_PROFILE_BASE},
}};

// Is each part of `target`, which are separated by colons, one of the model's target ID?
bool IsMeant(const GpuModel& model, std::string_view target) {
  if (!frontend::HasPlainFeatures(target)) return false;
  const std::string parts = fmt::format(":{}:", model.target());
  for (std::string_view rest = target;;) {
    const size_t colon = rest.find(':');
    const std::string part = fmt::format(":{}:", rest.substr(0, colon));
    if (parts.find(part) == std::string::npos) return false;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return target.substr(0, target.find(':')) == model.processor;
}

}  // namespace

std::string_view GpuModel::target() const {
  const std::string_view name = isa;
  return name.substr(name.rfind("--") + 2);
}

frontend::Generation GpuModel::generation() const {
  return frontend::GenerationOfTarget(processor).value();
}

const GpuModel* FindGpuModel(std::string_view target) {
  const auto found = std::ranges::find_if(
      kModels, [target](const GpuModel& model) { return IsMeant(model, target); });
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
