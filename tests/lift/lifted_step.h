// Instructions by way of the lifter: lifted as one block, verified, and evaluated on the wave's
// state.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "frontend/lift/lifter.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::lift_tests {

enum class Inactive {
  kKept,  // VGPRs of inactive lanes must come out as the interpreter leaves them
  kLost,  // they may hold anything
};

struct LiftOptions {
  Inactive inactive = Inactive::kKept;
  frontend::LiftFn function = nullptr;  // instead of the row's own: a planted error
  // Is told of each access to global memory.
  std::function<void(uint64_t address, uint32_t bytes)> on_access = {};
};

// Executes the instructions, which follow each other from w.state.pc on. Returns why one of them is
// left to the interpreter, in which case nothing has happened; empty if they were executed. A text
// that begins with kMalformed: the verifier's complaint.
inline constexpr const char* kMalformed = "malformed IR: ";
std::string RunLifted(runtime::Wave& w, std::span<const runtime::CodeSlot> slots,
                      const LiftOptions& options = {});

inline std::string StepLifted(runtime::Wave& w, const runtime::CodeSlot& slot,
                              const LiftOptions& options = {}) {
  return RunLifted(w, {&slot, 1}, options);
}

}  // namespace gcnjit::lift_tests
