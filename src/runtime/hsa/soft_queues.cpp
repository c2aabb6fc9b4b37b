#include "runtime/hsa/soft_queues.h"

#include <hsa/amd_hsa_queue.h>

#include <cstddef>
#include <new>

#include "runtime/hsa/allocations.h"
#include "runtime/hsa/runtime.h"

namespace gcnjit::hsa {

hsa_status_t SoftQueues::Create(Runtime& runtime, const Pool& pool, const SoftQueueRequest& request,
                                hsa_queue_t** queue) {
  constexpr uint64_t kPacketBytes = 64;
  void* packets = nullptr;
  const uint64_t bytes = request.packets * kPacketBytes;
  const hsa_status_t status = runtime.allocations().Allocate(pool, bytes, &packets);
  if (status != HSA_STATUS_SUCCESS) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const auto memory = runtime.memory().Allocate(sizeof(amd_queue_t), "soft queue");
  if (!memory) {
    runtime.allocations().Free(packets);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  for (uint64_t at = 0; at < bytes; at += kPacketBytes) {
    *reinterpret_cast<uint16_t*>(static_cast<std::byte*>(packets) + at) = HSA_PACKET_TYPE_INVALID;
  }
  // The functions for indices take any queue for one of this kind.
  auto* const made = new (reinterpret_cast<void*>(*memory)) amd_queue_t{};
  made->queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
  hsa_queue_t& shown = made->hsa_queue;
  shown.type = request.type;
  shown.features = request.features;
  shown.base_address = packets;
  shown.doorbell_signal = request.doorbell;
  shown.size = request.packets;
  const std::scoped_lock lock(mutex_);
  shown.id = ++last_id_;
  queues_[&shown] = packets;
  *queue = &shown;
  return HSA_STATUS_SUCCESS;
}

bool SoftQueues::Destroy(Runtime& runtime, const hsa_queue_t* queue) {
  void* packets = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = queues_.find(queue);
    if (found == queues_.end()) return false;
    packets = found->second;
    queues_.erase(found);
  }
  runtime.allocations().Free(packets);
  return runtime.memory().Free(reinterpret_cast<uint64_t>(queue)).ok();
}

}  // namespace gcnjit::hsa
