// Entry points: memory by file descriptors. ROCm's are of dmabufs, ours of memory that gcnjit can
// map again, here or in another process.
#include <unistd.h>

#include "runtime/hsa/allocations.h"
#include "runtime/hsa/newer_api.h"
#include "runtime/hsa/status.h"

namespace gcnjit::hsa {

hsa_status_t DmabufExport(const void* pointer, size_t bytes, int* file, uint64_t* offset) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr || file == nullptr || offset == nullptr || bytes == 0) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    std::shared_ptr<const runtime::SharedPages> pages;
    uint64_t begin = 0;
    const hsa_status_t status = runtime.allocations().ShareAround(pointer, bytes, pages, &begin);
    if (status != HSA_STATUS_SUCCESS) return status;
    const auto exported = pages->Export();
    if (!exported) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *file = *exported;
    *offset = begin;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t DmabufClose(int file) {
  return close(file) == 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_RESOURCE_FREE;
}

}  // namespace gcnjit::hsa

using namespace gcnjit::hsa;

extern "C" hsa_status_t hsa_amd_interop_map_buffer(uint32_t count, hsa_agent_t* agents, int file,
                                                   uint32_t flags, size_t* size, void** pointer,
                                                   size_t* metadata_size, const void** metadata) {
  return Guarded([&](Runtime& runtime) {
    if (agents == nullptr || size == nullptr || pointer == nullptr || flags != 0 || count == 0) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t n = 0; n < count; ++n) {
      if (runtime.Find(agents[n]) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    const auto pages = gcnjit::runtime::SharedPages::Import(file);
    if (!pages) return StatusOf(pages.error());
    const hsa_status_t status =
        runtime.allocations().Attach(runtime, *pages, HSA_EXT_POINTER_TYPE_GRAPHICS, pointer);
    if (status != HSA_STATUS_SUCCESS) return status;
    *size = (*pages)->bytes();
    if (metadata_size != nullptr) *metadata_size = 0;
    if (metadata != nullptr) *metadata = nullptr;
    return HSA_STATUS_SUCCESS;
  });
}

// As with ROCm it cannot fail.
extern "C" hsa_status_t hsa_amd_interop_unmap_buffer(void* pointer) {
  return Guarded([&](Runtime& runtime) {
    runtime.allocations().Detach(pointer, HSA_EXT_POINTER_TYPE_GRAPHICS);
    return HSA_STATUS_SUCCESS;
  });
}
