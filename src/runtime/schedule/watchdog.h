// Watches a running launch from a thread of its own: enforces the time limit, reports progress.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "gcnjit/error.h"
#include "runtime/host/host_thread.h"

namespace gcnjit::runtime {

class Watchdog {
 public:
  // After `timeout_seconds` (0: never) sets `stop`. Calls `progress`, if not empty, ten times a
  // second with the value of `done`. Needs no thread when there is neither. An error: there is no
  // thread that could enforce the limit. Without a limit, there is no progress to be seen then.
  static Result<std::unique_ptr<Watchdog>> Start(
      double timeout_seconds, std::atomic<bool>& stop, const std::atomic<uint64_t>& done,
      uint64_t total, const std::function<void(uint64_t, uint64_t)>& progress);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  bool timed_out() const { return timed_out_.load(); }

 private:
  Watchdog() = default;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool finished_ = false;  // guarded by mutex_
  std::atomic<bool> timed_out_ = false;
  std::optional<HostThread> thread_;
};

}  // namespace gcnjit::runtime
