// What people call the checks.
#pragma once

#include <cstdint>
#include <string_view>

#include "gcnjit/error.h"

namespace gcnjit {

// "memory,races" and so on: Checks. Nothing, or "all": kCheckAll.
Result<uint32_t> ParseChecks(std::string_view text);

}  // namespace gcnjit
