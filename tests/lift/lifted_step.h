// One instruction by way of the lifter: lifted alone, verified, and evaluated on the wave's state.
#pragma once

#include <string>

#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::lift_tests {

enum class Inactive {
  kKept,  // VGPRs of inactive lanes must come out as the interpreter leaves them
  kLost,  // they may hold anything
};

// As runtime::StepWave. Returns why the instruction is left to the interpreter, in which case
// nothing has happened; empty if it was executed. A malformed function: a text that begins with
// kMalformed.
inline constexpr const char* kMalformed = "malformed IR: ";
std::string StepLifted(runtime::Wave& w, const runtime::CodeSlot& slot,
                       Inactive inactive = Inactive::kKept);

}  // namespace gcnjit::lift_tests
