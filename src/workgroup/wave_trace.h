// The way of one wave through a lifted function, as far as it is known when code is compiled.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/function.h"
#include "workgroup/constant_lanes.h"

namespace gcnjit::workgroup {

// What is known of a wave when it starts.
struct WaveStart {
  uint64_t exec = ~uint64_t{0};
  std::map<int, LaneValues> vgprs;  // work-item ids, by VGPR
};

// A block as one wave comes to it.
struct Visit {
  uint32_t block = 0;    // in the function
  uint32_t segment = 0;  // barriers that the wave has passed
  uint32_t ways_in = 0;
  ConstantRegisters at_begin;
  // Indices of visits that may follow, the same wave's.
  std::vector<uint32_t> next;
  bool ends_segment = false;  // at a barrier or at the wave's end
  bool has_effect = false;    // beyond the wave's registers
  // Guest instructions that are executed there, without those that depend on lane masks which are
  // not known.
  uint32_t instructions = 0;
};

// In ascending order of their blocks, and so of their segments, each of which ends with its last
// visit. Nothing: too many branches depend on data (AppendGroupCode). A wave that is alone in its
// group may also end before barriers that it passes otherwise. `block_at`: indices of the
// function's blocks by address.
std::optional<std::vector<Visit>> FindWaveTrace(
    const ir::Function& function, const std::unordered_map<uint64_t, uint32_t>& block_at,
    uint64_t entry, const WaveStart& start, bool is_alone);

// Of a memory operation of lanes.
std::optional<ir::Value> MaskOf(const ir::Inst& inst);

}  // namespace gcnjit::workgroup
