// Attributes that came after ROCm 5.2. They are answered whatever headers we are built with: the
// host program may be of a later release, whose HIP does without the device if one is refused.
// Numbers and types are those of hsa.h and hsa_ext_amd.h of ROCm 6.4.
#pragma once

#include <cstdint>

namespace gcnjit::hsa {

enum AgentNumber : uint32_t {
  kAgentMemoryAvailable = 0xA015,       // uint64_t, bytes
  kAgentTimestampFrequency = 0xA016,    // uint64_t, Hz: of kernels' clock
  kAgentAsicFamily = 0xA107,            // uint32_t
  kAgentMicrocodeVersion = 0xA108,      // uint32_t
  kAgentSdmaMicrocodeVersion = 0xA109,  // uint32_t
  kAgentSdmaEngines = 0xA10A,           // uint32_t
  kAgentSdmaXgmiEngines = 0xA10B,       // uint32_t
  kAgentIommu = 0xA110,                 // uint32_t; 0: none
  kAgentXccs = 0xA111,                  // uint32_t
  kAgentDriverUid = 0xA112,             // uint32_t
  kAgentNearestCpu = 0xA113,            // hsa_agent_t
  kAgentMemoryProperties = 0xA114,      // uint8_t[8], flags
  kAgentAqlExtensions = 0xA115,         // uint8_t[8], flags
  kAgentScratchLimitMax = 0xA116,       // uint64_t, bytes
  kAgentScratchLimitCurrent = 0xA117,   // uint64_t, bytes
};

enum PoolNumber : uint32_t {
  kPoolLocation = 17,            // 32 bits; 0: a CPU's, 1: a GPU's
  kPoolRecommendedGranule = 18,  // size_t, bytes
};

enum SystemNumber : uint32_t {
  kSystemMwaitxEnabled = 0x203,    // bool
  kSystemDmabufSupported = 0x204,  // bool
  kSystemVirtualMemory = 0x205,    // bool
  kSystemXnackEnabled = 0x206,     // bool
  kSystemExtVersionMajor = 0x207,  // uint16_t
  kSystemExtVersionMinor = 0x208,  // uint16_t
};

}  // namespace gcnjit::hsa
