// Entry points: groups of signals.
#include <hsa/hsa_ext_amd.h>

#include <vector>

#include "runtime/hsa/signal_groups.h"
#include "runtime/hsa/signals.h"
#include "runtime/hsa/status.h"

using namespace gcnjit::hsa;

extern "C" hsa_status_t hsa_signal_group_create(uint32_t count, const hsa_signal_t* signals,
                                                uint32_t agent_count, const hsa_agent_t* agents,
                                                hsa_signal_group_t* group) {
  return Guarded([&](Runtime& runtime) {
    if (count == 0 || signals == nullptr || (agent_count != 0 && agents == nullptr) ||
        group == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t n = 0; n < count; ++n) {
      if (runtime.signals().Find(signals[n]) == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    }
    for (uint32_t n = 0; n < agent_count; ++n) {
      if (runtime.Find(agents[n]) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    *group = runtime.signal_groups().Add({signals, signals + count});
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t group) {
  return Guarded([&](Runtime& runtime) {
    return runtime.signal_groups().Remove(group) ? HSA_STATUS_SUCCESS
                                                 : HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
  });
}

// Waiting acquires whatever the order asked for is.
extern "C" hsa_status_t hsa_signal_group_wait_any_scacquire(
    hsa_signal_group_t group, const hsa_signal_condition_t* conditions,
    const hsa_signal_value_t* compare, hsa_wait_state_t state, hsa_signal_t* signal,
    hsa_signal_value_t* value) {
  return Guarded([&](Runtime& runtime) {
    auto signals = runtime.signal_groups().Find(group);
    if (!signals) return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
    if (conditions == nullptr || compare == nullptr || signal == nullptr || value == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const uint32_t index =
        hsa_amd_signal_wait_any(static_cast<uint32_t>(signals->size()), signals->data(),
                                const_cast<hsa_signal_condition_t*>(conditions),
                                const_cast<hsa_signal_value_t*>(compare), UINT64_MAX, state, value);
    if (index >= signals->size()) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *signal = (*signals)[index];
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t group,
                                                          const hsa_signal_condition_t* conditions,
                                                          const hsa_signal_value_t* compare,
                                                          hsa_wait_state_t state,
                                                          hsa_signal_t* signal,
                                                          hsa_signal_value_t* value) {
  return hsa_signal_group_wait_any_scacquire(group, conditions, compare, state, signal, value);
}
