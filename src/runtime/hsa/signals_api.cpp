// Entry points: signals and waiting for them.
#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/hsa/clock.h"
#include "runtime/hsa/queue_table.h"
#include "runtime/hsa/signals.h"
#include "runtime/hsa/status.h"

using namespace gcnjit::hsa;

namespace {

hsa_status_t CreateSignal(hsa_signal_value_t value, uint32_t count, const hsa_agent_t* consumers,
                          bool is_shared, hsa_signal_t* signal) {
  return Guarded([&](Runtime& runtime) {
    if (signal == nullptr || (count != 0 && consumers == nullptr)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    *signal = is_shared ? runtime.signals().CreateShared(value)
                        : runtime.signals().Create(AMD_SIGNAL_KIND_USER, value);
    return signal->handle == 0 ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
  });
}

// Null: no signal of the host program's. Doorbells belong to their queues.
amd_signal_t* FindUserSignal(Runtime& runtime, hsa_signal_t handle) {
  amd_signal_t* const signal = runtime.signals().Find(handle);
  return signal != nullptr && signal->kind == AMD_SIGNAL_KIND_USER ? signal : nullptr;
}

// The functions below have no way to say that a handle is wrong; then they do nothing, and read 0.
hsa_signal_value_t Load(hsa_signal_t handle, std::memory_order order) {
  Runtime* runtime = Runtime::Open();
  if (runtime == nullptr) return 0;
  if (amd_signal_t* signal = FindUserSignal(*runtime, handle)) {
    return SignalPool::Value(*signal).load(order);
  }
  const auto queue = runtime->queues().FindByDoorbell(handle);
  return queue == nullptr ? 0 : queue->last_ring();
}

void Store(hsa_signal_t handle, hsa_signal_value_t value, std::memory_order order, bool silent) {
  Runtime* runtime = Runtime::Open();
  if (runtime == nullptr) return;
  if (amd_signal_t* signal = FindUserSignal(*runtime, handle)) {
    SignalPool::Value(*signal).store(value, order);
    if (!silent) runtime->signals().Changed(*signal);
  } else if (const auto queue = runtime->queues().FindByDoorbell(handle)) {
    queue->Ring(value);
  }
}

// Changes the value by `update`, which gets it as an atomic_ref and returns what was there before.
template <typename Update>
hsa_signal_value_t Change(hsa_signal_t handle, Update&& update) {
  Runtime* runtime = Runtime::Open();
  amd_signal_t* const signal = runtime == nullptr ? nullptr : FindUserSignal(*runtime, handle);
  if (signal == nullptr) return 0;
  const hsa_signal_value_t before = update(SignalPool::Value(*signal));
  runtime->signals().Changed(*signal);
  return before;
}

uint64_t DeadlineOf(uint64_t timeout) {
  const uint64_t now = Now();
  return timeout > UINT64_MAX - now ? UINT64_MAX : now + timeout;
}

hsa_signal_value_t Wait(hsa_signal_t handle, hsa_signal_condition_t condition,
                        hsa_signal_value_t compare, uint64_t timeout, hsa_wait_state_t state) {
  Runtime* runtime = Runtime::Open();
  amd_signal_t* const signal = runtime == nullptr ? nullptr : FindUserSignal(*runtime, handle);
  if (signal == nullptr) return 0;
  const Condition wanted[] = {{signal, condition, compare, -1}};
  const auto outcome =
      runtime->signals().WaitAny(wanted, DeadlineOf(timeout), state == HSA_WAIT_STATE_ACTIVE, {});
  return outcome ? outcome->value : SignalPool::Value(*signal).load(std::memory_order_relaxed);
}

}  // namespace

extern "C" hsa_status_t hsa_signal_create(hsa_signal_value_t value, uint32_t count,
                                          const hsa_agent_t* consumers, hsa_signal_t* signal) {
  return CreateSignal(value, count, consumers, /*is_shared=*/false, signal);
}

extern "C" hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, uint32_t count,
                                              const hsa_agent_t* consumers, uint64_t attributes,
                                              hsa_signal_t* signal) {
  if ((attributes & ~uint64_t{HSA_AMD_SIGNAL_AMD_GPU_ONLY | HSA_AMD_SIGNAL_IPC}) != 0) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  return CreateSignal(value, count, consumers, (attributes & HSA_AMD_SIGNAL_IPC) != 0, signal);
}

extern "C" hsa_status_t hsa_signal_destroy(hsa_signal_t handle) {
  return Guarded([&](Runtime& runtime) {
    if (handle.handle == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    amd_signal_t* const signal = FindUserSignal(runtime, handle);
    if (signal == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    runtime.signals().Destroy(*signal);
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t handle,
                                                     volatile hsa_signal_value_t** pointer) {
  return Guarded([&](Runtime& runtime) {
    if (pointer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    amd_signal_t* const signal = FindUserSignal(runtime, handle);
    if (signal == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    *pointer = &signal->value;
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" uint32_t hsa_amd_signal_wait_any(uint32_t count, hsa_signal_t* handles,
                                            hsa_signal_condition_t* conditions,
                                            hsa_signal_value_t* values, uint64_t timeout,
                                            hsa_wait_state_t state,
                                            hsa_signal_value_t* satisfying_value) {
  Runtime* runtime = Runtime::Open();
  if (runtime == nullptr || handles == nullptr || conditions == nullptr || values == nullptr) {
    return UINT32_MAX;
  }
  std::vector<Condition> wanted;
  std::vector<uint32_t> numbers;
  for (uint32_t n = 0; n < count; ++n) {
    amd_signal_t* const signal = FindUserSignal(*runtime, handles[n]);
    if (signal == nullptr) continue;
    wanted.push_back({signal, conditions[n], values[n], -1});
    numbers.push_back(n);
  }
  if (wanted.empty()) return UINT32_MAX;
  const auto outcome =
      runtime->signals().WaitAny(wanted, DeadlineOf(timeout), state == HSA_WAIT_STATE_ACTIVE, {});
  if (!outcome) return UINT32_MAX;
  if (satisfying_value != nullptr) *satisfying_value = outcome->value;
  return numbers[outcome->index];
}

// A condition that held once need not hold still, as with ROCm.
extern "C" uint32_t hsa_amd_signal_wait_all(uint32_t count, hsa_signal_t* handles,
                                            hsa_signal_condition_t* conditions,
                                            hsa_signal_value_t* values, uint64_t timeout,
                                            hsa_wait_state_t state,
                                            hsa_signal_value_t* satisfying_values) {
  if (count == 0) return UINT32_MAX;
  const uint64_t deadline = DeadlineOf(timeout);
  for (uint32_t n = 0; n < count; ++n) {
    const uint64_t now = Now();
    hsa_signal_value_t value = 0;
    if (hsa_amd_signal_wait_any(
            1, handles + n, conditions + n, values + n,
            deadline == UINT64_MAX ? deadline : deadline - std::min(deadline, now), state,
            &value) != 0) {
      return UINT32_MAX;
    }
    if (satisfying_values != nullptr) satisfying_values[n] = value;
  }
  return 0;
}

// One function an operation and ordering. The old names (acquire, release, acq_rel) mean the same
// as the new ones.
#define LOAD(name, order)                                   \
  extern "C" hsa_signal_value_t name(hsa_signal_t signal) { \
    return Load(signal, std::memory_order_##order);         \
  }
#define STORE(name, order, silent)                                      \
  extern "C" void name(hsa_signal_t signal, hsa_signal_value_t value) { \
    Store(signal, value, std::memory_order_##order, silent);            \
  }
#define UPDATE(name, operation, order)                                                             \
  extern "C" void name(hsa_signal_t signal, hsa_signal_value_t operand) {                          \
    Change(signal,                                                                                 \
           [operand](auto value) { return value.operation(operand, std::memory_order_##order); }); \
  }
#define EXCHANGE(name, order)                                                                  \
  extern "C" hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_value_t to) {             \
    return Change(signal,                                                                      \
                  [to](auto value) { return value.exchange(to, std::memory_order_##order); }); \
  }
#define CAS(name, order)                                                               \
  extern "C" hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_value_t expected, \
                                     hsa_signal_value_t to) {                          \
    return Change(signal, [expected, to](auto value) {                                 \
      hsa_signal_value_t before = expected;                                            \
      value.compare_exchange_strong(before, to, std::memory_order_##order);            \
      return before;                                                                   \
    });                                                                                \
  }
#define WAIT(name)                                                                          \
  extern "C" hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_condition_t condition, \
                                     hsa_signal_value_t compare, uint64_t timeout,          \
                                     hsa_wait_state_t state) {                              \
    return Wait(signal, condition, compare, timeout, state);                                \
  }
LOAD(hsa_signal_load_relaxed, relaxed)
LOAD(hsa_signal_load_acquire, acquire)
LOAD(hsa_signal_load_scacquire, acquire)
STORE(hsa_signal_store_relaxed, relaxed, false)
STORE(hsa_signal_store_release, release, false)
STORE(hsa_signal_store_screlease, release, false)
STORE(hsa_signal_silent_store_relaxed, relaxed, true)
STORE(hsa_signal_silent_store_screlease, release, true)
WAIT(hsa_signal_wait_relaxed)
WAIT(hsa_signal_wait_acquire)
WAIT(hsa_signal_wait_scacquire)
UPDATE(hsa_signal_add_relaxed, fetch_add, relaxed)
UPDATE(hsa_signal_add_acquire, fetch_add, acquire)
UPDATE(hsa_signal_add_scacquire, fetch_add, acquire)
UPDATE(hsa_signal_add_release, fetch_add, release)
UPDATE(hsa_signal_add_screlease, fetch_add, release)
UPDATE(hsa_signal_add_acq_rel, fetch_add, acq_rel)
UPDATE(hsa_signal_add_scacq_screl, fetch_add, acq_rel)
UPDATE(hsa_signal_subtract_relaxed, fetch_sub, relaxed)
UPDATE(hsa_signal_subtract_acquire, fetch_sub, acquire)
UPDATE(hsa_signal_subtract_scacquire, fetch_sub, acquire)
UPDATE(hsa_signal_subtract_release, fetch_sub, release)
UPDATE(hsa_signal_subtract_screlease, fetch_sub, release)
UPDATE(hsa_signal_subtract_acq_rel, fetch_sub, acq_rel)
UPDATE(hsa_signal_subtract_scacq_screl, fetch_sub, acq_rel)
UPDATE(hsa_signal_and_relaxed, fetch_and, relaxed)
UPDATE(hsa_signal_and_acquire, fetch_and, acquire)
UPDATE(hsa_signal_and_scacquire, fetch_and, acquire)
UPDATE(hsa_signal_and_release, fetch_and, release)
UPDATE(hsa_signal_and_screlease, fetch_and, release)
UPDATE(hsa_signal_and_acq_rel, fetch_and, acq_rel)
UPDATE(hsa_signal_and_scacq_screl, fetch_and, acq_rel)
UPDATE(hsa_signal_or_relaxed, fetch_or, relaxed)
UPDATE(hsa_signal_or_acquire, fetch_or, acquire)
UPDATE(hsa_signal_or_scacquire, fetch_or, acquire)
UPDATE(hsa_signal_or_release, fetch_or, release)
UPDATE(hsa_signal_or_screlease, fetch_or, release)
UPDATE(hsa_signal_or_acq_rel, fetch_or, acq_rel)
UPDATE(hsa_signal_or_scacq_screl, fetch_or, acq_rel)
UPDATE(hsa_signal_xor_relaxed, fetch_xor, relaxed)
UPDATE(hsa_signal_xor_acquire, fetch_xor, acquire)
UPDATE(hsa_signal_xor_scacquire, fetch_xor, acquire)
UPDATE(hsa_signal_xor_release, fetch_xor, release)
UPDATE(hsa_signal_xor_screlease, fetch_xor, release)
UPDATE(hsa_signal_xor_acq_rel, fetch_xor, acq_rel)
UPDATE(hsa_signal_xor_scacq_screl, fetch_xor, acq_rel)
EXCHANGE(hsa_signal_exchange_relaxed, relaxed)
EXCHANGE(hsa_signal_exchange_acquire, acquire)
EXCHANGE(hsa_signal_exchange_scacquire, acquire)
EXCHANGE(hsa_signal_exchange_release, release)
EXCHANGE(hsa_signal_exchange_screlease, release)
EXCHANGE(hsa_signal_exchange_acq_rel, acq_rel)
EXCHANGE(hsa_signal_exchange_scacq_screl, acq_rel)
CAS(hsa_signal_cas_relaxed, relaxed)
CAS(hsa_signal_cas_acquire, acquire)
CAS(hsa_signal_cas_scacquire, acquire)
CAS(hsa_signal_cas_release, release)
CAS(hsa_signal_cas_screlease, release)
CAS(hsa_signal_cas_acq_rel, acq_rel)
CAS(hsa_signal_cas_scacq_screl, acq_rel)

#undef LOAD
#undef STORE
#undef UPDATE
#undef EXCHANGE
#undef CAS
#undef WAIT
