// Random programs from the ISA table: every executable row except those that ExcludedReason names,
// in straight lines, branches, bounded loops and EXEC games.
#pragma once

#include <cstdint>

#include "differential/program.h"
#include "differential/random.h"
#include "isa/opcode_table.h"

namespace gcnjit::differential {

// The same program for the same arguments, everywhere.
Program GenerateProgram(frontend::Generation generation, uint64_t seed);

// One that is launched in rows of groups: most have a single block, which compiled code runs for
// all groups of a row, with what they have in common.
Program GenerateRows(frontend::Generation generation, uint64_t seed);

// Likewise one with loops and LDS; always ProgramRows::is_orderly.
Program GenerateKernel(frontend::Generation generation, uint64_t seed);

// Either of these.
Program GenerateLaunch(frontend::Generation generation, uint64_t seed);

// A MODE that kernels may begin with.
uint32_t RandomMode(Random& random, frontend::Generation generation);

// Why random programs never contain an executable row; nullptr: they do.
const char* ExcludedReason(frontend::Opcode opcode);

}  // namespace gcnjit::differential
