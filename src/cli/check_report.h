// What `gcnjit run --check` prints.
#pragma once

#include <string>

#include "gcnjit/gcnjit.h"

namespace gcnjit::cli {

// All notes, all findings, and a last line that counts them.
std::string DescribeFindings(const LaunchResult& result);

}  // namespace gcnjit::cli
