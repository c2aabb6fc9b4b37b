// Runs a wave as RunWave does, and counts what it executes.
#pragma once

#include <cstdint>

#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/fidelity.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// Adds each executed instruction to `counts`, also a refused one; what cannot be decoded has no
// row. Slower than RunWave.
uint64_t RunWaveCounted(Wave& w, CodeReader& code, uint64_t budget, OpcodeCounts& counts);

}  // namespace gcnjit::runtime
