// What people call the checks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gcnjit/check.h"
#include "gcnjit/error.h"

namespace gcnjit {

// "memory,races" and so on: Checks. Nothing, or "all": kCheckAll.
Result<uint32_t> ParseChecks(std::string_view text);

// The single ones, in the order of Checks.
struct CheckName {
  const char* name;
  Checks check;
};
std::span<const CheckName> CheckNames();

// The check that finds it.
Checks CheckThatFinds(FindingKind kind);

}  // namespace gcnjit
