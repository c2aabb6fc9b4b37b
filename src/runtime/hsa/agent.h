// The emulated machine: a CPU agent, GPU agents, and their memory pools.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/hsa/gpu_model.h"

namespace gcnjit::hsa {

struct Agent;

struct Pool {
  const Agent* agent = nullptr;
  hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GLOBAL;
  uint32_t flags = 0;  // hsa_amd_memory_pool_global_flag_t
  uint64_t bytes = 0;

  bool IsGlobal() const { return segment == HSA_AMD_SEGMENT_GLOBAL; }
  bool IsFineGrained() const {
    return IsGlobal() && (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) != 0;
  }
};

struct Cache {
  const char* name = "";
  uint8_t level = 0;
  uint32_t bytes = 0;
};
// Those of a GPU: what compilers and host programs size their tiles by. CPUs say nothing of theirs.
inline constexpr std::array<Cache, 2> kGpuCaches = {
    {{"vector L1", 1, 16 * 1024}, {"L2", 2, 4 * 1024 * 1024}}};

struct Agent {
  const GpuModel* gpu = nullptr;  // null: the CPU
  uint32_t node = 0;
  std::vector<Pool> pools;

  hsa_agent_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
  hsa_isa_t isa() const { return {reinterpret_cast<uint64_t>(gpu)}; }
};

// Sizes that both agents and ISAs are asked for.
inline constexpr uint32_t kWaveSize = 64;
inline constexpr uint32_t kMaxGroupSize = 1024;
inline constexpr uint32_t kMinQueuePackets = 64;
inline constexpr uint32_t kMaxQueuePackets = 131072;
inline constexpr uint32_t kGroupSegmentBytes = 64 * 1024;
inline constexpr uint64_t kPoolGranule = 4096;
inline constexpr uint64_t kLargeGranule = 2 * 1024 * 1024;

}  // namespace gcnjit::hsa
