// What code is executed as: an instruction set, and what devices that have it differ in.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "isa/generation.h"

namespace gcnjit::frontend {

struct Processor {
  Generation generation = Generation::kGfx900;
  // The device's memories have SRAM-ECC, which is on: registers are written as a whole, so D16
  // loads set the half that they do not load to 0 instead of keeping it (LLVM
  // GCNSubtarget::d16PreservesUnusedBits; Mesa ACO get_subdword_definition_info; Tensile
  // HasEccHalf).
  bool sram_ecc = false;

  constexpr Processor() = default;
  // Without what only some of the generation's devices have.
  constexpr Processor(Generation g) : generation(g) {}
  constexpr Processor(Generation g, bool has_sram_ecc) : generation(g), sram_ecc(has_sram_ecc) {}
  bool operator==(const Processor& other) const = default;
};

// All that there are: generations with SRAM-ECC are two.
inline constexpr auto kProcessors = [] {
  constexpr size_t kCount =
      kGenerationCount +
      std::ranges::count_if(kGenerations, [](Generation g) { return Has(g, kSramEcc); });
  std::array<Processor, kCount> all{};
  size_t count = 0;
  for (const Generation g : kGenerations) {
    all[count++] = g;
    if (Has(g, kSramEcc)) all[count++] = {g, true};
  }
  return all;
}();

}  // namespace gcnjit::frontend
