// Entry points: agents and what they say of themselves.
#include <hsa/hsa_ext_image.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/hsa/allocations.h"
#include "runtime/hsa/attribute_numbers.h"
#include "runtime/hsa/client.h"
#include "runtime/hsa/copy_engine.h"
#include "runtime/hsa/image_formats.h"
#include "runtime/hsa/newer_api.h"
#include "runtime/hsa/status.h"
#include "runtime/hsa/virtual_memory.h"
#include "runtime/image/image_words.h"
#include "runtime/state/guest_clock.h"
#include "runtime/state/residency.h"

using namespace gcnjit::hsa;
using gcnjit::runtime::kComputeUnits;
using gcnjit::runtime::kSimdsOfComputeUnit;
using gcnjit::runtime::WavesOfSimd;

namespace {

constexpr size_t kNameBytes = 64;

hsa_status_t PutName(void* to, const char* name) {
  std::memset(to, 0, kNameBytes);
  std::strncpy(static_cast<char*>(to), name, kNameBytes - 1);
  return HSA_STATUS_SUCCESS;
}

template <typename T>
hsa_status_t PutArray(void* to, std::initializer_list<T> values) {
  std::memcpy(to, values.begin(), values.size() * sizeof(T));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t PutUuid(const Agent& agent, void* to) {
  char text[32];
  if (agent.gpu == nullptr) {
    std::snprintf(text, sizeof text, "CPU-XX");
  } else {
    std::snprintf(text, sizeof text, "GPU-%08x%08x", agent.gpu->chip_id, agent.node);
  }
  std::memcpy(to, text, std::strlen(text) + 1);
  return HSA_STATUS_SUCCESS;
}

uint32_t HostProcessors() {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : static_cast<uint32_t>(count);
}

// Limits of images, of hsa_ext_image.h. Written as ROCm does it, in 32 bits.
hsa_status_t GetImageInfo(uint32_t attribute, void* value) {
  const auto put_plane = [&](hsa_ext_image_geometry_t geometry) {
    const ImageLimits limits = LimitsOf(geometry);
    return PutArray<uint32_t>(value, {limits.width, limits.height});
  };
  switch (attribute) {
    case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
      return Put<uint32_t>(value, LimitsOf(HSA_EXT_IMAGE_GEOMETRY_1D).width);
    case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS:
      return Put<uint32_t>(value, LimitsOf(HSA_EXT_IMAGE_GEOMETRY_1DA).width);
    case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS:
      return Put<uint32_t>(value, LimitsOf(HSA_EXT_IMAGE_GEOMETRY_1DB).width);
    case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS:
      return Put<uint32_t>(value, LimitsOf(HSA_EXT_IMAGE_GEOMETRY_2DA).layers);
    // As many as there is memory for; these are what the extension asks for at least.
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES: return Put<uint32_t>(value, 128);
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES: return Put<uint32_t>(value, 64);
    case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS: return Put<uint32_t>(value, 16);
    case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS: return put_plane(HSA_EXT_IMAGE_GEOMETRY_2D);
    case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS: return put_plane(HSA_EXT_IMAGE_GEOMETRY_2DA);
    case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
      return put_plane(HSA_EXT_IMAGE_GEOMETRY_2DDEPTH);
    case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS:
      return put_plane(HSA_EXT_IMAGE_GEOMETRY_2DADEPTH);
    case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS: {
      const ImageLimits limits = LimitsOf(HSA_EXT_IMAGE_GEOMETRY_3D);
      return PutArray<uint32_t>(value, {limits.width, limits.height, limits.depth});
    }
    case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT:
      return Put<uint32_t>(value, gcnjit::runtime::kImageAlignment);
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

// What the agent's memory has left.
uint64_t AvailableBytes(const Runtime& runtime, const Agent& agent) {
  const uint64_t all = agent.pools.front().bytes;
  const uint64_t used =
      runtime.allocations().BytesOf(agent) + runtime.virtual_memory().BytesOf(agent);
  return all - std::min(all, used);
}

// Attributes of later releases than ROCm 5.2. Of what there is not, such as microcode, the version
// or the number is 0.
hsa_status_t GetLaterInfo(const Runtime& runtime, const Agent& agent, uint32_t attribute,
                          void* value) {
  const bool is_gpu = agent.gpu != nullptr;
  switch (attribute) {
    case kAgentMemoryAvailable: return Put<uint64_t>(value, AvailableBytes(runtime, agent));
    case kAgentTimestampFrequency: return Put<uint64_t>(value, gcnjit::runtime::kRealTimeHz);
    case kAgentSdmaEngines: return Put<uint32_t>(value, is_gpu ? CopyEngine::kEngines : 0);
    case kAgentXccs: return Put<uint32_t>(value, is_gpu ? 1 : 0);
    case kAgentDriverUid: return Put<uint32_t>(value, agent.node);
    case kAgentNearestCpu: return Put(value, runtime.agents().front().handle());
    case kAgentAsicFamily:
    case kAgentMicrocodeVersion:
    case kAgentSdmaMicrocodeVersion:
    case kAgentSdmaXgmiEngines:
    case kAgentIommu: return Put<uint32_t>(value, 0);
    case kAgentMemoryProperties:
    case kAgentAqlExtensions:
    case kAgentScratchLimitMax:
    case kAgentScratchLimitCurrent: return Put<uint64_t>(value, 0);
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

// Attributes of hsa_ext_amd.h.
hsa_status_t GetAmdInfo(const Runtime& runtime, const Agent& agent, uint32_t attribute,
                        void* value) {
  const bool is_gpu = agent.gpu != nullptr;
  switch (attribute) {
    case HSA_AMD_AGENT_INFO_CHIP_ID: return Put<uint32_t>(value, is_gpu ? agent.gpu->chip_id : 0);
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE: return Put<uint32_t>(value, 64);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
      return Put<uint32_t>(value, is_gpu ? kComputeUnits : HostProcessors());
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY: return Put<uint32_t>(value, 1500);
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID: return Put<uint32_t>(value, agent.node);
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS: return Put<uint32_t>(value, is_gpu ? 4 : 1);
    case HSA_AMD_AGENT_INFO_BDFID: return Put<uint32_t>(value, is_gpu ? 0x300 * agent.node : 0);
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH: return Put<uint32_t>(value, is_gpu ? 2048 : 0);
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY: return Put<uint32_t>(value, is_gpu ? 945 : 0);
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
      return PutName(value, is_gpu ? agent.gpu->product_name : "CPU");
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
      return Put<uint32_t>(value,
                           is_gpu ? WavesOfSimd(agent.gpu->generation()) * kSimdsOfComputeUnit : 0);
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
      return Put<uint32_t>(value, is_gpu ? kSimdsOfComputeUnit : 0);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: return Put<uint32_t>(value, is_gpu ? 4 : 0);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE: return Put<uint32_t>(value, is_gpu ? 1 : 0);
    case HSA_AMD_AGENT_INFO_HDP_FLUSH: return Put(value, hsa_amd_hdp_flush_t{nullptr, nullptr});
    case HSA_AMD_AGENT_INFO_DOMAIN: return Put<uint32_t>(value, 0);
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES: return Put<bool>(value, is_gpu);
    case HSA_AMD_AGENT_INFO_UUID: return PutUuid(agent, value);
    case HSA_AMD_AGENT_INFO_ASIC_REVISION: return Put<uint32_t>(value, is_gpu ? 1 : 0);
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS: return Put<bool>(value, true);
    default:
      if (is_gpu && GetImageInfo(attribute, value) == HSA_STATUS_SUCCESS) return HSA_STATUS_SUCCESS;
      return GetLaterInfo(runtime, agent, attribute, value);
  }
}

hsa_status_t GetInfo(const Runtime& runtime, const Agent& agent, uint32_t attribute, void* value) {
  const bool is_gpu = agent.gpu != nullptr;
  switch (attribute) {
    case HSA_AGENT_INFO_NAME: return PutName(value, is_gpu ? agent.gpu->processor : "CPU");
    case HSA_AGENT_INFO_VENDOR_NAME: return PutName(value, is_gpu ? "AMD" : "CPU");
    case HSA_AGENT_INFO_FEATURE:
      return Put(value, is_gpu ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : hsa_agent_feature_t{});
    case HSA_AGENT_INFO_MACHINE_MODEL: return Put(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_AGENT_INFO_PROFILE: return Put(value, is_gpu ? agent.gpu->profile : HSA_PROFILE_FULL);
    case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
      return Put(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    case HSA_AGENT_INFO_FAST_F16_OPERATION: return Put<bool>(value, is_gpu);
    case HSA_AGENT_INFO_WAVEFRONT_SIZE: return Put<uint32_t>(value, is_gpu ? kWaveSize : 0);
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: {
      const uint16_t most = is_gpu ? kMaxGroupSize : 0;
      return PutArray<uint16_t>(value, {most, most, most});
    }
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE: return Put<uint32_t>(value, is_gpu ? kMaxGroupSize : 0);
    case HSA_AGENT_INFO_GRID_MAX_DIM: {
      const uint32_t most = is_gpu ? INT32_MAX : 0;
      return Put(value, hsa_dim3_t{most, most, most});
    }
    case HSA_AGENT_INFO_GRID_MAX_SIZE: return Put<uint32_t>(value, is_gpu ? UINT32_MAX : 0);
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE: return Put<uint32_t>(value, is_gpu ? 32 : 0);
    case HSA_AGENT_INFO_QUEUES_MAX: return Put<uint32_t>(value, is_gpu ? 128 : 0);
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE: return Put<uint32_t>(value, is_gpu ? kMinQueuePackets : 0);
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE: return Put<uint32_t>(value, is_gpu ? kMaxQueuePackets : 0);
    case HSA_AGENT_INFO_QUEUE_TYPE: return Put<uint32_t>(value, HSA_QUEUE_TYPE_MULTI);
    case HSA_AGENT_INFO_NODE: return Put<uint32_t>(value, agent.node);
    case HSA_AGENT_INFO_DEVICE:
      return Put(value, is_gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
    case HSA_AGENT_INFO_CACHE_SIZE:
      return PutArray<uint32_t>(value, {kGpuCaches[0].bytes, kGpuCaches[1].bytes, 0, 0});
    case HSA_AGENT_INFO_ISA: return is_gpu ? Put(value, agent.isa()) : Put(value, hsa_isa_t{0});
    case HSA_AGENT_INFO_EXTENSIONS:
      std::memset(value, 0, 128);
      if (is_gpu) *static_cast<uint8_t*>(value) = 1 << HSA_EXTENSION_IMAGES;
      return HSA_STATUS_SUCCESS;
    case HSA_AGENT_INFO_VERSION_MAJOR: return Put<uint16_t>(value, 1);
    case HSA_AGENT_INFO_VERSION_MINOR: return Put<uint16_t>(value, 1);
    default: return GetAmdInfo(runtime, agent, attribute, value);
  }
}

// What OpenCL is told instead: see client.h.
hsa_status_t GetOpenClInfo(const Runtime& runtime, const Agent& agent, uint32_t attribute,
                           void* value) {
  const bool is_profile = attribute == HSA_AGENT_INFO_PROFILE && agent.gpu != nullptr;
  return is_profile ? Put(value, HSA_PROFILE_BASE) : GetInfo(runtime, agent, attribute, value);
}

}  // namespace

extern "C" hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void*),
                                           void* data) {
  return Guarded([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const Agent& agent : runtime.agents()) {
      const hsa_status_t status = callback(agent.handle(), data);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_agent_get_info(hsa_agent_t handle, hsa_agent_info_t attribute,
                                           void* value) {
  const bool is_opencl = IsOpenCl(__builtin_return_address(0));
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = runtime.Find(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return (is_opencl ? GetOpenClInfo : GetInfo)(runtime, *agent, NumberOf(attribute), value);
  });
}

extern "C" hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t handle, hsa_profile_t,
                                                         uint16_t* mask) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return mask == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : Put<uint16_t>(mask, 0);
  });
}

extern "C" hsa_status_t hsa_agent_iterate_caches(hsa_agent_t handle,
                                                 hsa_status_t (*callback)(hsa_cache_t, void*),
                                                 void* data) {
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = runtime.Find(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (agent->gpu == nullptr) return HSA_STATUS_SUCCESS;
    for (const Cache& cache : kGpuCaches) {
      const hsa_status_t status = callback({reinterpret_cast<uint64_t>(&cache)}, data);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_cache_get_info(hsa_cache_t handle, hsa_cache_info_t attribute,
                                           void* value) {
  return Guarded([&](Runtime&) {
    for (const Cache& cache : kGpuCaches) {
      if (reinterpret_cast<uint64_t>(&cache) != handle.handle) continue;
      if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      switch (attribute) {
        case HSA_CACHE_INFO_NAME_LENGTH:
          return Put<uint32_t>(value, static_cast<uint32_t>(std::strlen(cache.name)));
        case HSA_CACHE_INFO_NAME:
          std::memcpy(value, cache.name, std::strlen(cache.name) + 1);
          return HSA_STATUS_SUCCESS;
        case HSA_CACHE_INFO_LEVEL: return Put<uint8_t>(value, cache.level);
        case HSA_CACHE_INFO_SIZE: return Put<uint32_t>(value, cache.bytes);
      }
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_ERROR_INVALID_CACHE;
  });
}

extern "C" hsa_status_t hsa_agent_extension_supported(uint16_t, hsa_agent_t handle, uint16_t,
                                                      uint16_t, bool* result) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return result == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : Put<bool>(result, false);
  });
}

extern "C" hsa_status_t hsa_agent_major_extension_supported(uint16_t, hsa_agent_t handle, uint16_t,
                                                            uint16_t* minor, bool* result) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (minor == nullptr || result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *minor = 0;
    return Put<bool>(result, false);
  });
}

namespace gcnjit::hsa {

// As ROCm on devices of these generations, which give scratch memory back at once.
hsa_status_t SetAsyncScratchLimit(hsa_agent_t handle, size_t) {
  return Guarded([&](Runtime& runtime) {
    return runtime.FindGpu(handle) == nullptr ? HSA_STATUS_ERROR_INVALID_AGENT
                                              : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace gcnjit::hsa
