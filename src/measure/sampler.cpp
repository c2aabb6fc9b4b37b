#include "measure/sampler.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

namespace gcnjit::measure {
namespace {

// What the handler writes to. Allocated before the first signal and freed after the last one.
struct Samples {
  std::vector<Sample> room;
  std::atomic<size_t> count = 0;
  bool (*mark)() = nullptr;
};
std::atomic<Samples*> current = nullptr;

void TakeSample(int, siginfo_t*, void* context) {
  const int kept_errno = errno;
  Samples* const samples = current.load(std::memory_order_relaxed);
  if (samples != nullptr) {
    const size_t n = samples->count.load(std::memory_order_relaxed);
    if (n < samples->room.size()) {
      const auto* interrupted = static_cast<const ucontext_t*>(context);
      samples->room[n] = {static_cast<uint64_t>(interrupted->uc_mcontext.gregs[REG_RIP]),
                          samples->mark()};
      samples->count.store(n + 1, std::memory_order_relaxed);
    }
  }
  errno = kept_errno;
}

}  // namespace

struct Sampler::Timer {
  Samples samples;
  timer_t id = {};
  struct sigaction before = {};
};

Sampler::Sampler(uint64_t interval_nanoseconds, size_t most_samples, bool (*mark)())
    : timer_(new Timer) {
  timer_->samples.room.resize(most_samples);
  timer_->samples.mark = mark;
  current = &timer_->samples;
  struct sigaction action = {};
  action.sa_sigaction = TakeSample;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPROF, &action, &timer_->before);
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_->id) != 0) return;
  constexpr uint64_t kSecond = 1'000'000'000;
  itimerspec interval = {};
  interval.it_interval.tv_sec = static_cast<time_t>(interval_nanoseconds / kSecond);
  interval.it_interval.tv_nsec = static_cast<long>(interval_nanoseconds % kSecond);
  // The first sample comes after another part of the interval each time, so that what takes less
  // than the interval is sampled as often as it should be, and not always at the same place.
  thread_local uint64_t starts = 0;
  constexpr uint64_t kGoldenSection = 0x9E3779B97F4A7C15;
  const uint64_t part = ++starts * kGoldenSection >> 32;
  const uint64_t first = 1 + (interval_nanoseconds * part >> 32);
  interval.it_value.tv_sec = static_cast<time_t>(first / kSecond);
  interval.it_value.tv_nsec = static_cast<long>(first % kSecond);
  running_ = timer_settime(timer_->id, 0, &interval, nullptr) == 0;
  if (!running_) timer_delete(timer_->id);
}

std::vector<Sample> Sampler::Stop() {
  if (timer_ == nullptr) return {};
  if (running_) timer_delete(timer_->id);
  running_ = false;
  // A signal that is still pending would end the process under the default action.
  const bool was_default =
      (timer_->before.sa_flags & SA_SIGINFO) == 0 && timer_->before.sa_handler == SIG_DFL;
  if (was_default) timer_->before.sa_handler = SIG_IGN;
  sigaction(SIGPROF, &timer_->before, nullptr);
  current = nullptr;
  std::vector<Sample> taken = std::move(timer_->samples.room);
  taken.resize(std::min(taken.size(), timer_->samples.count.load()));
  delete timer_;
  timer_ = nullptr;
  return taken;
}

}  // namespace gcnjit::measure
