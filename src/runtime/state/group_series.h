// Groups that follow one another in a row of the grid, each in the places of the last one's waves.
// Compiled code starts them when a group's last wave has ended; more than a few instructions for
// that would show.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "backend_x64/abi/region_abi.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {

// Each group's waves differ from those of the group before in what they have executed, and in the
// group's id along x.
struct GroupSeries {
  // Wave instructions, after which the runtime has to look whether the launch is to stop, or memory
  // is to be freed: 0.1 to 1 ms of compiled code.
  static constexpr uint64_t kInstructions = 1 << 20;

  uint32_t left = 0;  // groups that may still be started
  WorkgroupState* group = nullptr;
  // What a wave that has ended gets to be new again, besides an SCC of 0: SGPRs of these numbers,
  // and their values, which are the same for all waves; and the PC, if it has changed.
  std::span<const uint8_t> sgprs;
  const uint32_t* values = nullptr;
  uint32_t* id_value = nullptr;  // where the group's id along x has to be as well
  uint64_t pc = 0;
  // Of the groups that have ended since `left` was set, each followed by another.
  uint32_t ended = 0;
  uint64_t instructions = 0;
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;

  // A group has ended, after so many instructions; the next one starts.
  void StartGroup(uint64_t executed) { StartGroups(1, executed); }
  // So many have ended, one after the other, each after so many instructions.
  void StartGroups(uint32_t count, uint64_t executed_each) {
    left -= count;
    ended += count;
    instructions += count * executed_each;
    if (instructions > kInstructions) left = 0;
    least = std::min(least, executed_each);
    most = std::max(most, executed_each);
    *id_value = group->id[0] += count;
  }

  // Groups that may be started before the runtime has to look, each of which executes so many
  // instructions, by code that can do no more for them than to count their id. `sgpr`: where it
  // counts on the id to be.
  uint32_t RowOf(uint64_t executed_each, int sgpr, bool wants_zeroed_lds) const {
    const bool is_id = sgprs.empty() || (sgprs.size() == 1 && sgprs[0] == sgpr);
    if (!is_id || (HasLds() && wants_zeroed_lds)) return 0;
    // Where that many instructions have been executed already, nothing is left.
    const uint64_t most_groups = (kInstructions - instructions) / executed_each + 1;
    return static_cast<uint32_t>(std::min<uint64_t>(left, most_groups));
  }

  bool HasLds() const { return group->lds_bytes != 0; }
  void ClearLds() const {
    if (HasLds()) std::memset(group->lds, 0, group->lds_bytes);
  }

  // Its waves take the places of those of `relay`, which have ended.
  void StartWaves(std::span<const backend::RelayWave> relay, bool pc_has_changed) const {
    // Copies: what is written below may be anything, as far as the compiler knows.
    const std::span<const uint8_t> numbers = sgprs;
    const uint32_t* const from = values;
    const uint64_t begin = pc;
    for (const backend::RelayWave& wave : relay) {
      WaveState& state = *static_cast<WaveState*>(wave.state);
      state.scc = 0;
      state.trapsts = 0;
      if (pc_has_changed) state.pc = begin;
      if (numbers.size() == 1) [[likely]] {  // nearly always the group's id
        state.sgpr[numbers[0]] = from[numbers[0]];
        continue;
      }
      for (const uint8_t n : numbers) state.sgpr[n] = from[n];
    }
  }
};

}  // namespace gcnjit::runtime
