// Entry points: the symbols of an executable.
#include <vector>

#include "runtime/hsa/executables.h"
#include "runtime/hsa/status.h"
#include "runtime/hsa/symbol_info.h"

using namespace gcnjit::hsa;

namespace {

hsa_status_t FindExecutableSymbol(hsa_executable_t handle, const char* name,
                                  const hsa_agent_t* agent_handle,
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
      *symbol = found->handle;
      return HSA_STATUS_SUCCESS;
    });
  });
}

// The symbols' handles first: a callback may ask for anything.
std::vector<hsa_executable_symbol_t> SymbolsOf(Runtime& runtime, hsa_executable_t handle,
                                               const Agent* agent, hsa_status_t& status) {
  std::vector<hsa_executable_symbol_t> handles;
  status = runtime.executables().With(handle, [&](Executable& executable) {
    handles.reserve(executable.symbols.size());
    for (const Symbol& symbol : executable.symbols) {
      if (agent == nullptr || symbol.agent == agent) handles.push_back(symbol.handle);
    }
    return HSA_STATUS_SUCCESS;
  });
  return handles;
}

}  // namespace

extern "C" hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable,
                                                          const char* name,
                                                          const hsa_agent_t* agent,
                                                          hsa_executable_symbol_t* symbol) {
  return FindExecutableSymbol(executable, name, agent, symbol);
}

extern "C" hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char*,
                                                  const char* name, hsa_agent_t agent, int32_t,
                                                  hsa_executable_symbol_t* symbol) {
  return FindExecutableSymbol(executable, name, agent.handle == 0 ? nullptr : &agent, symbol);
}

extern "C" hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t handle,
                                                       hsa_executable_symbol_info_t attribute,
                                                       void* value) {
  return Guarded([&](Runtime& runtime) {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Symbol* const symbol = runtime.executables().Find(handle);
    if (symbol == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    return GetSymbolInfo(*symbol, NumberOf(attribute), value);
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
