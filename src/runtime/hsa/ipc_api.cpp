// Entry points: memory and signals that several processes use.
#include "runtime/hsa/allocations.h"
#include "runtime/hsa/ipc.h"
#include "runtime/hsa/signals.h"
#include "runtime/hsa/status.h"

using namespace gcnjit::hsa;

namespace {

constexpr size_t kMostShared = 0x7FFFFFFF000;  // ROCm's limit

hsa_status_t Offer(Runtime& runtime, IpcKind kind,
                   const std::shared_ptr<const gcnjit::runtime::SharedPages>& pages,
                   hsa_amd_ipc_memory_t* handle) {
  const auto offered = runtime.ipc().Offer(kind, pages);
  if (!offered) return StatusOf(offered.error());
  *handle = *offered;
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" hsa_status_t hsa_amd_ipc_memory_create(void* pointer, size_t bytes,
                                                  hsa_amd_ipc_memory_t* handle) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr || handle == nullptr || bytes > kMostShared) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    std::shared_ptr<const gcnjit::runtime::SharedPages> pages;
    const hsa_status_t status = runtime.allocations().Share(pointer, bytes, pages);
    if (status != HSA_STATUS_SUCCESS) return status;
    return Offer(runtime, IpcKind::kMemory, pages, handle);
  });
}

extern "C" hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, size_t bytes,
                                                  uint32_t count, const hsa_agent_t* agents,
                                                  void** pointer) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr || handle == nullptr || (count != 0 && agents == nullptr)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t n = 0; n < count; ++n) {
      if (runtime.Find(agents[n]) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    const auto pages = IpcServer::Fetch(IpcKind::kMemory, *handle);
    if (!pages) return StatusOf(pages.error());
    if (bytes > (*pages)->bytes() || (*pages)->bytes() - bytes >= kPoolGranule) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return runtime.allocations().Attach(runtime, *pages, HSA_EXT_POINTER_TYPE_IPC, pointer);
  });
}

extern "C" hsa_status_t hsa_amd_ipc_memory_detach(void* pointer) {
  return Guarded([&](Runtime& runtime) {
    return pointer != nullptr && runtime.allocations().Detach(pointer, HSA_EXT_POINTER_TYPE_IPC)
               ? HSA_STATUS_SUCCESS
               : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

extern "C" hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal,
                                                  hsa_amd_ipc_signal_t* handle) {
  return Guarded([&](Runtime& runtime) {
    if (handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.signals().Find(signal) == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    const auto pages = runtime.signals().PagesOf(signal);
    if (pages == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return Offer(runtime, IpcKind::kSignal, pages, handle);
  });
}

extern "C" hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle,
                                                  hsa_signal_t* signal) {
  return Guarded([&](Runtime& runtime) {
    if (handle == nullptr || signal == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto pages = IpcServer::Fetch(IpcKind::kSignal, *handle);
    if (!pages) return StatusOf(pages.error());
    return runtime.signals().Attach(std::move(*pages), signal);
  });
}
