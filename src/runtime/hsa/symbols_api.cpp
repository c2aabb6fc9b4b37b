// Entry points: the symbols of an executable.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/hsa/executables.h"
#include "runtime/hsa/status.h"

using namespace gcnjit::hsa;

namespace {

hsa_status_t FindSymbol(hsa_executable_t handle, const char* name, const hsa_agent_t* agent_handle,
                        hsa_executable_symbol_t* symbol) {
  return Guarded([&](Runtime& runtime) {
    if (name == nullptr || symbol == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Agent* agent = nullptr;
    if (agent_handle != nullptr) {
      agent = runtime.Find(*agent_handle);
      if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    return runtime.executables().With(handle, [&](Executable& executable) {
      const Symbol* found = executable.Find(name, agent);
      if (found == nullptr) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
      *symbol = found->handle();
      return HSA_STATUS_SUCCESS;
    });
  });
}

// The symbols' handles first: a callback may ask for anything.
std::vector<hsa_executable_symbol_t> SymbolsOf(Runtime& runtime, hsa_executable_t handle,
                                               const Agent* agent, hsa_status_t& status) {
  std::vector<hsa_executable_symbol_t> handles;
  status = runtime.executables().With(handle, [&](Executable& executable) {
    for (const auto& symbol : executable.symbols) {
      if (agent == nullptr || symbol->agent == agent) handles.push_back(symbol->handle());
    }
    return HSA_STATUS_SUCCESS;
  });
  return handles;
}

hsa_status_t GetKernelInfo(const gcnjit::runtime::LoadedKernel& kernel,
                           hsa_executable_symbol_info_t attribute, void* value) {
  constexpr uint32_t kKernargAlignment = 16;
  const gcnjit::KernelInfo& info = *kernel.info;
  switch (attribute) {
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

hsa_status_t GetVariableInfo(const Symbol& symbol, hsa_executable_symbol_info_t attribute,
                             void* value) {
  switch (attribute) {
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

hsa_status_t GetInfo(const Symbol& symbol, hsa_executable_symbol_info_t attribute, void* value) {
  switch (attribute) {
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
      return symbol.kernel != nullptr ? GetKernelInfo(*symbol.kernel, attribute, value)
                                      : GetVariableInfo(symbol, attribute, value);
  }
}

}  // namespace

extern "C" hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable,
                                                          const char* name,
                                                          const hsa_agent_t* agent,
                                                          hsa_executable_symbol_t* symbol) {
  return FindSymbol(executable, name, agent, symbol);
}

extern "C" hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char*,
                                                  const char* name, hsa_agent_t agent, int32_t,
                                                  hsa_executable_symbol_t* symbol) {
  return FindSymbol(executable, name, agent.handle == 0 ? nullptr : &agent, symbol);
}

extern "C" hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t handle,
                                                       hsa_executable_symbol_info_t attribute,
                                                       void* value) {
  return Guarded([&](Runtime& runtime) {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.executables().With(
        handle, [&](const Symbol& symbol) { return GetInfo(symbol, attribute, value); });
  });
}

extern "C" hsa_status_t hsa_executable_iterate_symbols(
    hsa_executable_t handle,
    hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*), void* data) {
  return Guarded([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status;
    for (const hsa_executable_symbol_t symbol : SymbolsOf(runtime, handle, nullptr, status)) {
      status = callback(handle, symbol, data);
      if (status != HSA_STATUS_SUCCESS) break;
    }
    return status;
  });
}

extern "C" hsa_status_t hsa_executable_iterate_agent_symbols(
    hsa_executable_t handle, hsa_agent_t agent_handle,
    hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*),
    void* data) {
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = runtime.Find(agent_handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status;
    for (const hsa_executable_symbol_t symbol : SymbolsOf(runtime, handle, agent, status)) {
      status = callback(handle, agent_handle, symbol, data);
      if (status != HSA_STATUS_SUCCESS) break;
    }
    return status;
  });
}

// All symbols belong to an agent.
extern "C" hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t handle,
    hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*), void*) {
  return Guarded([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.executables().With(handle, [](Executable&) { return HSA_STATUS_SUCCESS; });
  });
}
