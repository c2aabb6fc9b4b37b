#include "runtime/schedule/group_turns.h"

#include <algorithm>
#include <new>
#include <utility>

namespace gcnjit::runtime {

GroupTurns::GroupTurns(const LaunchState& launch, GuestMemory& memory, uint64_t total,
                       unsigned workers, uint32_t waves_of_group, uint64_t scratch_of_group)
    : total_(total),
      // Each worker may have a group, and one that all of them wait for must be able to begin.
      limit_(std::max<uint64_t>(launch.resident_groups, workers + 1)),
      memory_(memory),
      launch_(launch),
      waves_of_group_(waves_of_group),
      scratch_of_group_(scratch_of_group),
      most_spaces_(scratch_of_group == 0 ? UINT64_MAX : launch.scratch_total / scratch_of_group),
      workers_(workers),
      spaces_made_(workers) {}

void GroupTurns::GiveBack(uint64_t first, uint64_t end) {
  if (first == end) return;
  const std::scoped_lock lock(mutex_);
  given_back_.emplace(first, end);
  given_back_count_ += end - first;
  SetSomeAside();
}

uint64_t GroupTurns::FirstNew() const {
  return given_back_.empty() ? next_.load() : given_back_.begin()->first;
}

// FirstNew(), or none if other threads were quicker.
uint64_t GroupTurns::TakeNew() {
  if (given_back_.empty()) {
    const uint64_t number = next_.fetch_add(1);
    return number < total_ ? number : kNone;
  }
  const auto [first, end] = *given_back_.begin();
  given_back_.erase(given_back_.begin());
  if (first + 1 < end) given_back_.emplace(first + 1, end);
  --given_back_count_;
  return first;
}

// Groups that a thread has taken many of count as begun: it gives them back when it finds one
// waiting.
bool GroupTurns::MayBegin(uint64_t number) const {
  const uint64_t taken = std::min(next_.load(), total_) - given_back_count_;
  const uint64_t begun = taken - std::min(done_.load(), taken);
  if (begun < limit_) return true;
  if (given_back_.empty()) return false;
  // Later ones do not count.
  const auto is_later = [number](const ResidentGroup& group) { return group.number > number; };
  const auto later = std::count_if(aside_.begin(), aside_.end(), is_later) +
                     std::count_if(had_turn_.begin(), had_turn_.end(), is_later) +
                     std::count_if(running_.begin(), running_.end(), [number](uint64_t running) {
                       return running != kNone && running > number;
                     });
  return begun - static_cast<uint64_t>(later) < limit_;
}

// False: there is none left, nor memory for another one.
bool GroupTurns::TakeSpace(GroupSpace& space) {
  if (!spaces_.empty()) {
    space = std::move(spaces_.back());
    spaces_.pop_back();
    return true;
  }
  if (spaces_made_ >= most_spaces_) return false;
  const uint64_t begin = spaces_made_ * scratch_of_group_;
  if (scratch_of_group_ != 0 && !memory_.Extend(launch_.scratch_base, begin + scratch_of_group_)) {
    return false;
  }
  try {
    space = {{}, begin};
    space.storage.State(waves_of_group_ - 1);
    if (launch_.lds_bytes != 0) space.storage.Lds();
  } catch (const std::bad_alloc&) {
    return false;
  }
  ++spaces_made_;
  return true;
}

GroupTurns::Choice GroupTurns::Choose(unsigned worker, std::optional<Running> running) {
  const std::scoped_lock lock(mutex_);
  if (running_.empty()) running_.assign(workers_, kNone);
  running_[worker] = running ? running->number : kNone;
  if (running && running->waits) {
    may_begin_ = std::max<uint64_t>(may_begin_, 1);
    some_wait_.store(true, std::memory_order_relaxed);
  }
  if (aside_.empty()) {
    std::swap(aside_, had_turn_);
    may_begin_ = std::max<uint64_t>(may_begin_, aside_.size() / 2 + 1);
  }
  Choice choice;
  const bool has_other = !aside_.empty();
  const bool may_begin =
      HasNew() && (!has_other || (may_begin_ != 0 && !began_last_)) && MayBegin(FirstNew());
  GroupSpace space;
  if (may_begin && (!running || TakeSpace(space))) {
    choice.number = TakeNew();
    if (choice.number != kNone) {
      choice.next = Next::kNew;
      if (running) choice.space = std::move(space);
      running_[worker] = choice.number;
      if (may_begin_ != 0) --may_begin_;
      began_last_ = true;
      if (running) ++to_keep_;
      SetSomeAside();
      return choice;
    }
    if (running) spaces_.push_back(std::move(space));
  }
  began_last_ = false;
  if (has_other) {
    choice.next = Next::kOther;
    choice.group = std::move(aside_.back());
    aside_.pop_back();
    running_[worker] = choice.group.number;
    if (running) ++to_keep_;
  } else if (running) {
    choice.next = Next::kSame;
  } else if (given_back_.empty() && to_keep_ == 0) {
    choice.next = Next::kBatches;
  }
  SetSomeAside();
  return choice;
}

void GroupTurns::Keep(ResidentGroup group) {
  const std::scoped_lock lock(mutex_);
  had_turn_.push_back(std::move(group));
  --to_keep_;
  SetSomeAside();
}

void GroupTurns::Keep(GroupSpace space) {
  const std::scoped_lock lock(mutex_);
  spaces_.push_back(std::move(space));
}

void GroupTurns::SetSomeAside() {
  some_aside_ = !aside_.empty() || !had_turn_.empty() || !given_back_.empty() || to_keep_ != 0;
}

void GroupTurns::Stop(bool waits) {
  const std::scoped_lock lock(mutex_);
  ++stopped_;
  if (waits) ++stopped_waiting_;
}

UnfinishedGroups GroupTurns::Unfinished() const {
  const std::scoped_lock lock(mutex_);
  UnfinishedGroups groups;
  groups.begun = stopped_ + aside_.size() + had_turn_.size();
  groups.waiting = stopped_waiting_;
  for (const auto* list : {&aside_, &had_turn_}) {
    groups.waiting += static_cast<uint64_t>(
        std::count_if(list->begin(), list->end(),
                      [](const ResidentGroup& group) { return group.watch.waits(); }));
  }
  groups.total = total_;
  groups.not_begun = total_ - std::min(total_, done_.load() + groups.begun);
  groups.resident = limit_;
  return groups;
}

}  // namespace gcnjit::runtime
