// What is to be said of an instruction's results, for Statistics::instructions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gcnjit/launch.h"
#include "isa/opcode_table.h"

namespace gcnjit::runtime {

// Executions by row of the ISA table.
using OpcodeCounts = std::array<uint64_t, frontend::kOpcodeCount>;

// `executed` and `mnemonic` are left to the caller.
InstructionCount FidelityOf(frontend::Opcode opcode);

// The instructions that were executed, the most executed first.
std::vector<InstructionCount> ReportOf(const OpcodeCounts& counts, frontend::Generation generation);

}  // namespace gcnjit::runtime
