#include "runtime/hsa/queue_table.h"

#include <mutex>

#include "runtime/hsa/status.h"

namespace gcnjit::hsa {

hsa_status_t QueueTable::Create(Runtime& runtime, QueueRequest request, hsa_queue_t** handle) {
  {
    const std::unique_lock lock(mutex_);
    request.id = last_id_++;
  }
  const auto queue = Queue::Create(runtime, request);
  if (!queue) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const std::unique_lock lock(mutex_);
  if (const auto started = (*queue)->Start(); !started) return StatusOf(started.error());
  queues_.emplace((*queue)->handle(), *queue);
  by_doorbell_.emplace((*queue)->doorbell().handle, *queue);
  *handle = (*queue)->handle();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t QueueTable::Destroy(const hsa_queue_t* handle) {
  std::shared_ptr<Queue> queue;
  const std::unique_lock lock(mutex_);
  const auto found = queues_.find(handle);
  if (found == queues_.end()) return HSA_STATUS_ERROR_INVALID_QUEUE;
  queue = found->second;
  queues_.erase(found);
  by_doorbell_.erase(queue->doorbell().handle);
  queue->Stop();
  return HSA_STATUS_SUCCESS;
}

std::shared_ptr<Queue> QueueTable::Find(const hsa_queue_t* handle) const {
  const std::shared_lock lock(mutex_);
  const auto found = queues_.find(handle);
  return found == queues_.end() ? nullptr : found->second;
}

std::shared_ptr<Queue> QueueTable::FindByDoorbell(hsa_signal_t doorbell) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_doorbell_.find(doorbell.handle);
  return found == by_doorbell_.end() ? nullptr : found->second;
}

}  // namespace gcnjit::hsa
