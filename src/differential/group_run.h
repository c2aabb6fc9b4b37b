// The waves of one work-group, taking turns in an order that is the same whenever the group does
// the same.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "differential/engine.h"
#include "differential/trial.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::differential {

// What a launch is, for all of its groups.
struct GridPlace {
  const runtime::LaunchState& launch;
  const runtime::WaveStarter& starter;
  Place& place;  // its group is set up for each work-group

  uint64_t group_count() const;  // of those that are to run
};

class GroupRun {
 public:
  // Clears LDS and starts the waves of group `index`.
  GroupRun(GridPlace& grid, uint64_t index);

  // What a wave did in one go.
  struct Step {
    uint32_t wave = 0;
    uint64_t pc = 0;  // where it began
    uint64_t executed = 0;
    runtime::WaveEvent event = runtime::WaveEvent::kNone;
  };
  // The next wave runs until an event or until about `budget` instructions were executed. Nothing:
  // all waves have ended, or there was a fault.
  std::optional<Step> Take(const RunFunction& run, uint64_t budget);
  // The wave of `step` executes as many instructions, whichever wave's turn it is. Returns what it
  // did.
  Step Follow(const RunFunction& run, const Step& step);

  bool faulted() const { return fault_wave_ >= 0; }
  int fault_wave() const { return fault_wave_; }
  const runtime::PendingFault& fault() const { return fault_; }
  // What a launch would say of it. To be asked before another group is set up.
  FaultReport Report(const runtime::LaunchState& launch, const runtime::CodeMap& code,
                     const KernelInfo& kernel) const;
  const runtime::WaveState& wave(uint32_t n) const { return *slots_[n].state; }
  uint32_t wave_count() const { return static_cast<uint32_t>(slots_.size()); }
  uint64_t executed() const { return executed_; }
  bool ended() const { return ended_ == slots_.size(); }
  bool has_ended(uint32_t n) const { return slots_[n].status == Status::kEnded; }

 private:
  enum class Status : uint8_t { kRunnable, kAtBarrier, kEnded };
  struct Slot {
    std::unique_ptr<runtime::WaveState> state;
    Status status = Status::kRunnable;
  };
  // The next wave that can run; nothing: there is none.
  bool Choose();
  void OpenBarrier();
  Step RunWave(const RunFunction& run, uint32_t wave, uint64_t budget);

  Place& place_;
  std::vector<Slot> slots_;
  uint32_t current_ = 0;
  uint64_t turn_ = 0;  // instructions that the current wave has had in a row
  uint32_t ended_ = 0;
  uint32_t at_barrier_ = 0;
  uint64_t executed_ = 0;
  int fault_wave_ = -1;
  runtime::PendingFault fault_;
};

}  // namespace gcnjit::differential
