// What gcnjit::Cancellation shares with launches: the flags that stop those which are running.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace gcnjit::runtime {

class StopFlags {
 public:
  void Cancel();
  // Cancel() sets `flag` until it is removed: at once, if it has been called already.
  void Add(std::atomic<bool>& flag);
  void Remove(std::atomic<bool>& flag);
  bool is_cancelled() const { return is_cancelled_.load(); }

 private:
  std::mutex mutex_;
  std::vector<std::atomic<bool>*> flags_;  // guarded by mutex_
  std::atomic<bool> is_cancelled_ = false;
};

// While it lives, `flags` may stop a launch; null: nothing does.
class CancellableRun {
 public:
  CancellableRun(std::shared_ptr<StopFlags> flags, std::atomic<bool>& stop);
  ~CancellableRun();
  CancellableRun(const CancellableRun&) = delete;
  CancellableRun& operator=(const CancellableRun&) = delete;

  bool is_cancelled() const { return flags_ != nullptr && flags_->is_cancelled(); }

 private:
  std::shared_ptr<StopFlags> flags_;
  std::atomic<bool>& stop_;
};

}  // namespace gcnjit::runtime
