// Other host threads come to help with a launch only when it lasts: to wake one, and to wait for
// it, takes many times as long as a small launch does.
#pragma once

#include <chrono>

#include "runtime/schedule/group_turns.h"
#include "runtime/schedule/worker_pool.h"

namespace gcnjit::runtime {

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
  // About as long as it takes a thread to wake up.
  static constexpr std::chrono::microseconds kAlone{30};

  WorkerPool::Job& job_;
  GroupTurns& turns_;
  const Clock::time_point from_;
  bool called_ = false;
};

}  // namespace gcnjit::runtime
