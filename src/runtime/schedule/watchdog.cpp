#include "runtime/schedule/watchdog.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gcnjit::runtime {

Result<std::unique_ptr<Watchdog>> Watchdog::Start(
    double timeout_seconds, std::atomic<bool>& stop, const std::atomic<uint64_t>& done,
    uint64_t total, const std::function<void(uint64_t, uint64_t)>& progress) {
  std::unique_ptr<Watchdog> monitor(new Watchdog);
  const bool has_limit = timeout_seconds > 0;  // not for NaN
  if (!has_limit && !progress) return monitor;
  using Clock = std::chrono::steady_clock;
  constexpr double kLongest = 1e8;  // seconds; keeps the conversion to ticks in range
  const double seconds = has_limit ? std::min(timeout_seconds, kLongest) : 0;
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const Clock::time_point deadline = has_limit ? Clock::now() + limit : Clock::time_point::max();
  auto thread = HostThread::Start([m = monitor.get(), deadline, &stop, &done, total, progress] {
    constexpr auto kTick = std::chrono::milliseconds(100);
    std::unique_lock lock(m->mutex_);
    while (!m->finished_) {
      const Clock::time_point until =
          progress ? std::min(deadline, Clock::now() + kTick) : deadline;
      m->wake_.wait_until(lock, until, [m] { return m->finished_; });
      if (m->finished_) return;
      if (Clock::now() >= deadline) {
        m->timed_out_ = true;
        stop = true;
        return;
      }
      if (progress) progress(done.load(), total);
    }
  });
  if (thread) {
    monitor->thread_.emplace(std::move(*thread));
  } else if (has_limit) {
    return Error{thread.error().code,
                 "a time limit needs a thread that watches it: " + thread.error().message};
  }
  return monitor;
}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    finished_ = true;
  }
  wake_.notify_one();
  thread_.reset();
}

}  // namespace gcnjit::runtime
