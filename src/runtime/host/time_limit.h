// Limits of time that callers give.
#pragma once

#include <fmt/format.h>

#include "gcnjit/error.h"

namespace gcnjit::runtime {

// 0 is no limit. What is left of a deadline may be less, or no number: then nothing would ever end.
inline Result<void> CheckTimeLimit(double seconds) {
  if (seconds >= 0) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("timeout_seconds is {}: give more than 0, or 0 for no limit", seconds)};
}

}  // namespace gcnjit::runtime
