// Queues whose packets the host program takes itself. They are memory only.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "runtime/hsa/agent.h"

namespace gcnjit::hsa {

class Runtime;

struct SoftQueueRequest {
  uint32_t packets = 0;  // a power of two
  hsa_queue_type32_t type = HSA_QUEUE_TYPE_MULTI;
  uint32_t features = 0;
  hsa_signal_t doorbell = {0};
};

class SoftQueues {
 public:
  // The packets come from the pool.
  hsa_status_t Create(Runtime& runtime, const Pool& pool, const SoftQueueRequest& request,
                      hsa_queue_t** queue);
  // False: none of Create's.
  bool Destroy(Runtime& runtime, const hsa_queue_t* queue);

 private:
  std::mutex mutex_;                            // guards what follows
  uint64_t last_id_ = uint64_t{1} << 32;        // apart from those of queues with a device
  std::map<const hsa_queue_t*, void*> queues_;  // their packets
};

}  // namespace gcnjit::hsa
