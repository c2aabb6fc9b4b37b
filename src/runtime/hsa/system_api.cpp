// Entry points: the system as a whole, its extensions, and profiling.
#include <hsa/hsa_ven_amd_loader.h>

#include <cstring>

#include "runtime/hsa/attribute_numbers.h"
#include "runtime/hsa/clock.h"
#include "runtime/hsa/queue_table.h"
#include "runtime/hsa/signals.h"
#include "runtime/hsa/status.h"

using namespace gcnjit::hsa;

namespace {

// Tables of extension functions are filled with null pointers: callers look before they call.
hsa_status_t ClearTable(uint16_t extension, size_t bytes, void* table) {
  return Guarded([&](Runtime&) {
    if (table == nullptr || extension != HSA_EXTENSION_AMD_LOADER) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    std::memset(table, 0, bytes);
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace

extern "C" hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value) {
  return Guarded([&](Runtime&) {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (NumberOf(attribute)) {
      case HSA_SYSTEM_INFO_VERSION_MAJOR: return Put<uint16_t>(value, 1);
      case HSA_SYSTEM_INFO_VERSION_MINOR: return Put<uint16_t>(value, 1);
      case HSA_SYSTEM_INFO_TIMESTAMP: return Put<uint64_t>(value, Now());
      case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY: return Put<uint64_t>(value, kTicksPerSecond);
      case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT: return Put<uint64_t>(value, UINT64_MAX);
      case HSA_SYSTEM_INFO_ENDIANNESS: return Put(value, HSA_ENDIANNESS_LITTLE);
      case HSA_SYSTEM_INFO_MACHINE_MODEL: return Put(value, HSA_MACHINE_MODEL_LARGE);
      case HSA_SYSTEM_INFO_EXTENSIONS: std::memset(value, 0, 128); return HSA_STATUS_SUCCESS;
      case HSA_AMD_SYSTEM_INFO_BUILD_VERSION: return Put<const char*>(value, "gcnjit");
      case kSystemExtVersionMajor: return Put<uint16_t>(value, 1);
      case kSystemExtVersionMinor: return Put<uint16_t>(value, 6);
      // HIP's managedMemory and concurrentManagedAccess.
      case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
      case kSystemDmabufSupported:
      case kSystemVirtualMemory: return Put<bool>(value, true);
      case kSystemMwaitxEnabled:
      case kSystemXnackEnabled:
      case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT: return Put<bool>(value, false);
      default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

extern "C" hsa_status_t hsa_extension_get_name(uint16_t extension, const char** name) {
  return Guarded([&](Runtime&) {
    if (name == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (extension) {
      case HSA_EXTENSION_FINALIZER: return Put<const char*>(name, "HSA_EXTENSION_FINALIZER");
      case HSA_EXTENSION_IMAGES: return Put<const char*>(name, "HSA_EXTENSION_IMAGES");
      case HSA_EXTENSION_PERFORMANCE_COUNTERS:
        return Put<const char*>(name, "HSA_EXTENSION_PERFORMANCE_COUNTERS");
      case HSA_EXTENSION_PROFILING_EVENTS:
        return Put<const char*>(name, "HSA_EXTENSION_PROFILING_EVENTS");
      case HSA_EXTENSION_AMD_PROFILER: return Put<const char*>(name, "HSA_EXTENSION_AMD_PROFILER");
      case HSA_EXTENSION_AMD_LOADER: return Put<const char*>(name, "HSA_EXTENSION_AMD_LOADER");
      case HSA_EXTENSION_AMD_AQLPROFILE:
        return Put<const char*>(name, "HSA_EXTENSION_AMD_AQLPROFILE");
      default: *name = "HSA_EXTENSION_INVALID"; return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

extern "C" hsa_status_t hsa_system_extension_supported(uint16_t, uint16_t, uint16_t, bool* result) {
  return Guarded([&](Runtime&) {
    return result == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : Put<bool>(result, false);
  });
}

extern "C" hsa_status_t hsa_system_major_extension_supported(uint16_t, uint16_t, uint16_t* minor,
                                                             bool* result) {
  return Guarded([&](Runtime&) {
    if (minor == nullptr || result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *minor = 0;
    return Put<bool>(result, false);
  });
}

extern "C" hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t,
                                                             size_t bytes, void* table) {
  return ClearTable(extension, bytes, table);
}

extern "C" hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t version_major,
                                                       uint16_t, void* table) {
  // What the oldest version of the loader's table has is all that is sure to be there.
  if (version_major != 1) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return ClearTable(extension, sizeof(hsa_ven_amd_loader_1_00_pfn_t), table);
}

extern "C" hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t handle,
                                                   hsa_amd_coherency_type_t* type) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.FindGpu(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return type == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                           : Put(type, HSA_AMD_COHERENCY_TYPE_COHERENT);
  });
}

// All memory is coherent, which is more than either type asks for.
extern "C" hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t handle, hsa_amd_coherency_type_t) {
  return Guarded([&](Runtime& runtime) {
    return runtime.FindGpu(handle) == nullptr ? HSA_STATUS_ERROR_INVALID_AGENT : HSA_STATUS_SUCCESS;
  });
}

// Times are always taken.
extern "C" hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int) {
  return Guarded([&](Runtime& runtime) {
    return runtime.queues().Find(queue) == nullptr ? HSA_STATUS_ERROR_INVALID_QUEUE
                                                   : HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_amd_profiling_async_copy_enable(bool) {
  return Guarded([](Runtime&) { return HSA_STATUS_SUCCESS; });
}

extern "C" hsa_status_t hsa_amd_profiling_get_dispatch_time(
    hsa_agent_t handle, hsa_signal_t signal_handle, hsa_amd_profiling_dispatch_time_t* time) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.FindGpu(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    amd_signal_t* const signal = runtime.signals().Find(signal_handle);
    if (signal == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    const SignalPool::Times times = SignalPool::TimesOf(*signal);
    *time = {times.start, times.end};
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_amd_profiling_get_async_copy_time(
    hsa_signal_t signal_handle, hsa_amd_profiling_async_copy_time_t* time) {
  return Guarded([&](Runtime& runtime) {
    if (time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    amd_signal_t* const signal = runtime.signals().Find(signal_handle);
    if (signal == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    const SignalPool::Times times = SignalPool::TimesOf(*signal);
    *time = {times.start, times.end};
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t handle,
                                                                        uint64_t agent_tick,
                                                                        uint64_t* system_tick) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.FindGpu(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    // There is one clock.
    return system_tick == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                                  : Put(system_tick, agent_tick);
  });
}

// There is nothing that it would log.
extern "C" __attribute__((visibility("default"))) hsa_status_t hsa_amd_enable_logging(uint8_t*,
                                                                                      void*) {
  return Guarded([](Runtime&) { return HSA_STATUS_SUCCESS; });
}
