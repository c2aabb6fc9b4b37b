// What a kernel finds in memory of the request that started it.
#pragma once

#include <cstdint>

namespace gcnjit::runtime {

// hsa_kernel_dispatch_packet_t (HSA Runtime 1.2, 2.6).
struct DispatchPacket {
  uint16_t header;
  uint16_t setup;
  uint16_t workgroup_size[3];
  uint16_t reserved0;
  uint32_t grid_size[3];
  uint32_t private_segment_size;
  uint32_t group_segment_size;
  uint64_t kernel_object;
  uint64_t kernarg_address;
  uint64_t reserved2;
  uint64_t completion_signal;
};
static_assert(sizeof(DispatchPacket) == 64);

// The part of amd_queue_t (LLVM AMDGPUUsage, "Flat Scratch"; amd_hsa_queue.h) that code reads.
inline constexpr uint64_t kQueueBytes = 256;
inline constexpr uint64_t kQueueGroupApertureOffset = 0x40;
inline constexpr uint64_t kQueuePrivateApertureOffset = 0x44;

}  // namespace gcnjit::runtime
