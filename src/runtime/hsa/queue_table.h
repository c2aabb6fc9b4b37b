// The queues that the host program has.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

#include "runtime/hsa/queue.h"

namespace gcnjit::hsa {

class QueueTable {
 public:
  hsa_status_t Create(Runtime& runtime, QueueRequest request, hsa_queue_t** queue);
  hsa_status_t Destroy(const hsa_queue_t* queue);

  // Null: none of ours.
  std::shared_ptr<Queue> Find(const hsa_queue_t* queue) const;
  std::shared_ptr<Queue> FindByDoorbell(hsa_signal_t doorbell) const;

 private:
  mutable std::shared_mutex mutex_;  // guards what follows
  uint64_t last_id_ = 0;
  std::unordered_map<const hsa_queue_t*, std::shared_ptr<Queue>> queues_;
  std::unordered_map<uint64_t, std::shared_ptr<Queue>> by_doorbell_;
};

}  // namespace gcnjit::hsa
