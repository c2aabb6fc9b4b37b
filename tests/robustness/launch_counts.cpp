#include "robustness/launch_counts.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

namespace gcnjit::robustness {

int Report(const LaunchCounts& counts) {
  constexpr size_t kMostShown = 20;
  for (size_t n = 0; n < counts.failures.size() && n < kMostShown; ++n) {
    fmt::print("{}\n", counts.failures[n]);
  }
  fmt::print("{} executed, {} failed ({} faults)\n", counts.executed, counts.failures.size(),
             counts.faults);
  return counts.executed != 0 && counts.failures.empty() ? 0 : 1;
}

int RunProgram(const char* name, const std::function<int()>& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
}

}  // namespace gcnjit::robustness
