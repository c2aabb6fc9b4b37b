// Waves of a work-group that take turns without leaving compiled code.
#pragma once

#include <cstdint>

namespace gcnjit::backend {

struct RegionContext;

// Waves of a work-group that run one after the other without leaving compiled code, all in the same
// region: at a barrier, and at its end, a wave's code goes on with the next wave.
struct RelayWave {
  void* state = nullptr;  // the wave's
  // Where it goes on: compiled code sets it when the wave arrives at a barrier, and to nullptr when
  // it ends. In regions with CompiledRegion::follow waves end one after the other, and it stays.
  const void* code = nullptr;
  void* wave = nullptr;  // the runtime's own
};

// Called when the last wave of a relay has ended: the first of other waves that can start in the
// relay's place, or nullptr.
using NextWavesHelper = RelayWave* (*)(RegionContext*) noexcept;

// In which order the waves of a relay have their turns.
struct RelayOrder {
  const RelayWave* last = nullptr;
  int64_t step = sizeof(RelayWave);  // bytes from one to the next: up or down
};

struct RelayState {
  RelayWave* wave = nullptr;  // that runs: there always is one
  RelayOrder order;           // of those that have yet to come to the barrier or to their end
  // Where to begin again when the last one has arrived; nullptr: other waves are still to come, or
  // one of these has ended.
  RelayWave* begin = nullptr;
  RelayOrder again;                      // their order from then on
  NextWavesHelper next_waves = nullptr;  // nullptr: there are none
  void* runner = nullptr;                // its own
  uint64_t rounds = 0;                   // how often they have begun again
  // Where a group's code repeats itself for the next groups (CompiledRegion::row_instructions): how
  // many of them, the one that runs included, have not ended.
  uint64_t row_left = 1;
  // The group that runs has not executed as many instructions as others: no group goes on after it
  // before that has been counted.
  bool ends_row = false;
  // Later waves will enter at CompiledRegion::follow.
  bool leads = false;
  // The values that this wave has saved are still valid: the runtime has stored nothing since.
  bool may_follow = false;
};

}  // namespace gcnjit::backend
