// Entry points: code objects that are handles, as before there were readers. OpenMP's runtime and
// LLVM's loader of GPU programs still use them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "frontend/code_object/target.h"
#include "runtime/hsa/code_objects.h"
#include "runtime/hsa/status.h"
#include "runtime/hsa/symbol_info.h"

using namespace gcnjit::hsa;

namespace {

hsa_code_symbol_t HandleOf(const Symbol& symbol) { return {reinterpret_cast<uint64_t>(&symbol)}; }

hsa_status_t FindCodeSymbol(hsa_code_object_t handle, const char* name, hsa_code_symbol_t* symbol) {
  return Guarded([&](Runtime& runtime) {
    if (name == nullptr || symbol == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto code = runtime.code_objects().Find(handle);
    if (code == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    const Symbol* const found = code->Find(name);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
    *symbol = HandleOf(*found);
    return HSA_STATUS_SUCCESS;
  });
}

// The ISA of a device of this machine that the code is for.
hsa_status_t PutIsa(const Runtime& runtime, const SerializedCode& code, void* value) {
  for (const Agent& agent : runtime.agents()) {
    if (agent.gpu != nullptr &&
        gcnjit::frontend::TargetFits(code.object.target, agent.gpu->target())) {
      return Put(value, agent.isa());
    }
  }
  return HSA_STATUS_ERROR_INVALID_ISA_NAME;
}

hsa_status_t PutVersion(const SerializedCode& code, void* value) {
  constexpr size_t kBytes = 64;
  const std::string text = fmt::format("{}.0", code.object.version);
  std::memset(value, 0, kBytes);
  std::memcpy(value, text.data(), std::min(text.size(), kBytes - 1));
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" hsa_status_t hsa_code_object_deserialize(void* serialized, size_t size, const char*,
                                                    hsa_code_object_t* code_object) {
  return Guarded([&](Runtime& runtime) {
    if (serialized == nullptr || code_object == nullptr || size == 0) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const auto* const bytes = static_cast<const std::byte*>(serialized);
    *code_object = runtime.code_objects().Add({bytes, bytes + size});
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_code_object_serialize(
    hsa_code_object_t code_object,
    hsa_status_t (*allocate)(size_t size, hsa_callback_data_t data, void** address),
    hsa_callback_data_t data, const char*, void** serialized, size_t* size) {
  return Guarded([&](Runtime& runtime) {
    if (allocate == nullptr || serialized == nullptr || size == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const auto code = runtime.code_objects().Find(code_object);
    if (code == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    *serialized = nullptr;
    const hsa_status_t status = allocate(code->bytes.size(), data, serialized);
    if (status != HSA_STATUS_SUCCESS) return status;
    if (*serialized == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    std::memcpy(*serialized, code->bytes.data(), code->bytes.size());
    *size = code->bytes.size();
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_code_object_destroy(hsa_code_object_t code_object) {
  return Guarded([&](Runtime& runtime) {
    return runtime.code_objects().Remove(code_object) ? HSA_STATUS_SUCCESS
                                                      : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  });
}

extern "C" hsa_status_t hsa_code_object_get_info(hsa_code_object_t code_object,
                                                 hsa_code_object_info_t attribute, void* value) {
  return Guarded([&](Runtime& runtime) {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto code = runtime.code_objects().Find(code_object);
    if (code == nullptr || !code->is_valid) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    switch (NumberOf(attribute)) {
      case HSA_CODE_OBJECT_INFO_VERSION: return PutVersion(*code, value);
      case HSA_CODE_OBJECT_INFO_TYPE: return Put(value, HSA_CODE_OBJECT_TYPE_PROGRAM);
      case HSA_CODE_OBJECT_INFO_ISA: return PutIsa(runtime, *code, value);
      case HSA_CODE_OBJECT_INFO_MACHINE_MODEL: return Put(value, HSA_MACHINE_MODEL_LARGE);
      case HSA_CODE_OBJECT_INFO_PROFILE: return Put(value, HSA_PROFILE_BASE);
      case HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
        return Put(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
      default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

extern "C" hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t code_object, const char* name,
                                                   hsa_code_symbol_t* symbol) {
  return FindCodeSymbol(code_object, name, symbol);
}

extern "C" hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t code_object,
                                                             const char*, const char* name,
                                                             hsa_code_symbol_t* symbol) {
  return FindCodeSymbol(code_object, name, symbol);
}

extern "C" hsa_status_t hsa_code_object_iterate_symbols(
    hsa_code_object_t code_object,
    hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t, void*), void* data) {
  return Guarded([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto code = runtime.code_objects().Find(code_object);
    if (code == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    for (const Symbol& symbol : code->symbols) {
      const hsa_status_t status = callback(code_object, HandleOf(symbol), data);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t handle,
                                                 hsa_code_symbol_info_t attribute, void* value) {
  return Guarded([&](Runtime& runtime) {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto found = runtime.code_objects().Find(handle);
    if (found.symbol == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_SYMBOL;
    // What comes after it only what is loaded has: agents and addresses.
    if (NumberOf(attribute) > HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return GetSymbolInfo(*found.symbol, NumberOf(attribute), value);
  });
}

extern "C" hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable,
                                                        hsa_agent_t handle,
                                                        hsa_code_object_t code_object,
                                                        const char*) {
  return Guarded([&](Runtime& runtime) {
    const auto code = runtime.code_objects().Find(code_object);
    const Agent* const agent = runtime.FindGpu(handle);
    const hsa_status_t status =
        runtime.executables().With(executable, [](Executable&) { return HSA_STATUS_SUCCESS; });
    if (status != HSA_STATUS_SUCCESS) return status;
    if (code == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return runtime.executables().Load(runtime.shared_memory(), executable, *agent, code->bytes,
                                      nullptr);
  });
}
