#include "runtime/hsa/symbol_info.h"

#include <algorithm>
#include <cstring>

#include "runtime/hsa/status.h"

namespace gcnjit::hsa {
namespace {

hsa_status_t GetKernelInfo(const gcnjit::runtime::LoadedKernel& kernel, uint32_t number,
                           void* value) {
  constexpr uint32_t kKernargAlignment = 16;
  const gcnjit::KernelInfo& info = *kernel.info;
  switch (number) {
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
      return Put<uint64_t>(value, kernel.descriptor_address);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
      return Put<uint32_t>(value,
                           std::max(kernel.descriptor.kernarg_bytes, info.kernarg_segment_size));
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
      return Put<uint32_t>(value, std::max(kKernargAlignment, info.kernarg_segment_align));
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
      return Put<uint32_t>(value, kernel.descriptor.group_segment_bytes);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
      return Put<uint32_t>(value, kernel.descriptor.private_segment_bytes);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
      return Put<bool>(value, info.uses_dynamic_stack || kernel.descriptor.uses_dynamic_stack);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION: return Put<uint32_t>(value, 0);
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t GetVariableInfo(const Symbol& symbol, uint32_t number, void* value) {
  switch (number) {
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS: return Put<uint64_t>(value, symbol.address);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
      return Put<uint32_t>(value, static_cast<uint32_t>(symbol.size));
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
      return Put(value, HSA_VARIABLE_ALLOCATION_AGENT);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
      return Put(value, HSA_VARIABLE_SEGMENT_GLOBAL);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT: {
      // Not in the code object; the address says what it is at least.
      constexpr uint64_t kMost = 4096;
      return Put<uint32_t>(value, static_cast<uint32_t>(std::min<uint64_t>(
                                      symbol.address & (~symbol.address + 1), kMost)));
    }
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST: return Put<bool>(value, false);
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace

hsa_status_t GetSymbolInfo(const Symbol& symbol, uint32_t number, void* value) {
  switch (number) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
      return Put(value,
                 symbol.kernel != nullptr ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
      return Put<uint32_t>(value, static_cast<uint32_t>(symbol.name.size()));
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
      std::memcpy(value, symbol.name.data(), symbol.name.size());
      return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH: return Put<uint32_t>(value, 0);
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME: return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_AGENT: return Put(value, symbol.agent->handle());
    case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE: return Put(value, HSA_SYMBOL_LINKAGE_PROGRAM);
    case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION: return Put<bool>(value, true);
    default:
      return symbol.kernel != nullptr ? GetKernelInfo(*symbol.kernel, number, value)
                                      : GetVariableInfo(symbol, number, value);
  }
}

}  // namespace gcnjit::hsa
