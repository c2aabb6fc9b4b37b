// Which work-groups of a launch run when some of them wait for others that have not begun.
//
// A group that has used up its turns (turn_watch.h) is set aside, and its host thread runs another
// one: a new group, or one that was set aside before, by whichever thread. New groups begin in
// ascending order, while fewer than LaunchState::resident_groups of those before them have not
// ended: as on the device, where each that has begun stays until it ends.
//
// Until a group is set aside, threads take many groups at a time from `next()` and nothing here is
// asked but some_aside().
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "gcnjit/launch.h"
#include "runtime/host/apart.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/schedule/resident_group.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::runtime {

class GroupTurns {
 public:
  // Of `total` groups, each of which has so many waves and so much scratch, at most. Each of
  // `workers` host threads has a GroupSpace; these have the first scratch.
  GroupTurns(const LaunchState& launch, GuestMemory& memory, uint64_t total, unsigned workers,
             uint32_t waves_of_group, uint64_t scratch_of_group);

  uint64_t total() const { return total_; }
  // The first group that no thread has taken, or more.
  std::atomic<uint64_t>& next() { return next_; }
  // Groups that have ended.
  std::atomic<uint64_t>& done() { return done_; }
  // There are groups that only Choose gives out.
  bool some_aside() const { return some_aside_.load(std::memory_order_relaxed); }
  // A group has been found waiting.
  bool some_wait() const { return some_wait_.load(std::memory_order_relaxed); }

  // Groups [first, end) that a thread has taken and will not run. They may be the next ones.
  void GiveBack(uint64_t first, uint64_t end);

  enum class Next {
    kSame,    // there is no other
    kNew,     // Choice::number begins
    kOther,   // Choice::group is resumed
    kLater,   // none now
    kBatches  // none that only Choose gives out
  };
  struct Choice {
    Next next = Next::kLater;
    uint64_t number = 0;
    ResidentGroup group;
    GroupSpace space;  // with kNew, if the worker has a group
  };
  // A group whose turns are over, and whether it waits.
  struct Running {
    uint64_t number = 0;
    bool waits = false;
  };
  // What the worker is to run next. If it has a group, that is to be given to Keep, unless the
  // answer is kSame.
  Choice Choose(unsigned worker, std::optional<Running> running);
  void Keep(ResidentGroup group);
  // A space that the worker has no use for.
  void Keep(GroupSpace space);

  // A worker stops with a group that has not ended.
  void Stop(bool waits);
  // What was not done, if no thread works any more.
  UnfinishedGroups Unfinished() const;

 private:
  static constexpr uint64_t kNone = UINT64_MAX;

  bool HasNew() const { return !given_back_.empty() || next_.load() < total_; }
  uint64_t FirstNew() const;
  uint64_t TakeNew();
  bool MayBegin(uint64_t number) const;
  bool TakeSpace(GroupSpace& space);
  void SetSomeAside();

  const uint64_t total_;
  const uint64_t limit_;  // of groups that have begun and not ended
  GuestMemory& memory_;
  const LaunchState& launch_;
  const uint32_t waves_of_group_;
  const uint64_t scratch_of_group_;
  const uint64_t most_spaces_;
  const unsigned workers_;
  std::atomic<bool> some_aside_ = false;
  std::atomic<bool> some_wait_ = false;
  alignas(kApart) std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> done_ = 0;

  mutable std::mutex mutex_;                 // guards what follows
  std::map<uint64_t, uint64_t> given_back_;  // first -> end
  uint64_t given_back_count_ = 0;            // groups
  // Groups are resumed from the back of the first list, set aside to the back of the second, and
  // when the first is empty, the lists change places: groups run in ascending and in descending
  // order in turn, so that both those that wait for the group before them and those that wait for
  // the one after them get on.
  std::vector<ResidentGroup> aside_;
  std::vector<ResidentGroup> had_turn_;
  std::vector<uint64_t> running_;  // by worker, as far as is known: kNone
  // New groups that may begin before all others have had another turn: one for each that is found
  // waiting, half as many as there are if all just take long.
  uint64_t may_begin_ = 1;
  bool began_last_ = false;
  uint64_t to_keep_ = 0;  // groups that are about to be given to Keep
  std::vector<GroupSpace> spaces_;
  uint64_t spaces_made_;
  // Of workers that have stopped.
  uint64_t stopped_ = 0;
  uint64_t stopped_waiting_ = 0;
};

}  // namespace gcnjit::runtime
