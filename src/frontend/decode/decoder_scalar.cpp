// SOP1, SOP2, SOPK, SOPC, SOPP, SMRD and SMEM.
#include "frontend/decode/decoder_internal.h"

namespace gcnjit::frontend::decoder_internal {
namespace {

constexpr unsigned kScalarSource = kAllowLiteral;

// An immediate that is also an operand of the row.
Operand ImmediateOperand(OperandType type, int32_t value) {
  return {OperandKind::kConstant, type, 0, 0, static_cast<uint32_t>(value)};
}

bool Destination(Decoding& d, const OpcodeRow& row, uint32_t code) {
  return row.dst == OperandType::NONE || d.ScalarRegister(code, row.dst, d.out().dst);
}

int32_t Immediate16(OperandType type, uint32_t word) {
  const uint32_t bits = Bits(word, 0, 16);
  const bool is_signed = type == OperandType::SIMM16 || type == OperandType::LABEL;
  return is_signed ? SignExtend(bits, 16) : static_cast<int32_t>(bits);
}

// Jumps go to an address in registers, and s_movrels indexes from a register's number.
bool NeedsRegisterSource(const OpcodeRow& row) {
  switch (row.opcode) {
    case Opcode::S_SETPC_B64:
    case Opcode::S_RFE_B64:
    case Opcode::S_CBRANCH_JOIN:
    case Opcode::S_MOVRELS_B32:
    case Opcode::S_MOVRELS_B64: return true;
    default: return false;
  }
}

}  // namespace

DecodeStatus DecodeSop1(Decoding& d) {
  const uint32_t word = d.word0();
  const OpcodeRow* row = d.SetOpcode(Format::kSop1, Bits(word, 8, 8), Encoding::kSop1);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  if (!Destination(d, *row, Bits(word, 16, 7))) return DecodeStatus::kBadOperand;
  if (row->src[0] == OperandType::NONE) return DecodeStatus::kOk;
  const uint32_t source = Bits(word, 0, 8);
  const bool ok = NeedsRegisterSource(*row)
                      ? d.ScalarRegister(source, row->src[0], out.src[0])
                      : d.Source(source, row->src[0], kScalarSource, out.src[0]);
  return ok ? DecodeStatus::kOk : DecodeStatus::kBadOperand;
}

DecodeStatus DecodeSop2(Decoding& d) {
  const uint32_t word = d.word0();
  const OpcodeRow* row = d.SetOpcode(Format::kSop2, Bits(word, 23, 7), Encoding::kSop2);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  if (!Destination(d, *row, Bits(word, 16, 7)) ||
      !d.Source(Bits(word, 0, 8), row->src[0], kScalarSource, out.src[0]) ||
      !d.Source(Bits(word, 8, 8), row->src[1], kScalarSource, out.src[1])) {
    return DecodeStatus::kBadOperand;
  }
  return DecodeStatus::kOk;
}

DecodeStatus DecodeSopk(Decoding& d) {
  const uint32_t word = d.word0();
  const OpcodeRow* row = d.SetOpcode(Format::kSopk, Bits(word, 23, 5), Encoding::kSopk);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  const uint32_t register_field = Bits(word, 16, 7);
  if (!Destination(d, *row, register_field)) return DecodeStatus::kBadOperand;
  for (size_t i = 0; i < row->src.size(); ++i) {
    const OperandType type = row->src[i];
    switch (type) {
      using enum OperandType;
      case NONE: break;
      case SIMM16:
      case UIMM16:
        out.imm = Immediate16(type, word);
        out.src[i] = ImmediateOperand(type, out.imm);
        break;
      case LABEL:
      case HWREG: out.imm = Immediate16(type, word); break;
      case LITERAL:
        if (!d.MandatoryLiteral(B32, out.src[i])) return DecodeStatus::kBadOperand;
        out.src[i].type = B32;
        break;
      // The compares, s_setreg_b32 and s_cbranch_i_fork read the register in the SDST field.
      default:
        if (!d.ScalarRegister(register_field, type, out.src[i])) return DecodeStatus::kBadOperand;
    }
  }
  return DecodeStatus::kOk;
}

DecodeStatus DecodeSopc(Decoding& d) {
  const uint32_t word = d.word0();
  const OpcodeRow* row = d.SetOpcode(Format::kSopc, Bits(word, 16, 7), Encoding::kSopc);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  if (!d.Source(Bits(word, 0, 8), row->src[0], kScalarSource, out.src[0])) {
    return DecodeStatus::kBadOperand;
  }
  if (row->src[1] == OperandType::GPR_IDX) {
    out.imm = static_cast<int32_t>(Bits(word, 8, 8));
    // Four mode bits (Vega manual, s_set_gpr_idx_on).
    return out.imm < 16 ? DecodeStatus::kOk : DecodeStatus::kBadOperand;
  }
  return d.Source(Bits(word, 8, 8), row->src[1], kScalarSource, out.src[1])
             ? DecodeStatus::kOk
             : DecodeStatus::kBadOperand;
}

DecodeStatus DecodeSopp(Decoding& d) {
  const OpcodeRow* row = d.SetOpcode(Format::kSopp, Bits(d.word0(), 16, 7), Encoding::kSopp);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  const OperandType type = row->src[0];
  out.imm = Immediate16(type, d.word0());
  if (type == OperandType::UIMM16) out.src[0] = ImmediateOperand(type, out.imm);
  // GPR_IDX has four mode bits.
  const bool ok = type != OperandType::GPR_IDX || out.imm < 16;
  return ok ? DecodeStatus::kOk : DecodeStatus::kBadOperand;
}

DecodeStatus DecodeSmrd(Decoding& d) {
  const uint32_t word = d.word0();
  const OpcodeRow* row = d.SetOpcode(Format::kSmrd, Bits(word, 22, 5), Encoding::kSmrd);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  if (!Destination(d, *row, Bits(word, 15, 7))) return DecodeStatus::kBadOperand;
  if (row->src[0] == OperandType::NONE) return DecodeStatus::kOk;
  if (!d.ScalarRegister(Bits(word, 9, 6) * 2, row->src[0], out.src[0])) {
    return DecodeStatus::kBadOperand;
  }
  const uint32_t field = Bits(word, 0, 8);
  if (Bit(word, 8)) {
    out.has_offset = true;
    out.offset = static_cast<int32_t>(field * 4);
    return DecodeStatus::kOk;
  }
  if (field == kCodeLiteral) {
    // A dword count.
    if (!Has(d.generation(), kSmemLiteralOffset)) return DecodeStatus::kBadOperand;
    if (!d.MandatoryLiteral(OperandType::U32, out.src[1])) return DecodeStatus::kBadOperand;
    out.src[1].type = OperandType::SOFFSET;
    out.src[1].value *= 4;
    return DecodeStatus::kOk;
  }
  return d.ScalarRegister(field, OperandType::SOFFSET, out.src[1]) ? DecodeStatus::kOk
                                                                   : DecodeStatus::kBadOperand;
}

namespace {

// gfx8: IMM chooses between a 20-bit byte offset and an SGPR. gfx9 adds SOFFSET_EN, a 7-bit SGPR
// field of its own, and signs the offset (21 bits); without SOFFSET_EN it is as on gfx8.
bool SmemOffset(Decoding& d) {
  Instruction& out = d.out();
  const bool imm = Bit(d.word0(), 17);
  const bool soffset_en = IsGfx9(d.generation()) && Bit(d.word0(), 14);
  if (imm) {
    out.has_offset = true;
    out.offset = IsGfx9(d.generation()) ? SignExtend(Bits(d.word1(), 0, 21), 21)
                                        : static_cast<int32_t>(Bits(d.word1(), 0, 20));
    if (!soffset_en) return true;
  }
  const uint32_t sgpr = soffset_en ? Bits(d.word1(), 25, 7) : Bits(d.word1(), 0, 7);
  return d.ScalarRegister(sgpr, OperandType::SOFFSET, out.src[1]);
}

}  // namespace

DecodeStatus DecodeSmem(Decoding& d) {
  const OpcodeRow* row = d.SetOpcode(Format::kSmem, Bits(d.word0(), 18, 8), Encoding::kSmem);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  const uint32_t word = d.word0();
  Instruction& out = d.out();
  const uint32_t data = Bits(word, 6, 7);
  out.glc = Bit(word, 16) && (row->flags & (LOAD | STORE | ATOMIC)) != 0;
  out.nv = IsGfx9(d.generation()) && Bit(word, 15);
  if (!Destination(d, *row, data)) return DecodeStatus::kBadOperand;
  if (row->src[0] == OperandType::NONE) return DecodeStatus::kOk;
  if (!d.ScalarRegister(Bits(word, 0, 6) * 2, row->src[0], out.src[0]) || !SmemOffset(d)) {
    return DecodeStatus::kBadOperand;
  }
  if (row->src[2] == OperandType::UIMM16) {
    out.imm = static_cast<int32_t>(data);  // s_atc_probe's mode
  } else if (row->src[2] != OperandType::NONE && !d.ScalarRegister(data, row->src[2], out.src[2])) {
    return DecodeStatus::kBadOperand;
  }
  return DecodeStatus::kOk;
}

}  // namespace gcnjit::frontend::decoder_internal
