// A work-group that has begun and is set aside while its host thread runs others: all that a thread
// needs to go on with it.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/schedule/turn_watch.h"
#include "runtime/state/group_storage.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {

// What a host thread needs to run a group: it runs one at a time, and groups that are set aside
// keep theirs.
struct GroupSpace {
  GroupStorage storage;
  uint64_t scratch_offset = 0;  // of the first wave, from LaunchState::scratch_base on
};

struct ResidentGroup {
  enum class WaveStatus : uint8_t { kRunnable, kAtBarrier, kEnded };
  struct WaveProgress {
    WaveStatus status = WaveStatus::kRunnable;
    uint64_t instructions_left = 0;  // of LaunchState::max_wave_instructions
    uint64_t seen_at = 0;            // the PC at the watch's last look
  };

  uint64_t number = 0;  // in the grid, counted with x fastest
  WorkgroupState group;
  GroupSpace space;
  std::vector<WaveProgress> waves;  // by the state that they live in
  uint32_t ended = 0;               // waves; some of these may have made room for others
  uint32_t at_barrier = 0;
  TurnWatch watch;
};

}  // namespace gcnjit::runtime
