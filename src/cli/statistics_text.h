// Statistics of a launch as `gcnjit run --stats` prints them.
#pragma once

#include <string>

#include "gcnjit/launch.h"

namespace gcnjit::cli {

// `cache` says where compiled code is kept.
std::string DescribeStatistics(const Statistics& s, const std::string& cache);

}  // namespace gcnjit::cli
