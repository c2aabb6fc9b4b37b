// What `gcnjit run --check` takes and prints.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "gcnjit/gcnjit.h"

namespace gcnjit::cli {

// "memory,races" and so on, or "all": Checks.
Result<uint32_t> ParseChecks(const std::string& text);

nlohmann::json ToJson(const Finding& finding);

// All findings and a last line that counts them.
std::string DescribeFindings(const LaunchResult& result);

}  // namespace gcnjit::cli
