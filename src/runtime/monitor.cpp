#include "runtime/monitor.h"

#include <algorithm>
#include <chrono>

namespace gcnjit::runtime {

Monitor::Monitor(double timeout_seconds, std::atomic<bool>& stop, const std::atomic<uint64_t>& done,
                 uint64_t total, const std::function<void(uint64_t, uint64_t)>& progress) {
  const bool has_limit = timeout_seconds > 0;  // not for NaN
  if (!has_limit && !progress) return;
  using Clock = std::chrono::steady_clock;
  constexpr double kLongest = 1e8;  // seconds; keeps the conversion to ticks in range
  const double seconds = has_limit ? std::min(timeout_seconds, kLongest) : 0;
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const Clock::time_point deadline = has_limit ? Clock::now() + limit : Clock::time_point::max();
  thread_ = std::thread([this, deadline, &stop, &done, total, progress] {
    constexpr auto kTick = std::chrono::milliseconds(100);
    std::unique_lock lock(mutex_);
    while (!finished_) {
      const Clock::time_point until =
          progress ? std::min(deadline, Clock::now() + kTick) : deadline;
      wake_.wait_until(lock, until, [this] { return finished_; });
      if (finished_) return;
      if (Clock::now() >= deadline) {
        timed_out_ = true;
        stop = true;
        return;
      }
      if (progress) progress(done.load(), total);
    }
  });
}

Monitor::~Monitor() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    finished_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

}  // namespace gcnjit::runtime
