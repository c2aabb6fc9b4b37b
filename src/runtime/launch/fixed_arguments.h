// Arguments of a kernel that lie in memory of the program's, as HSA has them.
#pragma once

#include <cstdint>

#include "runtime/memory/guest_memory.h"

namespace gcnjit::runtime {

// How many bytes of arguments stay what they are until the kernel has ended. All, because nothing
// may change them before (hsa.h, hsa_kernel_dispatch_packet_t::kernarg_address; LLVM's
// AMDGPUUsage: scalar loads are of memory that does not change meanwhile); 0 if the kernel could
// not read all of them.
uint32_t FixedArgumentBytes(const GuestMemory& memory, uint64_t address, uint32_t bytes);

}  // namespace gcnjit::runtime
