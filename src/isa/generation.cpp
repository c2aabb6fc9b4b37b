#include "isa/generation.h"

#include <utility>

#include "isa/target_features.h"

namespace gcnjit::frontend {

std::optional<Generation> GenerationOfTarget(std::string_view target) {
  // LLVM AMDGPUUsage, "Processors". gfx904 and gfx909 are left out: they execute differently
  // (fma_mix, no separate memory).
  static constexpr std::pair<std::string_view, Generation> kTargets[] = {
      {"gfx600", Generation::kGfx6},   {"gfx601", Generation::kGfx6},
      {"gfx602", Generation::kGfx6},   {"gfx700", Generation::kGfx7},
      {"gfx701", Generation::kGfx7},   {"gfx702", Generation::kGfx7},
      {"gfx703", Generation::kGfx7},   {"gfx704", Generation::kGfx7},
      {"gfx705", Generation::kGfx7},   {"gfx801", Generation::kGfx8},
      {"gfx802", Generation::kGfx8},   {"gfx803", Generation::kGfx8},
      {"gfx805", Generation::kGfx8},   {"gfx810", Generation::kGfx8},
      {"gfx900", Generation::kGfx900}, {"gfx902", Generation::kGfx900},
      {"gfx906", Generation::kGfx906}, {"gfx908", Generation::kGfx908},
      {"gfx90a", Generation::kGfx90a}, {"gfx942", Generation::kGfx942},
  };
  if (!HasPlainFeatures(target)) return std::nullopt;
  const std::string_view name = target.substr(0, target.find(':'));
  for (const auto& [known, generation] : kTargets) {
    if (known == name) return generation;
  }
  return std::nullopt;
}

}  // namespace gcnjit::frontend
