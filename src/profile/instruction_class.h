// Kinds of instructions, as the profilers of GPUs count them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isa/instruction.h"

namespace gcnjit::profile {

enum class InstructionClass : uint8_t {
  kValu,        // vector arithmetic, matrices included
  kSalu,        // scalar arithmetic, jumps through registers included
  kVmemRead,    // buffer, flat, global and scratch instructions
  kVmemWrite,   // likewise
  kVmemAtomic,  // likewise
  kSmem,
  kLds,
  kGds,
  kBranch,  // of SOPP
  kBarrier,
  kMessage,
  kOther,  // s_waitcnt, s_nop, s_endpgm and the like
};
inline constexpr size_t kInstructionClasses = static_cast<size_t>(InstructionClass::kOther) + 1;

InstructionClass ClassOf(const frontend::Instruction& i);
// "valu", "vmem_read": for programs.
std::string_view NameOf(InstructionClass c);

constexpr bool IsVmem(InstructionClass c) {
  return c == InstructionClass::kVmemRead || c == InstructionClass::kVmemWrite ||
         c == InstructionClass::kVmemAtomic;
}
// Is it executed lane by lane, for those that EXEC enables?
constexpr bool IsVector(InstructionClass c) {
  return c == InstructionClass::kValu || c == InstructionClass::kLds ||
         c == InstructionClass::kGds || IsVmem(c);
}

using ClassCounts = std::array<uint64_t, kInstructionClasses>;

}  // namespace gcnjit::profile
