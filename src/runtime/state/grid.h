// The work-groups of a launch, by number: x fastest.
#pragma once

#include <cstdint>

#include "runtime/state/initial_state.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {

// Groups along each axis; those at the grid's end may be smaller.
Dim3 GroupsOf(const LaunchState& launch);
uint64_t GroupCount(const LaunchState& launch);
// Waves of a group that is not at the grid's end, and the scratch that they have together.
uint64_t WavesOfGroup(const LaunchState& launch);
uint64_t ScratchBytesPerGroup(const LaunchState& launch);
// Its id, size and waves, and how much LDS it has; no storage, and nothing known of its shape.
WorkgroupState GroupOf(const LaunchState& launch, uint64_t number);

}  // namespace gcnjit::runtime
