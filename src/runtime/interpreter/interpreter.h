// The instruction loop: runs a wave from its PC until something happens.
#pragma once

#include <cstdint>

#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// Executes one decoded instruction at w.state.pc, moves PC on, and sets w.event. Faults leave PC at
// the instruction.
void StepWave(Wave& w, const CodeSlot& slot);

// Executes up to `budget` instructions; w.event says why it came back (kNone: budget used up).
// Returns the number of instructions executed.
uint64_t RunWave(Wave& w, CodeReader& code, uint64_t budget);

}  // namespace gcnjit::runtime
