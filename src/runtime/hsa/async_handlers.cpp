#include "runtime/hsa/async_handlers.h"

#include <new>
#include <utility>

#include "runtime/host/host_thread.h"
#include "runtime/hsa/status.h"

namespace gcnjit::hsa {

Result<void> AsyncHandlers::Add(const Condition& condition, hsa_amd_signal_handler handler,
                                void* argument) {
  const std::scoped_lock lock(mutex_);
  if (!has_thread_) {
    auto thread = runtime::HostThread::Start([this] { Run(); });
    if (!thread) return thread.error();
    thread->Detach();
    has_thread_ = true;
  }
  added_.push_back({condition, handler, argument});
  signals_.WakeAll();
  return {};
}

void AsyncHandlers::Run() {
  std::vector<Entry> entries;
  std::vector<Condition> conditions;
  const auto has_more = [this] {
    const std::scoped_lock lock(mutex_);
    return !added_.empty();
  };
  while (true) {
    try {
      const std::scoped_lock lock(mutex_);
      const size_t most = entries.size() + added_.size();
      entries.reserve(most);
      conditions.reserve(most);
      entries.insert(entries.end(), added_.begin(), added_.end());
      added_.clear();
    } catch (const std::bad_alloc&) {
      // Those that were added last wait until the process has memory again.
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
    const auto added =
        runtime.async_handlers().Add({signal, condition, value, -1}, handler, argument);
    return added ? HSA_STATUS_SUCCESS : StatusOf(added.error());
  });
}

extern "C" hsa_status_t hsa_amd_async_function(void (*callback)(void* argument), void* argument) {
  return Guarded([&](Runtime&) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto thread = gcnjit::runtime::HostThread::Start([=] { callback(argument); });
    if (!thread) return StatusOf(thread.error());
    thread->Detach();
    return HSA_STATUS_SUCCESS;
  });
}
