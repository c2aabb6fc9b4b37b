// Distance between what host threads write.
#pragma once

#include <cstddef>

namespace gcnjit::runtime {

// What is written by one host thread and read by others lies this far from what the others use.
inline constexpr size_t kApart = 128;

}  // namespace gcnjit::runtime
