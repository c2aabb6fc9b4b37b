// Signals: 64-bit values in guest memory that kernels, queues and the host change and wait for.
#pragma once

#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "runtime/memory/guest_memory.h"

namespace gcnjit::hsa {

// Something that a thread waits for.
struct Condition {
  amd_signal_t* signal = nullptr;
  hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
  int64_t compare = 0;
  int64_t mask = -1;  // of the bits to compare
};

bool Holds(hsa_signal_condition_t condition, int64_t value, int64_t compare);

class SignalPool {
 public:
  explicit SignalPool(runtime::GuestMemory& memory) : memory_(memory) {}

  // Zero: guest memory has no room.
  hsa_signal_t Create(amd_signal_kind_t kind, int64_t value);
  // A signal of the host program's that other processes can attach. Zero: there is no room.
  hsa_signal_t CreateShared(int64_t value);
  // Null: the signal is not one of CreateShared or Attach.
  std::shared_ptr<const runtime::SharedPages> PagesOf(hsa_signal_t signal) const;
  // A signal of another process.
  hsa_status_t Attach(std::shared_ptr<const runtime::SharedPages> pages, hsa_signal_t* signal);
  // What other processes have of a shared signal they keep.
  void Destroy(amd_signal_t& signal);
  // Null: a handle that is no live signal.
  amd_signal_t* Find(hsa_signal_t handle) const;

  static std::atomic_ref<int64_t> Value(amd_signal_t& signal);
  // To be called when the host has changed a signal: wakes the threads that wait for it.
  void Changed(amd_signal_t& signal);
  // The end of the work that a signal stands for. Null: there is no signal.
  void Complete(amd_signal_t* signal, uint64_t start, uint64_t end);
  // When the work began and ended, in ticks of the system's clock.
  struct Times {
    uint64_t start = 0;
    uint64_t end = 0;
  };
  static Times TimesOf(amd_signal_t& signal);

  // A thread that is about to wait says so beforehand, and for which signals.
  void Watch(amd_signal_t& signal);
  void Unwatch(amd_signal_t& signal);

  struct Outcome {
    size_t index = 0;   // of the first condition that holds
    int64_t value = 0;  // that its signal had
  };
  // Waits until one of the conditions holds; nullopt: `deadline` (a time of Now) is over, or `stop`
  // (may be empty) says so. What kernels change is noticed after a moment only: nothing tells the
  // host of it.
  std::optional<Outcome> WaitAny(std::span<const Condition> conditions, uint64_t deadline,
                                 bool busy, const std::function<bool()>& stop);
  // Makes all waiting threads look again at what they wait for.
  void WakeAll();

 private:
  std::optional<Outcome> Check(std::span<const Condition> conditions) const;
  void Sleep(uint32_t sequence, uint64_t nanoseconds);

  runtime::GuestMemory& memory_;
  std::atomic<uint32_t> sequence_ = 0;  // a futex; changes when threads should look again
  mutable std::mutex mutex_;            // guards what follows
  std::vector<amd_signal_t*> free_;
  // By the signal's address, where an allocation begins that has nothing else.
  std::map<uint64_t, std::shared_ptr<const runtime::SharedPages>> shared_;
};

}  // namespace gcnjit::hsa
