// Integers under CLAMP.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace gcnjit::runtime {

template <typename T>
T Saturate(int64_t wide) {
  return static_cast<T>(std::min<int64_t>(std::max<int64_t>(wide, std::numeric_limits<T>::min()),
                                          std::numeric_limits<T>::max()));
}

}  // namespace gcnjit::runtime
