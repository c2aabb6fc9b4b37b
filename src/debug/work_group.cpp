#include "debug/work_group.h"

#include <cstring>
#include <span>

#include "runtime/state/grid.h"
#include "runtime/state/scratch_size.h"

namespace gcnjit::debug {

using runtime::WaveState;

WorkGroup::WorkGroup(const runtime::LaunchState& launch, const runtime::WaveStarter& starter,
                     runtime::DispatchState& dispatch, uint64_t number, uint64_t space,
                     bool is_careful)
    : progress{number, space, GroupSchedule(0, is_careful), {}},
      launch_(launch),
      state_(runtime::GroupOf(launch, number)) {
  if (state_.lds_bytes != 0) state_.lds = storage_.Lds();
  progress.schedule = GroupSchedule(state_.wave_count, is_careful);
  progress.last_pc.resize(state_.wave_count);
  runtime::GroupStarter group(starter);
  group.SetRegisters(starter.SelectAll());
  group.SetGroupSize(state_);
  group.BeginGroup(state_);
  waves_.reserve(state_.wave_count);
  for (uint32_t n = 0; n < state_.wave_count; ++n) {
    WaveState& registers = storage_.State(n);
    group.Start(n, scratch_offset(n), registers);
    registers.is_new = false;  // what compiled code relies on
    waves_.push_back({registers, state_, dispatch});
  }
}

uint64_t WorkGroup::scratch_offset(uint32_t n) const {
  const uint64_t of_wave = runtime::ScratchBytesPerWave(launch_.scratch_per_lane);
  return progress.space * ScratchBytesPerGroup(launch_) + n * of_wave;
}

template <typename Visit>
void WorkGroup::ForEachPart(const Visit& visit) const {
  for (const runtime::Wave& wave : waves_) {
    WaveState& state = wave.state;
    visit(std::span(reinterpret_cast<std::byte*>(&state), offsetof(WaveState, vgpr)));
    visit(std::as_writable_bytes(std::span(state.vgpr, state.vgpr_count)));
    visit(std::as_writable_bytes(
        std::span(state.vgpr + runtime::kFirstAccVgpr, state.acc_vgpr_count)));
  }
  visit(std::span(state_.lds, state_.lds_bytes));
}

WorkGroup::Copy WorkGroup::Save() const {
  Copy copy{progress, {}};
  size_t bytes = 0;
  ForEachPart([&](std::span<std::byte> part) { bytes += part.size(); });
  copy.contents.reserve(bytes);
  ForEachPart([&](std::span<std::byte> part) {
    copy.contents.insert(copy.contents.end(), part.begin(), part.end());
  });
  return copy;
}

void WorkGroup::Restore(const Copy& copy) {
  progress = copy.progress;
  size_t at = 0;
  ForEachPart([&](std::span<std::byte> part) {
    if (!part.empty()) std::memcpy(part.data(), &copy.contents[at], part.size());
    at += part.size();
  });
  for (runtime::Wave& wave : waves_) wave.event = runtime::WaveEvent::kNone;
}

}  // namespace gcnjit::debug
