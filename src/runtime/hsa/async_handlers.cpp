#include "runtime/hsa/async_handlers.h"

#include <thread>
#include <utility>

#include "runtime/hsa/status.h"

namespace gcnjit::hsa {

void AsyncHandlers::Add(const Condition& condition, hsa_amd_signal_handler handler,
                        void* argument) {
  const std::scoped_lock lock(mutex_);
  if (!has_thread_) {
    std::thread([this] { Run(); }).detach();
    has_thread_ = true;
  }
  added_.push_back({condition, handler, argument});
  signals_.WakeAll();
}

void AsyncHandlers::Run() {
  std::vector<Entry> entries;
  std::vector<Condition> conditions;
  const auto has_more = [this] {
    const std::scoped_lock lock(mutex_);
    return !added_.empty();
  };
  while (true) {
    {
      const std::scoped_lock lock(mutex_);
      entries.insert(entries.end(), added_.begin(), added_.end());
      added_.clear();
    }
    conditions.clear();
    for (const Entry& entry : entries) conditions.push_back(entry.condition);
    const auto outcome = signals_.WaitAny(conditions, UINT64_MAX, false, has_more);
    if (!outcome) continue;
    // The handler may destroy the signal, so nothing may touch it until it is waited for again.
    const Entry entry = entries[outcome->index];
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(outcome->index));
    if (entry.handler(outcome->value, entry.argument)) entries.push_back(entry);
  }
}

}  // namespace gcnjit::hsa

using namespace gcnjit::hsa;

extern "C" hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t handle,
                                                     hsa_signal_condition_t condition,
                                                     hsa_signal_value_t value,
                                                     hsa_amd_signal_handler handler,
                                                     void* argument) {
  return Guarded([&](Runtime& runtime) {
    amd_signal_t* const signal = runtime.signals().Find(handle);
    if (signal == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    if (handler == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime.async_handlers().Add({signal, condition, value, -1}, handler, argument);
    return HSA_STATUS_SUCCESS;
  });
}

extern "C" hsa_status_t hsa_amd_async_function(void (*callback)(void* argument), void* argument) {
  return Guarded([&](Runtime&) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::thread(callback, argument).detach();
    return HSA_STATUS_SUCCESS;
  });
}
