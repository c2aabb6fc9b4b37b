// A work-group that has begun and not ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "debug/group_schedule.h"
#include "runtime/interpreter/wave.h"
#include "runtime/state/group_storage.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::debug {

class WorkGroup {
 public:
  // What it is, apart from its registers and LDS. A copy is a snapshot.
  struct Progress {
    uint64_t number = 0;  // in the grid, x fastest
    uint64_t space = 0;   // which part of the launch's scratch is its own
    GroupSchedule schedule;
    std::vector<uint64_t> last_pc;  // of each wave: what it has executed last; 0: nothing
  };

  // One that begins, its waves with the registers that they start with.
  WorkGroup(const runtime::LaunchState& launch, const runtime::WaveStarter& starter,
            runtime::DispatchState& dispatch, uint64_t number, uint64_t space, bool is_careful);
  WorkGroup(const WorkGroup&) = delete;
  WorkGroup& operator=(const WorkGroup&) = delete;

  Progress progress;

  const runtime::WorkgroupState& state() const { return state_; }
  uint32_t wave_count() const { return state_.wave_count; }
  runtime::Wave& wave(uint32_t n) { return waves_[n]; }
  const runtime::WaveState& registers(uint32_t n) const { return waves_[n].state; }
  uint64_t scratch_offset(uint32_t n) const;

  // All of it: registers that the kernel does not have, and LDS that the group does not, are left
  // out.
  struct Copy {
    Progress progress;
    std::vector<std::byte> contents;
  };
  Copy Save() const;
  // Of a group of the same number.
  void Restore(const Copy& copy);

 private:
  template <typename Visit>
  void ForEachPart(const Visit& visit) const;

  const runtime::LaunchState& launch_;
  runtime::GroupStorage storage_;
  runtime::WorkgroupState state_;
  std::vector<runtime::Wave> waves_;
};

}  // namespace gcnjit::debug
