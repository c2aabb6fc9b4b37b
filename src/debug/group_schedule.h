// In which order the waves of a work-group execute: as a host thread that interprets takes them
// (runtime/schedule/group_runner.cpp), told one instruction at a time. A copy is a snapshot.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/interpreter/wave.h"
#include "runtime/schedule/turn_watch.h"

namespace gcnjit::debug {

class GroupSchedule {
 public:
  enum class Status : uint8_t { kRunnable, kAtBarrier, kEnded };

  // Of a group that begins. `is_careful`: as TurnWatch::Begin has it.
  GroupSchedule(uint32_t waves, bool is_careful);

  // The wave that executes next, unless the group has ended.
  uint32_t current() const {
    return is_first_round_ ? turn_ : static_cast<uint32_t>(waves_.size()) - 1 - turn_;
  }
  // It has executed an instruction, which ended like that.
  void Took(runtime::WaveEvent event);
  // Another group may have the next turn: since the last GoOn this one has used up its turns.
  bool is_over() const { return watch_.IsOver(); }
  bool waits() const { return watch_.waits(); }
  void GoOn(bool is_careful) { watch_.GoOn(is_careful); }

  bool ended() const { return ended_ == waves_.size(); }
  Status status(uint32_t wave) const { return waves_[wave]; }

 private:
  void EndRound();

  std::vector<Status> waves_;
  runtime::TurnWatch watch_;
  uint32_t turn_ = 0;  // of a round: waves that have had theirs
  uint32_t ended_ = 0;
  uint32_t at_barrier_ = 0;
  uint64_t turn_used_ = 0;  // instructions of the current wave
  // Of a round, in which each wave that could run when it began has a turn:
  bool is_first_round_ = true;
  uint64_t round_used_ = 0;  // instructions
  uint32_t round_waves_ = 0;
  uint32_t stood_ = 0;  // waves that did not run when it began
};

}  // namespace gcnjit::debug
