// Machine words to instructions. Total: any words give an Instruction or a reason.
#pragma once

#include <cstdint>
#include <span>

#include "isa/instruction.h"
#include "isa/processor.h"

namespace gcnjit::frontend {

enum class DecodeStatus : uint8_t {
  kOk,
  kTruncated,      // the instruction needs more words than there are
  kUnknownOpcode,  // no instruction of this generation has that encoding
  kBadOperand,     // the opcode exists, an operand field holds what the generation does not define
};

// The longest instruction: two words and a literal, which no encoding has, would be three.
inline constexpr size_t kMostInstructionWords = 2;

// Decodes the instruction at words[0]. On anything but kOk, `out` is unspecified.
DecodeStatus Decode(const Processor& processor, std::span<const uint32_t> words, Instruction& out);

}  // namespace gcnjit::frontend
