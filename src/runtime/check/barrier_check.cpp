#include "runtime/check/barrier_check.h"

#include <fmt/format.h>

#include <bit>

namespace gcnjit::runtime::check {

void BarrierCheck::BeginGroup(uint64_t group, uint32_t waves) {
  group_ = group;
  waves_.assign(waves, {});
  waiting_ = ended_ = 0;
}

// The hardware counts waves. What the source says of work-items holds only if all of a wave's come.
bool BarrierCheck::Arrive(uint32_t wave, uint64_t pc, uint64_t exec) {
  State& state = waves_[wave];
  state.status = Status::kAtBarrier;
  state.pc = pc;
  ++waiting_;
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
  waves_[wave].status = Status::kEnded;
  waves_[wave].pc = pc;
  ++ended_;
  return Meet();
}

bool BarrierCheck::Meet() {
  if (waiting_ == 0 || waiting_ + ended_ != waves_.size()) return false;
  if (reports_) ReportDivergence();
  for (State& state : waves_) {
    if (state.status == Status::kAtBarrier) state.status = Status::kRunning;
  }
  waiting_ = 0;
  return true;
}

void BarrierCheck::ReportDivergence() {
  uint32_t first = 0;
  while (waves_[first].status != Status::kAtBarrier) ++first;
  for (uint32_t n = 0; n < waves_.size(); ++n) {
    if (waves_[n].pc == waves_[first].pc) continue;
    Finding* finding =
        findings_.Add({FindingKind::kBarrierDivergence, SiteOf(first), SiteOf(n), 0, 0});
    if (finding == nullptr) continue;
    finding->detail = waves_[n].status == Status::kEnded
                          ? "the other wave has ended without coming to this barrier; the "
                            "hardware no longer waits for it"
                          : "the other wave waits at another barrier; the hardware takes the two "
                            "for the same";
  }
}

void BarrierCheck::Stop(uint32_t wave, uint64_t pc) {
  if (!reports_) return;
  waves_[wave].pc = pc;
  Finding* finding = findings_.Add({FindingKind::kStuckGroup, SiteOf(wave), {}, 0, 0});
  if (finding == nullptr) return;
  finding->detail = fmt::format(
      "the wave was still running when the launch was stopped; of the group's {} waves {} wait at "
      "a barrier and {} have ended",
      waves_.size(), waiting_, ended_);
  for (const State& state : waves_) {
    if (state.status != Status::kAtBarrier) continue;
    finding->detail += fmt::format("; the barrier is at {:#x}", state.pc);
    break;
  }
}

}  // namespace gcnjit::runtime::check
