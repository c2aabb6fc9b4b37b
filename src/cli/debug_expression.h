// One thing to look at or to change, as people write it: a register, one lane of it, LDS, memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/debug_target.h"
#include "debug/change.h"

namespace gcnjit::cli {

// Whose registers and LDS are meant.
struct DebugFocus {
  debug::WaveName wave;
  int lane = 0;
};

struct DebugExpression {
  debug::Change::Kind kind = debug::Change::Kind::kRegister;
  debug::RegisterName reg;                    // of kRegister
  std::optional<int> lane;                    // of a vector register; nothing: none is named
  uint64_t address = 0;                       // of kLds, in bytes; of kMemory, a guest address
  std::optional<debug::NumberFormat> format;  // nothing: all that a person may want
};

// "v3", "v3[5]", "v[2:3][5]", "s4", "s[4:5]", "exec", "vcc", "scc", "m0", "pc", "mode";
// "lds[ADDRESS]", ADDRESS being a number or a register of 32 bits; "mem[ADDRESS]", ADDRESS as
// DebugTarget::FindAddress has it; each perhaps with "as FORMAT". Where a lane is needed and not
// named it is that in focus. The wave is there.
Result<DebugExpression> ParseExpression(const DebugTarget& target, const DebugFocus& focus,
                                        const std::string& text);

// Its value, in words. An Error: the kernel has no such register, or cannot read there.
Result<std::string> ValueText(const DebugTarget& target, const DebugFocus& focus,
                              const DebugExpression& expression);
// The change that gives it this value: a whole number, in decimal or hexadecimal, or, with a point,
// an exponent or an f, a floating-point number.
Result<debug::Change> ChangeOf(const DebugFocus& focus, const DebugExpression& expression,
                               const std::string& value);

// What to say when a change has made the run forget what it had executed.
inline constexpr const char* kForgotten =
    "What had been executed after this place is forgotten: the run goes on from here.\n";

// 32 bits in all the ways that a person may want to read them.
std::string AllFormats(uint32_t bits);
// A mask of lanes.
std::string MaskText(uint64_t mask);

}  // namespace gcnjit::cli
