// What the disassembler's files share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/generation.h"
#include "isa/instruction.h"

namespace gcnjit::frontend::disassembler_internal {

// The text of one instruction while it is put together: a mnemonic, operands separated by commas,
// then modifiers separated by blanks.
class Text {
 public:
  explicit Text(std::string mnemonic) : text_(std::move(mnemonic)) {}

  void Operand(std::string_view operand) {
    text_ += has_operands_ ? ", " : " ";
    text_ += operand;
    has_operands_ = true;
  }
  void Modifier(std::string_view modifier) {
    text_ += ' ';
    text_ += modifier;
  }
  void ModifierIf(bool present, std::string_view modifier) {
    if (present) Modifier(modifier);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  bool has_operands_ = false;
};

// `registers` scalar registers from `code`: s3, s[4:7], vcc, ttmp[0:1], exec_lo, m0 ...
std::string ScalarName(Generation generation, uint32_t code, int registers);
// `registers` VGPRs from `index`.
std::string VgprName(uint32_t index, int registers);
// A register or constant as its type says; `registers` overrides the type's width if not 0.
std::string OperandText(Generation generation, const Instruction& in, const Operand& operand,
                        int registers = 0);

// Coded immediates.
std::string WaitcntText(Generation generation, uint32_t imm);
std::string SendMessageText(Generation generation, uint32_t imm);
std::string HardwareRegisterText(Generation generation, uint32_t imm);
std::string GprIndexText(uint32_t imm);
std::string SwizzleText(uint32_t offset);
std::string DppControlText(uint32_t ctrl);
std::string BufferFormatText(Generation generation, uint32_t dfmt, uint32_t nfmt);
std::string ExportTargetText(uint32_t target);

// "quad_perm:[0,1,2,3]" style lists: bit n of `bits` as the n-th element.
std::string BitList(std::string_view name, uint32_t bits, int count);

std::string ScalarText(Generation generation, const Instruction& instruction);
std::string VectorText(Generation generation, const Instruction& instruction);
std::string MemoryText(Generation generation, const Instruction& instruction);

}  // namespace gcnjit::frontend::disassembler_internal
