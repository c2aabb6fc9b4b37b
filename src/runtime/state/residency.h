// How many work-groups of a kernel the emulated device holds at the same time.
#pragma once

#include <cstdint>

#include "frontend/code_object/kernel_descriptor.h"
#include "isa/generation.h"

namespace gcnjit::runtime {

// What every device says of itself, whatever its name (runtime/hsa).
inline constexpr uint32_t kComputeUnits = 64;
inline constexpr uint32_t kSimdsOfComputeUnit = 4;
inline constexpr uint32_t kMostWavesOfSimd = 10;

// A register file for VGPRs and AccVGPRs has room for fewer waves (LLVM, getMaxWavesPerEU; what
// rocminfo says of an MI210).
constexpr uint32_t WavesOfSimd(frontend::Generation generation) {
  return frontend::Has(generation, frontend::kUnifiedVgprs) ? 8 : kMostWavesOfSimd;
}

// At least 1. `lds_bytes`: of a group.
uint64_t ResidentGroups(frontend::Generation generation, const frontend::KernelDescriptor& kernel,
                        uint32_t lds_bytes, uint64_t waves_of_group);

}  // namespace gcnjit::runtime
