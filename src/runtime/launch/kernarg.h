// The kernarg segment of a launch: explicit arguments as given, hidden ones as the metadata asks.
// Source: LLVM AMDGPUUsage, "Code Object V3/V4/V5 Metadata", value kinds of kernel arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gcnjit/error.h"
#include "gcnjit/launch.h"
#include "gcnjit/program.h"

namespace gcnjit::runtime {

struct KernargSegment {
  std::vector<std::byte> bytes;
  uint32_t dynamic_lds_bytes = 0;  // sum of the dynamic LDS arguments, with alignment
};

// Guest addresses that hidden arguments give; 0: there is none.
struct HiddenAddresses {
  uint64_t queue = 0;
  uint64_t printf_buffer = 0;
  uint64_t hostcall_buffer = 0;
};

// Lays out the segment. `minimum_bytes`: at least so many (what the descriptor says). Errors name
// the argument and what was expected.
Result<KernargSegment> BuildKernarg(const KernelInfo& kernel, const LaunchConfig& config,
                                    const Arguments& arguments, uint32_t minimum_bytes,
                                    const HiddenAddresses& hidden);

// Number of dimensions of the grid, 1 to 3: those up to the last axis that has more than one
// work-item, and those that the launch says it has.
uint32_t DimensionsInUse(const LaunchConfig& config);
uint32_t DimensionsOf(const LaunchConfig& config);

}  // namespace gcnjit::runtime
