// Where two states of a wave or two pieces of memory differ, as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/flow/liveness.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::differential {

struct StateDifference {
  std::string what;    // "v3", "s106", "memory 0x7f0000001040", ..
  uint64_t lanes = 0;  // of a VGPR: those that differ; else 0
  int lane = -1;       // the first of them
  uint64_t expected = 0;
  uint64_t got = 0;
};
using StateDifferences = std::vector<StateDifference>;

// SGPRs (by operand code), SCC, MODE, the PC, and VGPRs below `vgpr_count`.
void CompareRegisters(const runtime::WaveState& expected, const runtime::WaveState& got,
                      uint32_t vgpr_count, StateDifferences& differences);
// Only what may still be read where `live` holds; MODE and the PC always count.
void CompareLiveRegisters(const runtime::WaveState& expected, const runtime::WaveState& got,
                          const frontend::LivePoint& live, StateDifferences& differences);
// Dwords of two pieces of equal size; `base` is the address of the first byte. Past a few the rest
// is left out.
void CompareBytes(const std::string& what, std::span<const std::byte> expected,
                  std::span<const std::byte> got, uint64_t base, StateDifferences& differences);

// A line each.
std::string ToText(const StateDifferences& differences);

}  // namespace gcnjit::differential
