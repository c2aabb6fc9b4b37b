// The one clock of this runtime: ticks of 1 ns since some moment in the past, never going back.
#pragma once

#include <cstdint>
#include <ctime>

namespace gcnjit::hsa {

inline constexpr uint64_t kTicksPerSecond = 1'000'000'000;

inline uint64_t Now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * kTicksPerSecond + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace gcnjit::hsa
