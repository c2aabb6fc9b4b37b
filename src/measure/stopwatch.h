// CPU time of all threads of the process, and wall time.
#pragma once

#include <ctime>

namespace gcnjit::measure {

class Stopwatch {
 public:
  struct Seconds {
    double cpu = 0;
    double wall = 0;
  };
  Stopwatch() : start_(Now()) {}
  Seconds Stop() const {
    const Seconds now = Now();
    return {now.cpu - start_.cpu, now.wall - start_.wall};
  }

 private:
  static double Read(clockid_t clock) {
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  static Seconds Now() { return {Read(CLOCK_PROCESS_CPUTIME_ID), Read(CLOCK_MONOTONIC)}; }

  Seconds start_;
};

}  // namespace gcnjit::measure
