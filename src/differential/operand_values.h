// What an instruction found in its registers, for reports.
#pragma once

#include <string>

#include "isa/instruction.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::differential {

// "exec 0x.., vcc 0x.., m0 0x.., scc 0; lane 3: v1 0x.. v2 0x.. s4 0x.."
std::string OperandValues(const frontend::Instruction& instruction, const runtime::WaveState& wave,
                          int lane);

}  // namespace gcnjit::differential
