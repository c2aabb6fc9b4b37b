// Operations whose inputs can all be tried: unary ones and conversions of 16 and 32 bits, binary
// ones and comparisons of two halves.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/generation.h"
#include "isa/opcode_table.h"

namespace gcnjit::exhaustive {

// VGPRs that programs use: so many instructions side by side, each with registers of its own.
inline constexpr uint32_t kInstructions = 60;
inline constexpr uint32_t kSource0 = 0;
inline constexpr uint32_t kSource1 = kInstructions;      // of binary operations
inline constexpr uint32_t kResults = 2 * kInstructions;  // one or two registers each
inline constexpr uint32_t kOne = 4 * kInstructions;      // holds 1, for comparisons
inline constexpr uint32_t kVgprs = 4 * kInstructions + 1;

struct Operation {
  const frontend::OpcodeRow* row = nullptr;
  bool is_binary = false;   // else unary
  bool is_compare = false;  // the result is a lane mask, taken to a VGPR by v_cndmask
  int source_bits = 32;

  uint64_t Inputs() const { return is_binary ? uint64_t{1} << 32 : uint64_t{1} << source_bits; }
};

// All that the generation has and gcnjit executes.
std::vector<Operation> OperationsOf(frontend::Generation generation);

// kInstructions of it in their shortest encoding, and s_endpgm.
std::vector<uint32_t> ProgramOf(const Operation& operation, frontend::Generation generation);

}  // namespace gcnjit::exhaustive
