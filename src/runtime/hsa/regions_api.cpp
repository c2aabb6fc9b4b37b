// Entry points: memory regions, the older view of memory pools, with the same handles.
#include "runtime/hsa/allocations.h"
#include "runtime/hsa/status.h"

using namespace gcnjit::hsa;

namespace {

const Pool* Find(const Runtime& runtime, hsa_region_t region) {
  return runtime.Find(hsa_amd_memory_pool_t{region.handle});
}

}  // namespace

// A GPU sees its own memory and the host's fine-grained one.
extern "C" hsa_status_t hsa_agent_iterate_regions(hsa_agent_t handle,
                                                  hsa_status_t (*callback)(hsa_region_t, void*),
                                                  void* data) {
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = runtime.Find(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const Agent& owner : runtime.agents()) {
      for (const Pool& pool : owner.pools) {
        const bool is_host_memory = owner.gpu == nullptr && pool.IsFineGrained();
        if (&owner != agent && !is_host_memory) continue;
        const hsa_status_t status = callback({reinterpret_cast<uint64_t>(&pool)}, data);
        if (status != HSA_STATUS_SUCCESS) return status;
      }
    }
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_region_get_info(hsa_region_t handle, hsa_region_info_t attribute,
                                            void* value) {
  return Guarded([&](Runtime& runtime) {
    const Pool* pool = Find(runtime, handle);
    if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_REGION;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (NumberOf(attribute)) {
      case HSA_REGION_INFO_SEGMENT:
        return Put(value, pool->IsGlobal() ? HSA_REGION_SEGMENT_GLOBAL : HSA_REGION_SEGMENT_GROUP);
      case HSA_REGION_INFO_GLOBAL_FLAGS: return Put(value, pool->flags);
      case HSA_REGION_INFO_SIZE: return Put<size_t>(value, pool->bytes);
      case HSA_REGION_INFO_ALLOC_MAX_SIZE:
        return Put<size_t>(value, pool->IsGlobal() ? pool->bytes : 0);
      case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE: return Put<uint32_t>(value, 0);
      case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED: return Put<bool>(value, pool->IsGlobal());
      case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE:
      case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT:
        return Put<size_t>(value, pool->IsGlobal() ? kPoolGranule : 0);
      case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE: return Put<bool>(value, pool->IsGlobal());
      case HSA_AMD_REGION_INFO_BASE: return Put<void*>(value, nullptr);
      default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

extern "C" hsa_status_t hsa_memory_allocate(hsa_region_t handle, size_t size, void** pointer) {
  return Guarded([&](Runtime& runtime) {
    const Pool* pool = Find(runtime, handle);
    if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_REGION;
    if (pointer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.allocations().Allocate(*pool, size, pointer);
  });
}

extern "C" hsa_status_t hsa_memory_free(void* pointer) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr) return HSA_STATUS_SUCCESS;
    return runtime.allocations().Free(pointer) ? HSA_STATUS_SUCCESS
                                               : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

extern "C" hsa_status_t hsa_memory_assign_agent(void* pointer, hsa_agent_t handle,
                                                hsa_access_permission_t access) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    const bool is_known = access >= HSA_ACCESS_PERMISSION_RO && access <= HSA_ACCESS_PERMISSION_RW;
    return pointer == nullptr || !is_known ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
  });
}

// Advice to make later accesses faster; nothing becomes faster here.
extern "C" hsa_status_t hsa_memory_register(void* pointer, size_t size) {
  return Guarded([&](Runtime&) {
    return pointer == nullptr || size == 0 ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_memory_deregister(void* pointer, size_t size) {
  return Guarded([&](Runtime&) {
    return pointer == nullptr || size == 0 ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
  });
}
