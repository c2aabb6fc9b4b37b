// Entry points: queues and their indices.
#include <atomic>
#include <bit>

#include "runtime/hsa/newer_api.h"
#include "runtime/hsa/queue_table.h"
#include "runtime/hsa/signals.h"
#include "runtime/hsa/soft_queues.h"
#include "runtime/hsa/status.h"

using namespace gcnjit::hsa;

extern "C" hsa_status_t hsa_queue_create(hsa_agent_t handle, uint32_t size, hsa_queue_type32_t type,
                                         QueueCallback callback, void* data, uint32_t, uint32_t,
                                         hsa_queue_t** queue) {
  return Guarded([&](Runtime& runtime) {
    const Agent* agent = runtime.Find(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (queue == nullptr || size == 0 || !std::has_single_bit(size) || size > kMaxQueuePackets ||
        type > HSA_QUEUE_TYPE_COOPERATIVE) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    if (agent->gpu == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
    return runtime.queues().Create(runtime, {agent, size, type, callback, data, 0}, queue);
  });
}

extern "C" hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) {
  return Guarded([&](Runtime& runtime) {
    if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.soft_queues().Destroy(runtime, queue)) return HSA_STATUS_SUCCESS;
    return runtime.queues().Destroy(queue);
  });
}

extern "C" hsa_status_t hsa_queue_inactivate(hsa_queue_t* handle) {
  return Guarded([&](Runtime& runtime) {
    const auto queue = runtime.queues().Find(handle);
    if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    queue->Stop();
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size,
                                              hsa_queue_type32_t type, uint32_t features,
                                              hsa_signal_t doorbell, hsa_queue_t** queue) {
  return Guarded([&](Runtime& runtime) {
    if (queue == nullptr || region.handle == 0 || doorbell.handle == 0 ||
        !std::has_single_bit(size) || size > kMaxQueuePackets || type > HSA_QUEUE_TYPE_SINGLE ||
        features == 0) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const Pool* const pool = runtime.Find(hsa_amd_memory_pool_t{region.handle});
    if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_REGION;
    if (runtime.signals().Find(doorbell) == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    return runtime.soft_queues().Create(runtime, *pool, {size, type, features, doorbell}, queue);
  });
}

namespace gcnjit::hsa {

hsa_status_t QueueGetInfo(hsa_queue_t* handle, uint32_t attribute, void* value) {
  return Guarded([&](Runtime& runtime) {
    const auto queue = runtime.queues().Find(handle);
    if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const amd_signal_t* const doorbell = runtime.signals().Find(queue->doorbell());
    switch (attribute) {
      case kQueueInfoAgent: return Put(value, queue->agent().handle());
      case kQueueInfoDoorbellId:
        return Put(value, reinterpret_cast<uint64_t>(doorbell->hardware_doorbell_ptr));
      default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

}  // namespace gcnjit::hsa

// Priorities and masks of compute units make no difference to results, and here to nothing else.
extern "C" hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* handle,
                                                   hsa_amd_queue_priority_t priority) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.queues().Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    return priority <= HSA_AMD_QUEUE_PRIORITY_HIGH ? HSA_STATUS_SUCCESS
                                                   : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

extern "C" hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* handle, uint32_t bits,
                                                  const uint32_t* mask) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.queues().Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    return bits % 32 == 0 && (bits == 0 || mask != nullptr) ? HSA_STATUS_SUCCESS
                                                            : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

extern "C" hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* handle, uint32_t bits,
                                                  uint32_t* mask) {
  return Guarded([&](Runtime& runtime) {
    if (runtime.queues().Find(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (bits == 0 || bits % 32 != 0 || mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t n = 0; n < bits / 32; ++n) mask[n] = n < 2 ? UINT32_MAX : 0;
    return HSA_STATUS_SUCCESS;
  });
}

namespace {

// The queue's structure begins with what the host program has a pointer to. As in ROCm, the
// functions below take the pointer's word for it: they are called for every packet.
amd_queue_t& AmdQueue(const hsa_queue_t* queue) {
  return *reinterpret_cast<amd_queue_t*>(const_cast<hsa_queue_t*>(queue));
}

std::atomic_ref<uint64_t> WriteIndex(const hsa_queue_t* queue) {
  return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(AmdQueue(queue).write_dispatch_id));
}

std::atomic_ref<uint64_t> ReadIndex(const hsa_queue_t* queue) {
  return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(AmdQueue(queue).read_dispatch_id));
}

uint64_t Exchange(const hsa_queue_t* queue, uint64_t expected, uint64_t value,
                  std::memory_order order) {
  WriteIndex(queue).compare_exchange_strong(expected, value, order);
  return expected;  // what was there, whether it was exchanged or not
}

}  // namespace

// One function an ordering. The old names (acquire, release, acq_rel) mean the same as the new
// ones.
#define LOAD(name, index, order)                         \
  extern "C" uint64_t name(const hsa_queue_t* queue) {   \
    return index(queue).load(std::memory_order_##order); \
  }
#define STORE(name, index, order)                                  \
  extern "C" void name(const hsa_queue_t* queue, uint64_t value) { \
    index(queue).store(value, std::memory_order_##order);          \
  }
#define ADD(name, order)                                                  \
  extern "C" uint64_t name(const hsa_queue_t* queue, uint64_t value) {    \
    return WriteIndex(queue).fetch_add(value, std::memory_order_##order); \
  }
#define CAS(name, order)                                                                  \
  extern "C" uint64_t name(const hsa_queue_t* queue, uint64_t expected, uint64_t value) { \
    return Exchange(queue, expected, value, std::memory_order_##order);                   \
  }

LOAD(hsa_queue_load_read_index_relaxed, ReadIndex, relaxed)
LOAD(hsa_queue_load_read_index_acquire, ReadIndex, acquire)
LOAD(hsa_queue_load_read_index_scacquire, ReadIndex, acquire)
LOAD(hsa_queue_load_write_index_relaxed, WriteIndex, relaxed)
LOAD(hsa_queue_load_write_index_acquire, WriteIndex, acquire)
LOAD(hsa_queue_load_write_index_scacquire, WriteIndex, acquire)
STORE(hsa_queue_store_read_index_relaxed, ReadIndex, relaxed)
STORE(hsa_queue_store_read_index_release, ReadIndex, release)
STORE(hsa_queue_store_read_index_screlease, ReadIndex, release)
STORE(hsa_queue_store_write_index_relaxed, WriteIndex, relaxed)
STORE(hsa_queue_store_write_index_release, WriteIndex, release)
STORE(hsa_queue_store_write_index_screlease, WriteIndex, release)
ADD(hsa_queue_add_write_index_relaxed, relaxed)
ADD(hsa_queue_add_write_index_acquire, acquire)
ADD(hsa_queue_add_write_index_scacquire, acquire)
ADD(hsa_queue_add_write_index_release, release)
ADD(hsa_queue_add_write_index_screlease, release)
ADD(hsa_queue_add_write_index_acq_rel, acq_rel)
ADD(hsa_queue_add_write_index_scacq_screl, acq_rel)
CAS(hsa_queue_cas_write_index_relaxed, relaxed)
CAS(hsa_queue_cas_write_index_acquire, acquire)
CAS(hsa_queue_cas_write_index_scacquire, acquire)
CAS(hsa_queue_cas_write_index_release, release)
CAS(hsa_queue_cas_write_index_screlease, release)
CAS(hsa_queue_cas_write_index_acq_rel, acq_rel)
CAS(hsa_queue_cas_write_index_scacq_screl, acq_rel)

#undef LOAD
#undef STORE
#undef ADD
#undef CAS
