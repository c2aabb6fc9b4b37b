// Entry points: code object readers and executables.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <vector>

#include "runtime/hsa/executables.h"
#include "runtime/hsa/status.h"

using namespace gcnjit::hsa;

namespace {

hsa_status_t CreateExecutable(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding,
                              hsa_executable_t* executable) {
  return Guarded([&](Runtime& runtime) {
    if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *executable = runtime.executables().AddExecutable(profile, rounding);
    return HSA_STATUS_SUCCESS;
  });
}

// All bytes of an open file, whatever its position is; false: it cannot be read.
bool ReadAll(int file, std::vector<std::byte>& bytes) {
  struct stat info = {};
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  bytes.resize(static_cast<size_t>(info.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t part =
        pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (part <= 0) return false;
    done += static_cast<size_t>(part);
  }
  return true;
}

hsa_status_t Define(hsa_executable_t handle, const char* name, void* address) {
  return Guarded([&](Runtime& runtime) {
    if (name == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.executables().With(handle, [&](Executable& executable) {
      if (executable.is_frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
      const bool is_new =
          executable.defined.emplace(name, reinterpret_cast<uint64_t>(address)).second;
      return is_new ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
    });
  });
}

hsa_status_t DefineForAgent(hsa_executable_t handle, hsa_agent_t agent, const char* name,
                            void* address) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(agent) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return Define(handle, name, address);
  });
}

hsa_status_t Validate(hsa_executable_t handle, uint32_t* result) {
  return Guarded([&](Runtime& runtime) {
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.executables().With(handle, [&](Executable&) {
      *result = 0;  // what is not valid is not loaded in the first place
      return HSA_STATUS_SUCCESS;
    });
  });
}

}  // namespace

extern "C" hsa_status_t hsa_code_object_reader_create_from_memory(
    const void* code_object, size_t size, hsa_code_object_reader_t* reader) {
  return Guarded([&](Runtime& runtime) {
    if (code_object == nullptr || size == 0 || reader == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const auto* const bytes = static_cast<const std::byte*>(code_object);
    *reader = runtime.executables().AddReader({{bytes, size}, {}});
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file,
                                                                hsa_code_object_reader_t* reader) {
  return Guarded([&](Runtime& runtime) {
    if (reader == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<std::byte> bytes;
    if (!ReadAll(file, bytes)) return HSA_STATUS_ERROR_INVALID_FILE;
    const std::span<const std::byte> all = bytes;  // moving the vector leaves them where they are
    *reader = runtime.executables().AddReader({all, std::move(bytes)});
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader) {
  return Guarded([&](Runtime& runtime) {
    return runtime.executables().RemoveReader(reader) ? HSA_STATUS_SUCCESS
                                                      : HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  });
}

extern "C" hsa_status_t hsa_executable_create_alt(hsa_profile_t profile,
                                                  hsa_default_float_rounding_mode_t rounding,
                                                  const char*, hsa_executable_t* executable) {
  return CreateExecutable(profile, rounding, executable);
}

extern "C" hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t state,
                                              const char*, hsa_executable_t* executable) {
  // A frozen executable to begin with would stay empty.
  if (state != HSA_EXECUTABLE_STATE_UNFROZEN) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return CreateExecutable(profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, executable);
}

extern "C" hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
  return Guarded(
      [&](Runtime& runtime) { return runtime.executables().RemoveExecutable(executable); });
}

extern "C" hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable,
                                                              hsa_agent_t handle,
                                                              hsa_code_object_reader_t reader,
                                                              const char*,
                                                              hsa_loaded_code_object_t* loaded) {
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = runtime.FindGpu(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return runtime.executables().Load(runtime.shared_memory(), executable, *agent, reader, loaded);
  });
}

extern "C" hsa_status_t hsa_executable_freeze(hsa_executable_t handle, const char*) {
  return Guarded([&](Runtime& runtime) {
    return runtime.executables().With(handle, [](Executable& executable) {
      if (executable.is_frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
      executable.is_frozen = true;
      return HSA_STATUS_SUCCESS;
    });
  });
}

extern "C" hsa_status_t hsa_executable_get_info(hsa_executable_t handle,
                                                hsa_executable_info_t attribute, void* value) {
  return Guarded([&](Runtime& runtime) {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.executables().With(handle, [&](Executable& executable) {
      switch (attribute) {
        case HSA_EXECUTABLE_INFO_PROFILE: return Put(value, executable.profile);
        case HSA_EXECUTABLE_INFO_STATE:
          return Put(value, executable.is_frozen ? HSA_EXECUTABLE_STATE_FROZEN
                                                 : HSA_EXECUTABLE_STATE_UNFROZEN);
        case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
          return Put(value, executable.rounding);
      }
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    });
  });
}

extern "C" hsa_status_t hsa_executable_validate(hsa_executable_t executable, uint32_t* result) {
  return Validate(executable, result);
}

extern "C" hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char*,
                                                    uint32_t* result) {
  return Validate(executable, result);
}

extern "C" hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable,
                                                              const char* name, void* address) {
  return Define(executable, name, address);
}

extern "C" hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable,
                                                                    hsa_agent_t agent,
                                                                    const char* name,
                                                                    void* address) {
  return DefineForAgent(executable, agent, name, address);
}

extern "C" hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable,
                                                                hsa_agent_t agent, const char* name,
                                                                void* address) {
  return DefineForAgent(executable, agent, name, address);
}
