// Differences between what a wave holds and what it should hold, as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/state/wave_state.h"

namespace gcnjit::isa_tests {

// One line a difference (the first few), empty if there is none. For VGPRs the other registers of
// that lane which the state's neighbourhood makes likely inputs (v0 to v5 before execution) are
// shown.
std::string CompareStates(const runtime::WaveState& initial, const runtime::WaveState& actual,
                          const runtime::WaveState& expected);

std::string CompareMemory(const std::string& name, const std::vector<uint32_t>& actual,
                          const std::vector<uint32_t>& expected);

}  // namespace gcnjit::isa_tests
