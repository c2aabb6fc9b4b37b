// What launches of kernels have come to, as tests of a JUnit suite.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gcnjit/launch.h"
#include "report/junit.h"

namespace gcnjit::report {

// How a kernel ended: without a fault, of itself.
JunitCase EndCase(const std::string& kernel);
JunitCase FaultCase(const std::string& kernel, const FaultReport& fault);

// A test for each of the `checks`, with what was found of this kernel.
std::vector<JunitCase> CheckCases(const std::string& kernel, uint32_t checks,
                                  std::span<const Finding> findings);

}  // namespace gcnjit::report
