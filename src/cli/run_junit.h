// What `gcnjit run` has found, for CI systems.
#pragma once

#include <string>

#include "cli/junit.h"
#include "gcnjit/gcnjit.h"

namespace gcnjit::cli {

// A test for how the kernel ended, and one for each of the `checks`.
JunitSuite RunSuite(const std::string& file, const std::string& kernel, uint32_t checks,
                    const LaunchResult& result);

}  // namespace gcnjit::cli
