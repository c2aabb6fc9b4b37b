// What ROCm's headers have got since 5.2, which is the oldest that this library is built with:
// types, numbers and entry points.
//
// The entry points have names of their own here and the exported ones for the linker only, so that
// headers that do declare them are not contradicted. Types have the layout of ROCm's.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>

#include <cstddef>
#include <cstdint>

namespace gcnjit::hsa {

// Of hsa_amd_pointer_type_t.
inline constexpr int kPointerTypeReserved = 5;
inline constexpr int kPointerTypeVmem = 6;

inline constexpr int kAccessNone = 0;  // HSA_ACCESS_PERMISSION_NONE

struct VmemHandle {  // hsa_amd_vmem_alloc_handle_t
  uint64_t handle;
};

struct VmemAccess {  // hsa_amd_memory_access_desc_t
  hsa_access_permission_t permissions;
  hsa_agent_t agent;
};

// hsa_amd_memory_type_t
inline constexpr uint32_t kMemoryTypeNone = 0;
inline constexpr uint32_t kMemoryTypePinned = 1;

// hsa_queue_info_attribute_t
inline constexpr uint32_t kQueueInfoAgent = 0;
inline constexpr uint32_t kQueueInfoDoorbellId = 1;

// VmemMap(...) is what host programs call hsa_amd_vmem_map.
struct SamplerDescriptorV2 {  // hsa_ext_sampler_descriptor_v2_t
  uint32_t coordinate_mode;
  uint32_t filter_mode;
  uint32_t address_modes[3];
};

#define GCNJIT_HSA_ENTRY(name) __asm__(#name) __attribute__((visibility("default")))

hsa_status_t VmemAddressReserve(void** va, size_t bytes, uint64_t address, uint64_t flags)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_address_reserve);
hsa_status_t VmemAddressReserveAlign(void** va, size_t bytes, uint64_t address, uint64_t alignment,
                                     uint64_t flags)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_address_reserve_align);
hsa_status_t VmemAddressFree(void* va, size_t bytes) GCNJIT_HSA_ENTRY(hsa_amd_vmem_address_free);
hsa_status_t VmemHandleCreate(hsa_amd_memory_pool_t pool, size_t bytes, uint32_t type,
                              uint64_t flags, VmemHandle* handle)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_handle_create);
hsa_status_t VmemHandleRelease(VmemHandle handle) GCNJIT_HSA_ENTRY(hsa_amd_vmem_handle_release);
hsa_status_t VmemMap(void* va, size_t bytes, size_t offset, VmemHandle handle, uint64_t flags)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_map);
hsa_status_t VmemUnmap(void* va, size_t bytes) GCNJIT_HSA_ENTRY(hsa_amd_vmem_unmap);
hsa_status_t VmemSetAccess(void* va, size_t bytes, const VmemAccess* access, size_t count)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_set_access);
hsa_status_t VmemGetAccess(void* va, hsa_access_permission_t* permissions, hsa_agent_t agent)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_get_access);
hsa_status_t VmemExport(int* file, VmemHandle handle, uint64_t flags)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_export_shareable_handle);
hsa_status_t VmemImport(int file, VmemHandle* handle)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_import_shareable_handle);
hsa_status_t VmemRetain(VmemHandle* handle, void* address)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_retain_alloc_handle);
hsa_status_t VmemProperties(VmemHandle handle, hsa_amd_memory_pool_t* pool, uint32_t* type)
    GCNJIT_HSA_ENTRY(hsa_amd_vmem_get_alloc_properties_from_handle);

hsa_status_t MemoryCopyOnEngine(void* to, hsa_agent_t to_agent, const void* from,
                                hsa_agent_t from_agent, size_t size, uint32_t count,
                                const hsa_signal_t* after, hsa_signal_t completion, uint32_t engine,
                                bool force) GCNJIT_HSA_ENTRY(hsa_amd_memory_async_copy_on_engine);
hsa_status_t MemoryCopyEngineStatus(hsa_agent_t to, hsa_agent_t from, uint32_t* mask)
    GCNJIT_HSA_ENTRY(hsa_amd_memory_copy_engine_status);

hsa_status_t SamplerCreateV2(hsa_agent_t agent, const SamplerDescriptorV2* descriptor,
                             hsa_ext_sampler_t* sampler)
    GCNJIT_HSA_ENTRY(hsa_ext_sampler_create_v2);

hsa_status_t QueueGetInfo(hsa_queue_t* queue, uint32_t attribute, void* value)
    GCNJIT_HSA_ENTRY(hsa_amd_queue_get_info);
hsa_status_t SetAsyncScratchLimit(hsa_agent_t agent, size_t bytes)
    GCNJIT_HSA_ENTRY(hsa_amd_agent_set_async_scratch_limit);
hsa_status_t DmabufExport(const void* pointer, size_t bytes, int* file, uint64_t* offset)
    GCNJIT_HSA_ENTRY(hsa_amd_portable_export_dmabuf);
hsa_status_t DmabufClose(int file) GCNJIT_HSA_ENTRY(hsa_amd_portable_close_dmabuf);

}  // namespace gcnjit::hsa
