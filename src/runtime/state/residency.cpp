// Sources: LLVM AMDGPUBaseInfo.cpp (getMaxWavesPerEU, getNumWavesPerEUWithNumVGPRs,
// getTotalNumSGPRs, getSGPRAllocGranule, getMaxWorkGroupsPerCU); GCN3 and Vega manuals, "Kernels
// and wavefronts"; HIP's hipOccupancyMaxActiveBlocksPerMultiprocessor, which never says more.
#include "runtime/state/residency.h"

#include <algorithm>

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kLdsOfComputeUnit = 64 * 1024;
// Each group of several waves has one of so many barriers.
constexpr uint64_t kBarriersOfComputeUnit = 16;

uint64_t RoundUp(uint64_t value, uint64_t granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace

uint64_t ResidentGroups(frontend::Generation generation, const frontend::KernelDescriptor& kernel,
                        uint32_t lds_bytes, uint64_t waves_of_group) {
  const bool gfx8_plus = frontend::IsGfx8Plus(generation);
  const uint64_t sgprs = RoundUp(kernel.SgprCount(), gfx8_plus ? 16 : 8);
  const uint64_t vgprs_of_simd = frontend::Has(generation, frontend::kUnifiedVgprs) ? 512 : 256;
  const uint64_t waves_of_simd =
      std::min({uint64_t{WavesOfSimd(generation)}, vgprs_of_simd / kernel.VgprCount(),
                (gfx8_plus ? 800 : 512) / sgprs});
  uint64_t groups = waves_of_simd * kSimdsOfComputeUnit / std::max<uint64_t>(waves_of_group, 1);
  if (waves_of_group > 1) groups = std::min(groups, kBarriersOfComputeUnit);
  // Without the granule in which LDS is allocated, which HIP leaves out as well.
  if (lds_bytes != 0) groups = std::min(groups, kLdsOfComputeUnit / lds_bytes);
  return std::max<uint64_t>(groups, 1) * kComputeUnits;
}

}  // namespace gcnjit::runtime
