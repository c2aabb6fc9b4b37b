// Barriers that not all work-items of a group come to, and groups that never end.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/check/findings.h"

namespace gcnjit::runtime::check {

class BarrierCheck {
 public:
  // `reports` false: only follows where the waves are.
  BarrierCheck(Findings& findings, bool reports) : findings_(findings), reports_(reports) {}

  enum class Status : uint8_t { kRunning, kAtBarrier, kEnded };
  struct State {
    Status status = Status::kRunning;
    uint64_t pc = 0;    // of the barrier, or of s_endpgm
    uint64_t exec = 0;  // at the start: its work-items
  };
  // What is known of a group.
  struct Group {
    uint64_t number = 0;
    std::vector<State> waves;
    uint32_t waiting = 0;
    uint32_t ended = 0;
  };
  void BeginGroup(uint64_t group, uint32_t waves);
  // Of the group that is checked. Another one can be put in its place.
  Group& group() { return group_; }
  void StartWave(uint32_t wave, uint64_t exec) { group_.waves[wave].exec = exec; }

  // The wave waits at the barrier at `pc`. True: it is the last one, and all go on.
  bool Arrive(uint32_t wave, uint64_t pc, uint64_t exec);
  // The wave ends; likewise.
  bool End(uint32_t wave, uint64_t pc);
  bool all_ended() const { return group_.ended == group_.waves.size(); }

  // The launch was stopped while the wave was running.
  void Stop(uint32_t wave, uint64_t pc);

 private:
  bool Meet();
  void ReportDivergence();
  Site SiteOf(uint32_t wave) const { return {group_.waves[wave].pc, group_.number, wave, -1, {}}; }

  Findings& findings_;
  const bool reports_;
  Group group_;
};

}  // namespace gcnjit::runtime::check
