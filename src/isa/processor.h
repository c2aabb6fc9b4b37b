// What code is executed as: an instruction set, and what devices that have it differ in.
#pragma once

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

// Are there devices of this generation with SRAM-ECC? (LLVM AMDGPUUsage, "Processors".)
constexpr bool MayHaveSramEcc(Generation generation) {
  switch (generation) {
    case Generation::kGfx6:
    case Generation::kGfx7:
    case Generation::kGfx8:
    case Generation::kGfx900: return false;
    case Generation::kGfx906: return true;
  }
  return false;
}

// All that there are.
inline constexpr Processor kProcessors[] = {Generation::kGfx6,   Generation::kGfx7,
                                            Generation::kGfx8,   Generation::kGfx900,
                                            Generation::kGfx906, {Generation::kGfx906, true}};

}  // namespace gcnjit::frontend
