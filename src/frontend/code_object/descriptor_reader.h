// Decodes the two binary forms of a kernel descriptor.
#pragma once

#include <cstdint>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/kernel_descriptor.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

inline constexpr uint64_t kDescriptorBytes = 64;   // code object v3 to v6
inline constexpr uint64_t kKernelCodeBytes = 256;  // amd_kernel_code_t of code object v2

// `bytes` holds kDescriptorBytes; `address` is where they are in the code object's address space.
Result<KernelDescriptor> ReadDescriptor(Bytes bytes, uint64_t address, Generation generation);

// What amd_kernel_code_t says beyond a descriptor.
struct KernelCode {
  KernelDescriptor descriptor;
  uint32_t sgpr_count = 0;
  uint32_t vgpr_count = 0;
  uint32_t kernarg_align = 0;  // bytes
};

// `bytes` holds kKernelCodeBytes.
Result<KernelCode> ReadKernelCode(Bytes bytes, uint64_t address, Generation generation);

}  // namespace gcnjit::frontend
