// When to tell how far a campaign or a sweep has come.
#pragma once

#include <chrono>

namespace gcnjit::differential {

inline constexpr double kProgressSeconds = 0.2;

// Seconds on a clock that never goes back.
inline double Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace gcnjit::differential
