// Entry points: virtual memory, whose addresses and contents the host program puts together.
#include <vector>

#include "runtime/hsa/status.h"
#include "runtime/hsa/virtual_memory.h"

namespace gcnjit::hsa {
namespace {

uint64_t AddressOf(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace

hsa_status_t VmemAddressReserveAlign(void** va, size_t bytes, uint64_t address, uint64_t alignment,
                                     uint64_t) {
  return Guarded([&](Runtime& runtime) {
    if (va == nullptr || bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint64_t reserved = 0;
    const hsa_status_t status =
        runtime.virtual_memory().Reserve(bytes, address, alignment, &reserved);
    if (status == HSA_STATUS_SUCCESS) *va = reinterpret_cast<void*>(reserved);
    return status;
  });
}

hsa_status_t VmemAddressReserve(void** va, size_t bytes, uint64_t address, uint64_t flags) {
  return VmemAddressReserveAlign(va, bytes, address, 0, flags);
}

hsa_status_t VmemAddressFree(void* va, size_t bytes) {
  return Guarded([&](Runtime& runtime) {
    if (va == nullptr || bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.virtual_memory().Free(AddressOf(va), bytes);
  });
}

hsa_status_t VmemHandleCreate(hsa_amd_memory_pool_t pool_handle, size_t bytes, uint32_t type,
                              uint64_t, VmemHandle* handle) {
  return Guarded([&](Runtime& runtime) {
    const Pool* const pool = runtime.Find(pool_handle);
    if (bytes == 0 || type > kMemoryTypePinned || pool == nullptr || handle == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return runtime.virtual_memory().Create(*pool, bytes, type, &handle->handle);
  });
}

hsa_status_t VmemHandleRelease(VmemHandle handle) {
  return Guarded([&](Runtime& runtime) { return runtime.virtual_memory().Release(handle.handle); });
}

hsa_status_t VmemMap(void* va, size_t bytes, size_t offset, VmemHandle handle, uint64_t) {
  return Guarded([&](Runtime& runtime) {
    if (va == nullptr || bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.virtual_memory().Map(AddressOf(va), bytes, offset, handle.handle);
  });
}

hsa_status_t VmemUnmap(void* va, size_t bytes) {
  return Guarded([&](Runtime& runtime) {
    if (va == nullptr || bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.virtual_memory().Unmap(AddressOf(va), bytes);
  });
}

hsa_status_t VmemSetAccess(void* va, size_t bytes, const VmemAccess* access, size_t count) {
  return Guarded([&](Runtime& runtime) {
    if (va == nullptr || bytes == 0 || access == nullptr || count == 0) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    std::vector<VirtualMemory::Access> wanted;
    for (size_t n = 0; n < count; ++n) {
      const Agent* const agent = runtime.Find(access[n].agent);
      if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
      if (NumberOf(access[n].permissions) > HSA_ACCESS_PERMISSION_RW) {
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      }
      wanted.push_back({agent, access[n].permissions});
    }
    return runtime.virtual_memory().SetAccess(AddressOf(va), bytes, wanted);
  });
}

hsa_status_t VmemGetAccess(void* va, hsa_access_permission_t* permissions, hsa_agent_t handle) {
  return Guarded([&](Runtime& runtime) {
    if (va == nullptr || permissions == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *permissions = static_cast<hsa_access_permission_t>(kAccessNone);
    const Agent* const agent = runtime.Find(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return runtime.virtual_memory().GetAccess(AddressOf(va), *agent, permissions);
  });
}

hsa_status_t VmemExport(int* file, VmemHandle handle, uint64_t) {
  return Guarded([&](Runtime& runtime) {
    if (file == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *file = -1;
    return runtime.virtual_memory().Export(handle.handle, file);
  });
}

hsa_status_t VmemImport(int file, VmemHandle* handle) {
  return Guarded([&](Runtime& runtime) {
    if (file < 0 || handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.virtual_memory().Import(runtime, file, &handle->handle);
  });
}

hsa_status_t VmemRetain(VmemHandle* handle, void* address) {
  return Guarded([&](Runtime& runtime) {
    if (handle == nullptr || address == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.virtual_memory().Retain(AddressOf(address), &handle->handle);
  });
}

hsa_status_t VmemProperties(VmemHandle handle, hsa_amd_memory_pool_t* pool, uint32_t* type) {
  return Guarded([&](Runtime& runtime) {
    if (pool == nullptr || type == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Pool* found = nullptr;
    const hsa_status_t status = runtime.virtual_memory().Properties(handle.handle, &found, type);
    if (status == HSA_STATUS_SUCCESS) pool->handle = reinterpret_cast<uint64_t>(found);
    return status;
  });
}

}  // namespace gcnjit::hsa
