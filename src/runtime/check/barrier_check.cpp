#include "runtime/check/barrier_check.h"

#include <fmt/format.h>

#include <bit>

namespace gcnjit::runtime::check {

void BarrierCheck::BeginGroup(uint64_t group, uint32_t waves) {
  group_.number = group;
  group_.waves.assign(waves, {});
  group_.waiting = group_.ended = 0;
}

// The hardware counts waves. What the source says of work-items holds only if all of a wave's come.
bool BarrierCheck::Arrive(uint32_t wave, uint64_t pc, uint64_t exec) {
  State& state = group_.waves[wave];
  state.status = Status::kAtBarrier;
  state.pc = pc;
  ++group_.waiting;
  if (reports_ && exec != state.exec) {
    const uint64_t missing = state.exec & ~exec;
    Evidence evidence{FindingKind::kPartialBarrier, SiteOf(wave), {}, 0, 0};
    evidence.site.lane = missing == 0 ? -1 : std::countr_zero(missing);
    if (Finding* finding = findings_.Add(evidence)) {
      finding->detail = fmt::format(
          "{} of the wave's {} work-items come to the barrier; the one named is the first that "
          "does not",
          std::popcount(exec & state.exec), std::popcount(state.exec));
    }
  }
  return Meet();
}

bool BarrierCheck::End(uint32_t wave, uint64_t pc) {
  group_.waves[wave].status = Status::kEnded;
  group_.waves[wave].pc = pc;
  ++group_.ended;
  return Meet();
}

bool BarrierCheck::Meet() {
  if (group_.waiting == 0 || group_.waiting + group_.ended != group_.waves.size()) return false;
  if (reports_) ReportDivergence();
  for (State& state : group_.waves) {
    if (state.status == Status::kAtBarrier) state.status = Status::kRunning;
  }
  group_.waiting = 0;
  return true;
}

void BarrierCheck::ReportDivergence() {
  uint32_t first = 0;
  while (group_.waves[first].status != Status::kAtBarrier) ++first;
  for (uint32_t n = 0; n < group_.waves.size(); ++n) {
    if (group_.waves[n].pc == group_.waves[first].pc) continue;
    Finding* finding =
        findings_.Add({FindingKind::kBarrierDivergence, SiteOf(first), SiteOf(n), 0, 0});
    if (finding == nullptr) continue;
    finding->detail = group_.waves[n].status == Status::kEnded
                          ? "the other wave has ended without coming to this barrier; the "
                            "hardware no longer waits for it"
                          : "the other wave waits at another barrier; the hardware takes the two "
                            "for the same";
  }
}

void BarrierCheck::Stop(uint32_t wave, uint64_t pc) {
  if (!reports_) return;
  group_.waves[wave].pc = pc;
  Finding* finding = findings_.Add({FindingKind::kStuckGroup, SiteOf(wave), {}, 0, 0});
  if (finding == nullptr) return;
  finding->detail = fmt::format(
      "the wave was still running when the launch was stopped; of the group's {} waves {} wait at "
      "a barrier and {} have ended",
      group_.waves.size(), group_.waiting, group_.ended);
  for (const State& state : group_.waves) {
    if (state.status != Status::kAtBarrier) continue;
    finding->detail += fmt::format("; the barrier is at {:#x}", state.pc);
    break;
  }
}

}  // namespace gcnjit::runtime::check
