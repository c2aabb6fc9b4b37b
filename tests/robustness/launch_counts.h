// What programs that launch kernels in every engine have found, and how they say so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gcnjit::robustness {

struct LaunchCounts {
  uint64_t executed = 0;  // launches
  uint64_t faults = 0;    // that ended with one
  std::vector<std::string> failures;
};

// Prints the first failures and "N executed, M failed"; returns the exit code.
int Report(const LaunchCounts& counts);

// `run`, whose exceptions become a message and exit code 1.
int RunProgram(const char* name, const std::function<int()>& run);

}  // namespace gcnjit::robustness
