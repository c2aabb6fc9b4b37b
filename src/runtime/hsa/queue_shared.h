// What of a queue lies in guest memory, its packets excepted.
#pragma once

#include <hsa/amd_hsa_queue.h>

#include <cstddef>
#include <cstdint>

#include "runtime/hsa/queue.h"

namespace gcnjit::hsa {

struct Queue::Shared {
  amd_queue_t queue;
  alignas(64) volatile uint64_t doorbell;  // where the doorbell signal points to
  alignas(64) std::byte packet[64];        // the one that is being worked on
};

}  // namespace gcnjit::hsa
