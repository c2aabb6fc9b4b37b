#include "debug/timeline.h"

#include <algorithm>

namespace gcnjit::debug {
namespace {

// Executing that many instructions again takes some milliseconds.
constexpr uint64_t kFirstInterval = 1 << 14;
constexpr size_t kMostSnapshots = 128;
constexpr uint64_t kMostPageBytes = 512 << 20;
// Where a place is far from the last snapshot, so long before it there is another one: the next
// place to go back to is likely near.
constexpr uint64_t kNear = 1 << 10;

}  // namespace

Timeline::Timeline(const runtime::LaunchState& launch, const KernelInfo& kernel,
                   runtime::CodeMap& code, runtime::GuestMemory& memory,
                   runtime::check::Checker* checker)
    : pages_(memory),
      machine_(launch, kernel, code, memory, pages_, checker),
      interval_(kFirstInterval) {
  TakeSnapshot();
}

bool Timeline::Step() {
  if (step() - snapshots_.back().step >= interval_) TakeSnapshot();
  if (machine_.Step()) {
    if (!changes_.empty()) MakeChanges();
    return true;
  }
  const uint64_t before = step();
  RestoreFrom(snapshots_.size() - 1);
  Seek(before);
  return false;
}

void Timeline::Seek(uint64_t to) {
  if (to < step()) SeekSnapshotBefore(to + 1);
  if (to - step() > 2 * kNear) {
    while (step() < to - kNear) Step();
    TakeSnapshot();
  }
  while (step() < to) Step();
}

void Timeline::SeekSnapshotBefore(uint64_t to) {
  const auto after = std::ranges::lower_bound(snapshots_, to, {}, &Snapshot::step);
  RestoreFrom(static_cast<size_t>(after - snapshots_.begin()) - 1);
}

void Timeline::RestoreFrom(size_t n) {
  pages_.Rewind(n);
  machine_.Restore(*snapshots_[n].copy);
  snapshots_.resize(n + 1);
  // The snapshot may be of before they were made.
  MakeChanges();
}

// Those of this place. To make one twice changes nothing.
void Timeline::MakeChanges() {
  const auto [first, last] = changes_.equal_range(step());
  for (auto at = first; at != last; ++at) machine_.Make(at->second);
}

void Timeline::Make(const Change& change) {
  changes_.erase(changes_.upper_bound(step()), changes_.end());
  changes_.emplace(step(), change);
  machine_.ForgetWhatFollows();
  machine_.Make(change);
}

void Timeline::TakeSnapshot() {
  if (!snapshots_.empty() && snapshots_.back().step == step()) return;
  if (snapshots_.size() >= kMostSnapshots || pages_.bytes() > kMostPageBytes) Thin();
  snapshots_.push_back({step(), machine_.Save()});
  pages_.Begin();
}

// Every second snapshot goes.
void Timeline::Thin() {
  if (snapshots_.size() < 3) return;
  interval_ *= 2;
  std::vector<Snapshot> kept;
  size_t interval = 0;
  for (size_t n = 0; n < snapshots_.size(); ++n) {
    if (n % 2 == 0) {
      kept.push_back(std::move(snapshots_[n]));
      interval = kept.size();
    } else {
      pages_.Merge(interval);
    }
  }
  snapshots_ = std::move(kept);
}

}  // namespace gcnjit::debug
