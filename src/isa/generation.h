// The instruction sets that are told apart, and the targets that have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gcnjit::frontend {

// Ordered: later ones compare greater. gfx906 is GCN 1.4 (gfx9) with additions and the mad_mix
// instructions replaced by fma_mix.
enum class Generation : uint8_t {
  kGfx6,    // GCN 1.0: gfx600, gfx601, gfx602
  kGfx7,    // GCN 1.1: gfx700 to gfx705
  kGfx8,    // GCN 1.2: gfx801, gfx802, gfx803, gfx805, gfx810
  kGfx900,  // GCN 1.4: gfx900, gfx902
  kGfx906,  // GCN 1.4: gfx906
};
inline constexpr int kGenerationCount = 5;
inline constexpr Generation kGenerations[kGenerationCount] = {
    Generation::kGfx6, Generation::kGfx7, Generation::kGfx8, Generation::kGfx900,
    Generation::kGfx906};

constexpr bool IsGfx9(Generation g) { return g >= Generation::kGfx900; }
constexpr bool IsGfx8Plus(Generation g) { return g >= Generation::kGfx8; }

// The target whose name stands for the generation: "gfx600", "gfx700", "gfx803", "gfx900",
// "gfx906".
const char* TargetName(Generation generation);

// Generation of a target such as "gfx601" or "gfx906:sramecc-:xnack-"; nullopt if it is not
// emulated.
std::optional<Generation> GenerationOfTarget(std::string_view target);

}  // namespace gcnjit::frontend
