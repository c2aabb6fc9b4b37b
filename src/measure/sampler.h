// Looks at regular intervals where a thread is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gcnjit::measure {

struct Sample {
  uint64_t pc = 0;  // host address of the instruction that was interrupted
  bool mark = false;
};

// Samples the thread that creates it, from then on until Stop. One at a time in a process: it has
// the process's SIGPROF handler. Intervals are of wall time, whose timers are finer than those of
// CPU time; a thread that is not running is sampled once, where it goes on.
class Sampler {
 public:
  // `mark` is called from the signal handler, so it must be async-signal-safe.
  Sampler(uint64_t interval_nanoseconds, size_t most_samples, bool (*mark)());
  ~Sampler() { Stop(); }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // False: the host gave it no timer, and there are no samples.
  bool is_running() const { return running_; }
  // The samples so far; at most as many as there was room for.
  std::vector<Sample> Stop();

 private:
  struct Timer;
  Timer* timer_ = nullptr;
  bool running_ = false;
};

}  // namespace gcnjit::measure
