#include "debug/breakpoints.h"

#include <algorithm>
#include <utility>

#include "runtime/state/grid.h"

namespace gcnjit::debug {

std::optional<ItemPlace> PlaceOf(const runtime::LaunchState& launch, const WorkItem& item) {
  const uint64_t global[3] = {launch.global.x, launch.global.y, launch.global.z};
  const uint64_t local[3] = {launch.local.x, launch.local.y, launch.local.z};
  const Dim3 groups = runtime::GroupsOf(launch);
  for (size_t axis = 0; axis < 3; ++axis) {
    if (item[axis] >= global[axis]) return std::nullopt;
  }
  ItemPlace place;
  place.wave.group =
      (item[2] / local[2] * groups.y + item[1] / local[1]) * groups.x + item[0] / local[0];
  const auto& size = runtime::GroupOf(launch, place.wave.group).size;
  const uint64_t flat =
      (item[2] % local[2] * size[1] + item[1] % local[1]) * size[0] + item[0] % local[0];
  place.wave.wave = static_cast<uint32_t>(flat / runtime::kLanes);
  place.lane = static_cast<int>(flat % runtime::kLanes);
  return place;
}

std::optional<WorkItem> ItemOf(const runtime::LaunchState& launch, const WaveName& wave, int lane) {
  const runtime::WorkgroupState group = runtime::GroupOf(launch, wave.group);
  const uint64_t items = uint64_t{group.size[0]} * group.size[1] * group.size[2];
  if (uint64_t{wave.wave} * runtime::kLanes + static_cast<uint64_t>(lane) >= items) {
    return std::nullopt;
  }
  const std::array<uint32_t, 3> id = runtime::LocalId(group.size, wave.wave, lane);
  return WorkItem{uint64_t{group.id[0]} * launch.local.x + id[0],
                  uint64_t{group.id[1]} * launch.local.y + id[1],
                  uint64_t{group.id[2]} * launch.local.z + id[2]};
}

const Breakpoint& Breakpoints::Add(Breakpoint breakpoint) {
  breakpoint.number = next_++;
  all_.push_back(std::move(breakpoint));
  Index();
  return all_.back();
}

bool Breakpoints::Remove(int number) {
  const size_t removed =
      std::erase_if(all_, [number](const Breakpoint& b) { return b.number == number; });
  Index();
  return removed != 0;
}

bool Breakpoints::Enable(int number, bool enabled) {
  const auto found = std::ranges::find(all_, number, &Breakpoint::number);
  if (found == all_.end()) return false;
  found->is_enabled = enabled;
  Index();
  return true;
}

void Breakpoints::Clear() {
  all_.clear();
  Index();
}

void Breakpoints::Index() {
  pcs_.clear();
  some_begin_ = false;
  for (const Breakpoint& breakpoint : all_) {
    if (!breakpoint.is_enabled) continue;
    some_begin_ |= breakpoint.pcs.empty();
    pcs_.insert(breakpoint.pcs.begin(), breakpoint.pcs.end());
  }
}

bool Breakpoints::Holds(const Breakpoint& breakpoint, const Machine& machine, uint64_t pc,
                        uint64_t last_pc) const {
  if (!breakpoint.is_enabled) return false;
  if (breakpoint.pcs.empty() ? last_pc != 0 : std::ranges::count(breakpoint.pcs, pc) == 0) {
    return false;
  }
  if (!breakpoint.item) return true;
  const auto place = PlaceOf(launch_, *breakpoint.item);
  const WaveName wave = machine.next();
  if (!place || place->wave != wave) return false;
  return (machine.group().registers(wave.wave).exec() >> place->lane & 1) != 0;
}

std::vector<int> Breakpoints::At(const Machine& machine) const {
  std::vector<int> numbers;
  if (pcs_.empty() && !some_begin_) return numbers;
  const WaveName wave = machine.next();
  const uint64_t pc = machine.group().registers(wave.wave).pc;
  const uint64_t last_pc = machine.group().progress.last_pc[wave.wave];
  if (!pcs_.contains(pc) && !(some_begin_ && last_pc == 0)) return numbers;
  for (const Breakpoint& breakpoint : all_) {
    if (Holds(breakpoint, machine, pc, last_pc)) numbers.push_back(breakpoint.number);
  }
  return numbers;
}

void Breakpoints::Count(const std::vector<int>& numbers) {
  for (Breakpoint& breakpoint : all_) {
    if (std::ranges::count(numbers, breakpoint.number) != 0) ++breakpoint.hits;
  }
}

}  // namespace gcnjit::debug
