// Loops that store, whose lanes do not meet (backend_x64/compile/linear_accesses.h).
#pragma once

#include <cstdint>
#include <span>

#include "backend_x64/abi/region_abi.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {

// Of a loop that is about to begin.
struct DisjointLanes {
  // In so many, at most `most`, all accesses of active lanes are to memory that is accessible, and
  // no lane accesses what another one stores. 0: too few to be worth it, or not known.
  uint64_t iterations = 0;
  // A bit for each access: a load of what its own lane may have stored in an earlier iteration.
  uint32_t loads_of_stored = 0;
};
DisjointLanes FindDisjointLanes(const WaveState& state, const GuestMemory& memory,
                                std::span<const backend::LinearAccess> accesses, uint64_t most);

// backend::DisjointLanesHelper.
uint32_t TakeDisjointLanes(backend::RegionContext* context, const backend::LinearAccess* accesses,
                           uint32_t count) noexcept;

}  // namespace gcnjit::runtime
