#include "differential/group_run.h"

#include <algorithm>
#include <cstring>

#include "runtime/schedule/dispatcher.h"
#include "runtime/schedule/fault_report.h"
#include "runtime/state/grid.h"
#include "runtime/state/scratch_size.h"

namespace gcnjit::differential {

using runtime::WaveEvent;

namespace {

// Instructions that a wave may have in a row: it may wait for a sibling.
constexpr uint64_t kTurn = 1 << 20;

}  // namespace

uint64_t GridPlace::group_count() const { return std::min(GroupCount(launch), launch.most_groups); }

GroupRun::GroupRun(GridPlace& grid, uint64_t index) : place_(grid.place) {
  const Dim3& local = grid.launch.local;
  runtime::WorkgroupState& group = place_.group;
  std::byte* const lds = group.lds;
  group = runtime::GroupOf(grid.launch, index);
  group.lds = lds;
  const frontend::KernelDescriptor& descriptor = grid.launch.descriptor;
  const runtime::GroupShape whole =
      runtime::GroupShapeOf({local.x, local.y, local.z}, descriptor, {});
  group.shape =
      runtime::GroupShapeOf(group.size, descriptor, {}) == whole ? whole : runtime::GroupShape{};
  if (group.lds_bytes != 0) std::memset(group.lds, 0, group.lds_bytes);
  runtime::GroupStarter starter(grid.starter);
  starter.SetRegisters(grid.starter.SelectAll());
  starter.SetGroupSize(group);
  starter.BeginGroup(group);
  const uint64_t scratch = runtime::ScratchBytesPerWave(grid.launch.scratch_per_lane);
  for (uint32_t n = 0; n < group.wave_count; ++n) {
    Slot& slot = slots_.emplace_back();
    slot.state = std::make_unique<runtime::WaveState>();
    starter.Start(n, n * scratch, *slot.state);
  }
}

void GroupRun::OpenBarrier() {
  for (Slot& slot : slots_) {
    if (slot.status == Status::kAtBarrier) slot.status = Status::kRunnable;
  }
  at_barrier_ = 0;
}

bool GroupRun::Choose() {
  if (ended() || faulted()) return false;
  if (at_barrier_ + ended_ == slots_.size()) OpenBarrier();
  while (slots_[current_].status != Status::kRunnable) {
    current_ = (current_ + 1) % static_cast<uint32_t>(slots_.size());
  }
  return true;
}

GroupRun::Step GroupRun::RunWave(const RunFunction& run, uint32_t number, uint64_t budget) {
  Slot& slot = slots_[number];
  Step step{number, slot.state->pc, 0, WaveEvent::kNone};
  runtime::Wave wave{*slot.state, place_.group, place_.dispatch};
  step.executed = run(wave, budget);
  step.event = wave.event;
  executed_ += step.executed;
  switch (wave.event) {
    case WaveEvent::kEnd:
      slot.status = Status::kEnded;
      ++ended_;
      break;
    case WaveEvent::kBarrier:
      slot.status = Status::kAtBarrier;
      ++at_barrier_;
      break;
    case WaveEvent::kFault:
      fault_wave_ = static_cast<int>(number);
      fault_ = std::move(wave.fault);
      break;
    case WaveEvent::kNone:
    case WaveEvent::kYield:
    case WaveEvent::kStopped: break;
  }
  return step;
}

std::optional<GroupRun::Step> GroupRun::Take(const RunFunction& run, uint64_t budget) {
  if (!Choose()) return std::nullopt;
  const Step step = RunWave(run, current_, std::min(budget, kTurn - turn_));
  turn_ += step.executed;
  if (step.event != WaveEvent::kNone || turn_ >= kTurn) {
    turn_ = 0;
    current_ = (current_ + 1) % wave_count();
  }
  return step;
}

GroupRun::Step GroupRun::Follow(const RunFunction& run, const Step& step) {
  if (ended() || faulted()) return {step.wave, wave(step.wave).pc, 0, WaveEvent::kNone};
  if (at_barrier_ + ended_ == slots_.size()) OpenBarrier();
  if (slots_[step.wave].status != Status::kRunnable) {
    return {step.wave, wave(step.wave).pc, 0, WaveEvent::kNone};
  }
  // How many instructions a wave executes up to its fault may differ.
  return RunWave(run, step.wave, step.event == WaveEvent::kFault ? kTurn : step.executed);
}

FaultReport GroupRun::Report(const runtime::LaunchState& launch, const runtime::CodeMap& code,
                             const KernelInfo& kernel) const {
  runtime::Wave wave{*slots_[static_cast<size_t>(fault_wave_)].state, place_.group,
                     place_.dispatch};
  wave.fault = fault_;
  return runtime::MakeFaultReport(wave, code, launch, kernel);
}

}  // namespace gcnjit::differential
