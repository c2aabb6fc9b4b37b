// Offsets: LLVM AMDGPUUsage, "Kernel Descriptor" (v3 to v6); AMDKernelCodeT.h (v2), checked against
// what clang 14 writes for known values of the .amd_kernel_code_t directives.
#include "frontend/code_object/descriptor_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace gcnjit::frontend {
namespace {

constexpr uint32_t kWave32 = 1 << 10;            // kernel_code_properties
constexpr uint32_t kUsesDynamicStack = 1 << 11;  // kernel_code_properties, v5 on
constexpr uint32_t kV2DynamicStack = 1 << 20;    // code_properties of amd_kernel_code_t

bool Bit(uint32_t word, int bit) { return ((word >> bit) & 1) != 0; }

// Bits 0 to 6 mean the same in both forms.
void ReadUserSgprs(uint32_t properties, KernelDescriptor* descriptor) {
  descriptor->private_segment_buffer = Bit(properties, 0);
  descriptor->dispatch_ptr = Bit(properties, 1);
  descriptor->queue_ptr = Bit(properties, 2);
  descriptor->kernarg_segment_ptr = Bit(properties, 3);
  descriptor->dispatch_id = Bit(properties, 4);
  descriptor->flat_scratch_init = Bit(properties, 5);
  descriptor->private_segment_size = Bit(properties, 6);
}

uint32_t SgprsBeforePreloaded(const KernelDescriptor& d) {
  return (d.private_segment_buffer ? 4u : 0u) + (d.dispatch_ptr ? 2u : 0u) +
         (d.queue_ptr ? 2u : 0u) + (d.kernarg_segment_ptr ? 2u : 0u) + (d.dispatch_id ? 2u : 0u) +
         (d.flat_scratch_init ? 2u : 0u) + (d.private_segment_size ? 1u : 0u);
}

// Firmware that loads the arguments starts after 256 bytes of code, which are for firmware that
// does not (AMDGPUUsage, "Preloaded Kernel Arguments").
Result<void> ReadPreload(uint32_t specification, KernelDescriptor* descriptor) {
  constexpr uint64_t kCodeForOldFirmware = 256;
  if (specification == 0) return {};
  if (!Has(descriptor->generation, kKernargPreload)) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("the kernel descriptor at address {:#x} asks for preloaded kernel "
                             "arguments, which {} does not have",
                             descriptor->address, TargetName(descriptor->generation))};
  }
  const uint32_t dwords = specification & 0x7F;
  const uint32_t user_sgprs = std::min(descriptor->UserSgprCount(), kMostUserSgprs);
  if (SgprsBeforePreloaded(*descriptor) + dwords > user_sgprs) {
    return Error{ErrorCode::kInvalidCodeObject,
                 fmt::format("the kernel descriptor at address {:#x} asks for {} dwords of "
                             "preloaded kernel arguments, more than its user SGPRs hold",
                             descriptor->address, dwords)};
  }
  descriptor->preloaded_dwords = dwords;
  descriptor->first_preloaded_dword = specification >> 7;
  if (dwords != 0) descriptor->entry += kCodeForOldFirmware;
  return {};
}

Error Wave32(uint64_t address) {
  return {ErrorCode::kUnsupported,
          fmt::format("the kernel descriptor at address {:#x} asks for waves of 32 lanes, which no "
                      "emulated target has",
                      address)};
}

}  // namespace

Result<KernelDescriptor> ReadDescriptor(Bytes bytes, uint64_t address, Generation generation) {
  KernelDescriptor descriptor;
  descriptor.generation = generation;
  descriptor.address = address;
  descriptor.group_segment_bytes = *Read<uint32_t>(bytes, 0);
  descriptor.private_segment_bytes = *Read<uint32_t>(bytes, 4);
  descriptor.kernarg_bytes = *Read<uint32_t>(bytes, 8);
  descriptor.entry = address + *Read<uint64_t>(bytes, 16);  // a signed offset; wraps on purpose
  descriptor.rsrc3 = *Read<uint32_t>(bytes, 44);
  descriptor.rsrc1 = *Read<uint32_t>(bytes, 48);
  descriptor.rsrc2 = *Read<uint32_t>(bytes, 52);
  const uint32_t properties = *Read<uint16_t>(bytes, 56);
  if ((properties & kWave32) != 0) return Wave32(address);
  ReadUserSgprs(properties, &descriptor);
  if (auto result = ReadPreload(*Read<uint16_t>(bytes, 58), &descriptor); !result) {
    return result.error();
  }
  descriptor.uses_dynamic_stack = (properties & kUsesDynamicStack) != 0;
  return descriptor;
}

Result<KernelCode> ReadKernelCode(Bytes bytes, uint64_t address, Generation generation) {
  const uint32_t major = *Read<uint32_t>(bytes, 0);
  if (major != 1) {
    return Error{
        ErrorCode::kInvalidCodeObject,
        fmt::format("amd_kernel_code_t at address {:#x} has version {}, not 1", address, major)};
  }
  KernelCode code;
  KernelDescriptor& descriptor = code.descriptor;
  descriptor.generation = generation;
  descriptor.address = address;
  descriptor.entry = address + *Read<uint64_t>(bytes, 16);  // a signed offset; wraps on purpose
  descriptor.rsrc1 = *Read<uint32_t>(bytes, 48);
  descriptor.rsrc2 = *Read<uint32_t>(bytes, 52);
  const uint32_t properties = *Read<uint32_t>(bytes, 56);
  if ((properties & kWave32) != 0) return Wave32(address);
  ReadUserSgprs(properties, &descriptor);
  for (int axis = 0; axis < 3; ++axis) {
    descriptor.grid_workgroup_count[axis] = Bit(properties, 7 + axis);
  }
  descriptor.uses_dynamic_stack = (properties & kV2DynamicStack) != 0;
  descriptor.private_segment_bytes = *Read<uint32_t>(bytes, 60);
  descriptor.group_segment_bytes = *Read<uint32_t>(bytes, 64);
  const uint64_t kernarg_bytes = *Read<uint64_t>(bytes, 72);
  if (kernarg_bytes > UINT32_MAX) {
    return Error{ErrorCode::kInvalidCodeObject,
                 fmt::format("amd_kernel_code_t at address {:#x} has a kernarg segment of {} bytes",
                             address, kernarg_bytes)};
  }
  descriptor.kernarg_bytes = static_cast<uint32_t>(kernarg_bytes);
  code.sgpr_count = *Read<uint16_t>(bytes, 84);
  code.vgpr_count = *Read<uint16_t>(bytes, 86);
  const uint32_t align_log2 = static_cast<uint32_t>(*Read<uint8_t>(bytes, 100));
  code.kernarg_align = align_log2 < 32 ? uint32_t{1} << align_log2 : 0;
  return code;
}

}  // namespace gcnjit::frontend
