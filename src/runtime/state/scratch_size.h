// How much scratch a wave gets.
#pragma once

#include <cstdint>

#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {

// A multiple of 1 KiB.
constexpr uint64_t ScratchBytesPerWave(uint32_t bytes_per_lane) {
  constexpr uint64_t kGranule = 1024;
  return (uint64_t{bytes_per_lane} * kLanes + kGranule - 1) / kGranule * kGranule;
}

}  // namespace gcnjit::runtime
