// Other host threads come to help with a launch only when it lasts: to wake one, and to wait for
// it, takes many times as long as a small launch does.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "runtime/host/per_thread.h"
#include "runtime/schedule/group_turns.h"
#include "runtime/schedule/worker_pool.h"

namespace gcnjit::runtime {

// How long a host thread works alone: about as long as it takes another one to wake up.
inline constexpr std::chrono::microseconds kAlone{30};

// How long a thread's launches have taken, of kernels that it has launched lately.
class LaunchTimes {
 public:
  using Seconds = std::chrono::duration<double>;

  static LaunchTimes& OfThisThread() { return PerThread<LaunchTimes>::Current(); }

  // A launch of the kernel that begins at this guest address, if one thread had done all.
  void Note(uint64_t kernel, uint64_t groups, Seconds seconds) {
    Of(kernel) = {kernel, seconds / static_cast<double>(groups)};
  }
  // Is it known that so many groups last?
  bool WillLast(uint64_t kernel, uint64_t groups) {
    const Entry& entry = Of(kernel);
    return entry.kernel == kernel && entry.of_group * static_cast<double>(groups) > 2 * kAlone;
  }

 private:
  struct Entry {
    uint64_t kernel = 0;
    Seconds of_group{0};
  };
  Entry& Of(uint64_t kernel) { return entries_[kernel / kKernelAlignment % entries_.size()]; }

  static constexpr uint64_t kKernelAlignment = 256;
  std::array<Entry, 64> entries_;
};

// For the thread whose launch it is.
class LateHelpers {
 public:
  using Clock = std::chrono::steady_clock;

  // Of the launch that began at `start`.
  LateHelpers(WorkerPool::Job& job, GroupTurns& turns, Clock::time_point start)
      : job_(job), turns_(turns), from_(start + kAlone) {}

  // Is it time to call them? To be asked at least once a turn. No, if they have been called, or if
  // there is no group that they could run.
  bool AreWanted() const {
    return !called_ && Clock::now() >= from_ &&
           (turns_.next().load(std::memory_order_relaxed) < turns_.total() || turns_.some_aside());
  }
  // MXCSR must be the host's: new threads begin with this one's.
  void Call() {
    called_ = true;
    job_.Invite();
  }
  bool called() const { return called_; }

 private:
  WorkerPool::Job& job_;
  GroupTurns& turns_;
  const Clock::time_point from_;
  bool called_ = false;
};

}  // namespace gcnjit::runtime
