// The rate of the clock that kernels read by s_memrealtime (wall_clock64 of HIP), which host
// programs ask the device for.
#pragma once

#include <cstdint>

namespace gcnjit::runtime {

inline constexpr uint64_t kRealTimeHz = 100'000'000;

}  // namespace gcnjit::runtime
