#include "runtime/hsa/signals.h"

#include <immintrin.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <new>

#include "runtime/hsa/clock.h"

namespace gcnjit::hsa {
namespace {

// How many threads wait for a signal. A kernel that overwrites it does no harm: waits look for
// themselves now and then.
std::atomic_ref<uint32_t> WatchersOf(amd_signal_t& signal) {
  return std::atomic_ref<uint32_t>(signal.reserved3[0]);
}

constexpr uint64_t kSharedBytes = runtime::GuestMemory::kPageBytes;  // of a shared signal

}  // namespace

bool Holds(hsa_signal_condition_t condition, int64_t value, int64_t compare) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ: return value == compare;
    case HSA_SIGNAL_CONDITION_NE: return value != compare;
    case HSA_SIGNAL_CONDITION_LT: return value < compare;
    case HSA_SIGNAL_CONDITION_GTE: return value >= compare;
  }
  return false;
}

hsa_signal_t SignalPool::Create(amd_signal_kind_t kind, int64_t value) {
  constexpr uint64_t kBlockBytes = 64 * 1024;
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) {
    const auto block = memory_.Allocate(kBlockBytes, "signals");
    if (!block) return {0};
    auto* const signals = reinterpret_cast<amd_signal_t*>(*block);
    for (uint64_t n = kBlockBytes / sizeof(amd_signal_t); n-- > 0;) free_.push_back(signals + n);
  }
  amd_signal_t* const signal = free_.back();
  free_.pop_back();
  // A thread that waited for the signal that was here before, or has just completed it, may still
  // look at it; waiting threads count themselves out, so the count stays.
  Value(*signal).store(value, std::memory_order_relaxed);
  std::atomic_ref<uint64_t>(signal->start_ts).store(0, std::memory_order_relaxed);
  std::atomic_ref<uint64_t>(signal->end_ts).store(0, std::memory_order_relaxed);
  signal->event_mailbox_ptr = 0;
  signal->event_id = 0;
  signal->queue_ptr = nullptr;
  std::atomic_ref<int64_t>(signal->kind).store(kind, std::memory_order_release);
  return {reinterpret_cast<uint64_t>(signal)};
}

hsa_signal_t SignalPool::CreateShared(int64_t value) {
  const auto address = memory_.Allocate(kSharedBytes, "signal for other processes");
  if (!address) return {0};
  auto* const signal = new (reinterpret_cast<void*>(*address)) amd_signal_t{};
  signal->value = value;
  signal->kind = AMD_SIGNAL_KIND_USER;
  auto pages = memory_.Share(*address, "signal");
  if (!pages) {
    (void)memory_.Free(*address);
    return {0};
  }
  const std::scoped_lock lock(mutex_);
  shared_[*address] = std::move(*pages);
  return {*address};
}

std::shared_ptr<const runtime::SharedPages> SignalPool::PagesOf(hsa_signal_t signal) const {
  const std::scoped_lock lock(mutex_);
  const auto found = shared_.find(signal.handle);
  return found == shared_.end() ? nullptr : found->second;
}

hsa_status_t SignalPool::Attach(std::shared_ptr<const runtime::SharedPages> pages,
                                hsa_signal_t* signal) {
  if (pages->bytes() != kSharedBytes) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto address = memory_.Allocate(kSharedBytes, "signal of another process");
  if (!address) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (const auto replaced = memory_.Replace(*address, pages); !replaced) {
    (void)memory_.Free(*address);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  const std::scoped_lock lock(mutex_);
  shared_[*address] = std::move(pages);
  *signal = {*address};
  return HSA_STATUS_SUCCESS;
}

void SignalPool::Destroy(amd_signal_t& signal) {
  const std::scoped_lock lock(mutex_);
  // Threads may still look at it. So its place becomes one for signals of this process, as that of
  // any other does; what other processes have of it stays a signal.
  if (const auto found = shared_.find(reinterpret_cast<uint64_t>(&signal));
      found != shared_.end()) {
    if (!memory_.Replace(found->first, nullptr)) return;
    shared_.erase(found);
  } else {
    std::atomic_ref<int64_t>(signal.kind).store(AMD_SIGNAL_KIND_INVALID, std::memory_order_release);
  }
  free_.push_back(&signal);
}

amd_signal_t* SignalPool::Find(hsa_signal_t handle) const {
  if (handle.handle % alignof(amd_signal_t) != 0 ||
      !memory_.Writable(handle.handle, sizeof(amd_signal_t))) {
    return nullptr;
  }
  auto* const signal = reinterpret_cast<amd_signal_t*>(handle.handle);
  const int64_t kind = std::atomic_ref<int64_t>(signal->kind).load(std::memory_order_acquire);
  return kind == AMD_SIGNAL_KIND_USER || kind == AMD_SIGNAL_KIND_DOORBELL ? signal : nullptr;
}

std::atomic_ref<int64_t> SignalPool::Value(amd_signal_t& signal) {
  return std::atomic_ref<int64_t>(const_cast<int64_t&>(signal.value));
}

void SignalPool::Changed(amd_signal_t& signal) {
  // A write, although of what is there already, so that it comes before that of a thread which is
  // about to wait, or after it: one of the two sees what the other has done. (ThreadSanitizer does
  // not know fences.)
  if (WatchersOf(signal).fetch_add(0, std::memory_order_acq_rel) != 0) WakeAll();
}

void SignalPool::WakeAll() {
  sequence_.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &sequence_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void SignalPool::Complete(amd_signal_t* signal, uint64_t start, uint64_t end) {
  if (signal == nullptr) return;
  // A signal may be that of several operations, which may end at the same time.
  std::atomic_ref<uint64_t>(signal->start_ts).store(start, std::memory_order_relaxed);
  std::atomic_ref<uint64_t>(signal->end_ts).store(end, std::memory_order_relaxed);
  Value(*signal).fetch_sub(1, std::memory_order_acq_rel);
  Changed(*signal);
}

SignalPool::Times SignalPool::TimesOf(amd_signal_t& signal) {
  return {std::atomic_ref<uint64_t>(signal.start_ts).load(std::memory_order_relaxed),
          std::atomic_ref<uint64_t>(signal.end_ts).load(std::memory_order_relaxed)};
}

void SignalPool::Watch(amd_signal_t& signal) {
  WatchersOf(signal).fetch_add(1, std::memory_order_seq_cst);
}

void SignalPool::Unwatch(amd_signal_t& signal) {
  WatchersOf(signal).fetch_sub(1, std::memory_order_seq_cst);
}

std::optional<SignalPool::Outcome> SignalPool::Check(std::span<const Condition> conditions) const {
  for (size_t n = 0; n < conditions.size(); ++n) {
    const Condition& wanted = conditions[n];
    const int64_t value = Value(*wanted.signal).load(std::memory_order_acquire);
    if (Holds(wanted.condition, value & wanted.mask, wanted.compare)) return Outcome{n, value};
  }
  return std::nullopt;
}

void SignalPool::Sleep(uint32_t sequence, uint64_t nanoseconds) {
  const timespec time = {static_cast<time_t>(nanoseconds / kTicksPerSecond),
                         static_cast<long>(nanoseconds % kTicksPerSecond)};
  syscall(SYS_futex, &sequence_, FUTEX_WAIT_PRIVATE, sequence, &time, nullptr, 0);
}

std::optional<SignalPool::Outcome> SignalPool::WaitAny(std::span<const Condition> conditions,
                                                       uint64_t deadline, bool busy,
                                                       const std::function<bool()>& stop) {
  // Most waits are short.
  for (int spin = 0; spin < (busy ? 2000 : 200); ++spin) {
    if (const auto outcome = Check(conditions)) return outcome;
    _mm_pause();
  }
  for (const Condition& wanted : conditions) Watch(*wanted.signal);
  constexpr uint64_t kShortest = 20'000;
  constexpr uint64_t kLongest = 500'000;  // until a kernel's change is noticed
  uint64_t pause = kShortest;
  std::optional<Outcome> outcome;
  while (true) {
    const uint32_t sequence = sequence_.load(std::memory_order_seq_cst);
    outcome = Check(conditions);
    if (outcome || (stop && stop())) break;
    const uint64_t now = Now();
    if (now >= deadline) break;
    Sleep(sequence, std::min(pause, deadline - now));
    pause = std::min(pause * 2, kLongest);
  }
  for (const Condition& wanted : conditions) Unwatch(*wanted.signal);
  return outcome;
}

}  // namespace gcnjit::hsa
