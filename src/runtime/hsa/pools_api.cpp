// Entry points: memory pools, their allocations, and which agents may use them.
#include <vector>

#include "runtime/hsa/allocations.h"
#include "runtime/hsa/attribute_numbers.h"
#include "runtime/hsa/status.h"
#include "runtime/hsa/virtual_memory.h"

using namespace gcnjit::hsa;

extern "C" hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t handle, hsa_status_t (*callback)(hsa_amd_memory_pool_t pool, void* data),
    void* data) {
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = runtime.Find(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const Pool& pool : agent->pools) {
      const hsa_status_t status = callback({reinterpret_cast<uint64_t>(&pool)}, data);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle,
                                                     hsa_amd_memory_pool_info_t attribute,
                                                     void* value) {
  return Guarded([&](Runtime& runtime) {
    const Pool* pool = runtime.Find(handle);
    if (pool == nullptr) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (NumberOf(attribute)) {
      case HSA_AMD_MEMORY_POOL_INFO_SEGMENT: return Put(value, pool->segment);
      case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS: return Put(value, pool->flags);
      case HSA_AMD_MEMORY_POOL_INFO_SIZE: return Put<size_t>(value, pool->bytes);
      case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
        return Put<bool>(value, pool->IsGlobal());
      case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
      case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
        return Put<size_t>(value, pool->IsGlobal() ? kPoolGranule : 0);
      // Of a GPU's memory the host program is to ask agent by agent, as with ROCm.
      case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
        return Put<bool>(value, pool->IsGlobal() && pool->agent->gpu == nullptr);
      case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
        return Put<size_t>(value, pool->IsGlobal() ? pool->bytes : 0);
      case kPoolLocation: return Put<uint32_t>(value, pool->agent->gpu != nullptr ? 1 : 0);
      case kPoolRecommendedGranule: return Put<size_t>(value, pool->IsGlobal() ? kLargeGranule : 0);
      default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

extern "C" hsa_status_t hsa_amd_agent_memory_pool_get_info(
    hsa_agent_t agent_handle, hsa_amd_memory_pool_t pool_handle,
    hsa_amd_agent_memory_pool_info_t attribute, void* value) {
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = runtime.Find(agent_handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    const Pool* pool = runtime.Find(pool_handle);
    if (pool == nullptr) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const bool is_own = pool->agent == agent;
    const bool is_reachable = is_own || pool->IsGlobal();
    switch (attribute) {
      case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
        return Put(value, !is_reachable ? HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED
                          : is_own      ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
                                        : HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
      case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
        return Put<uint32_t>(value, is_reachable && !is_own ? 1 : 0);
      case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO: {
        if (is_own || !is_reachable) return HSA_STATUS_SUCCESS;
        hsa_amd_memory_pool_link_info_t link = {};
        link.link_type = HSA_AMD_LINK_INFO_TYPE_PCIE;
        link.atomic_support_32bit = true;
        link.atomic_support_64bit = true;
        link.coherent_support = true;
        link.numa_distance = 20;
        return Put(value, link);
      }
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

extern "C" hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle, size_t size,
                                                     uint32_t flags, void** pointer) {
  return Guarded([&](Runtime& runtime) {
    const Pool* pool = runtime.Find(handle);
    if (pool == nullptr) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    if (pointer == nullptr || flags != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.allocations().Allocate(*pool, size, pointer);
  });
}

extern "C" hsa_status_t hsa_amd_memory_pool_free(void* pointer) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr) return HSA_STATUS_SUCCESS;
    return runtime.allocations().Free(pointer) ? HSA_STATUS_SUCCESS
                                               : HSA_STATUS_ERROR_INVALID_ALLOCATION;
  });
}

// All agents can use all memory, unless it is mapped by the virtual memory API; so mostly there is
// nothing to do but to look at the arguments.
extern "C" hsa_status_t hsa_amd_agents_allow_access(uint32_t count, const hsa_agent_t* agents,
                                                    const uint32_t* flags, const void* pointer) {
  return Guarded([&](Runtime& runtime) {
    if (count == 0 || agents == nullptr || flags != nullptr || pointer == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    std::vector<VirtualMemory::Access> access;
    for (uint32_t n = 0; n < count; ++n) {
      const Agent* const agent = runtime.Find(agents[n]);
      if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
      access.push_back({agent, HSA_ACCESS_PERMISSION_RW});
    }
    if (runtime.allocations().Find(pointer)) return HSA_STATUS_SUCCESS;
    return runtime.virtual_memory().AllowAccess(reinterpret_cast<uint64_t>(pointer), access);
  });
}

extern "C" hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t from,
                                                        hsa_amd_memory_pool_t to, bool* result) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(from) == nullptr || runtime.Find(to) == nullptr) {
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    }
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = false;
    return static_cast<hsa_status_t>(HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  });
}
