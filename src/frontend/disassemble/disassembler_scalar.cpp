// SOP1, SOP2, SOPK, SOPC, SOPP, SMRD and SMEM as text.
#include <fmt/format.h>

#include "frontend/disassemble/disassembler_internal.h"

namespace gcnjit::frontend::disassembler_internal {
namespace {

std::string ImmediateText(Generation generation, OperandType type, int32_t imm) {
  const uint32_t bits = static_cast<uint32_t>(imm) & 0xFFFF;
  switch (type) {
    using enum OperandType;
    case LABEL: return fmt::format("{}", bits);
    case WAITCNT: return WaitcntText(generation, bits);
    case SENDMSG: return SendMessageText(generation, bits);
    case HWREG: return HardwareRegisterText(generation, bits);
    case GPR_IDX: return GprIndexText(bits);
    default: return fmt::format("{:#x}", bits);
  }
}

bool IsImmediate(OperandType type) {
  switch (type) {
    using enum OperandType;
    case LABEL:
    case WAITCNT:
    case SENDMSG:
    case HWREG:
    case GPR_IDX:
    case SIMM16:
    case UIMM16: return true;
    default: return false;
  }
}

// LLVM prints small counts in decimal, larger ones in hexadecimal.
std::string Count(uint32_t bits) {
  return bits <= 64 ? fmt::format("{}", bits) : fmt::format("{:#x}", bits);
}

void ScalarMemoryOffset(Generation generation, const Instruction& in, Text& text) {
  const Operand& soffset = in.src[1];
  const bool smrd = in.encoding == Encoding::kSmrd;
  if (soffset.kind == OperandKind::kScalar) {
    text.Operand(ScalarName(generation, soffset.index, 1));
    if (in.has_offset) text.Modifier(fmt::format("offset:{:#x}", in.offset));
  } else if (soffset.kind == OperandKind::kConstant) {
    text.Operand(fmt::format("{:#x}", soffset.value / 4));
  } else {
    // SMRD offsets are dwords in the code and in the text.
    text.Operand(fmt::format("{:#x}", smrd ? in.offset / 4 : in.offset));
  }
}

std::string ScalarMemoryText(Generation generation, const Instruction& in) {
  const OpcodeRow& row = in.row();
  Text text{std::string(row.Name(generation))};
  if (row.dst != OperandType::NONE) text.Operand(OperandText(generation, in, in.dst));
  if (row.src[2] == OperandType::UIMM16) text.Operand(Count(static_cast<uint32_t>(in.imm)));
  if (row.src[2] != OperandType::NONE && row.src[2] != OperandType::UIMM16) {
    text.Operand(OperandText(generation, in, in.src[2]));
  }
  if (row.src[0] != OperandType::NONE) {
    text.Operand(OperandText(generation, in, in.src[0]));
    ScalarMemoryOffset(generation, in, text);
  }
  text.ModifierIf(in.glc, "glc");
  return text.Take();
}

}  // namespace

std::string ScalarText(Generation generation, const Instruction& in) {
  if (in.encoding == Encoding::kSmrd || in.encoding == Encoding::kSmem) {
    return ScalarMemoryText(generation, in);
  }
  const OpcodeRow& row = in.row();
  Text text{std::string(row.Name(generation))};
  if (row.dst != OperandType::NONE) text.Operand(OperandText(generation, in, in.dst));
  for (size_t i = 0; i < row.src.size(); ++i) {
    const OperandType type = row.src[i];
    if (type == OperandType::NONE) continue;
    if (in.opcode == Opcode::S_ENDPGM) {
      if (in.imm != 0) text.Operand(fmt::format("{}", in.imm));
    } else if (in.encoding == Encoding::kSopp && type == OperandType::UIMM16) {
      text.Operand(Count(static_cast<uint32_t>(in.imm) & 0xFFFF));
    } else if (IsImmediate(type)) {
      text.Operand(ImmediateText(generation, type, in.imm));
    } else {
      text.Operand(OperandText(generation, in, in.src[i]));
    }
  }
  return text.Take();
}

}  // namespace gcnjit::frontend::disassembler_internal
