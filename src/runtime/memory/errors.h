#pragma once

#include <string>
#include <utility>

#include "gcnjit/error.h"

namespace gcnjit::runtime {

inline Error InvalidArgument(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}
inline Error OutOfResources(std::string message) {
  return {ErrorCode::kOutOfResources, std::move(message)};
}

}  // namespace gcnjit::runtime
