// VOP1, VOP2, VOPC, their SDWA and DPP forms, VOP3, VOP3P and VINTRP as text.
#include <fmt/format.h>

#include "frontend/disassemble/disassembler_internal.h"

namespace gcnjit::frontend::disassembler_internal {
namespace {

using enum OperandType;

// v_nop and v_clrexcp.
bool IsBare(const OpcodeRow& row) { return row.dst == NONE && row.src[0] == NONE; }

// LLVM names the encoding of rows that could have another, but for v_madmk, v_madak and their like.
bool HasNoSuffix(const OpcodeRow& row) {
  return IsBare(row) || (row.Has(NO_VOP3) && row.opcode != Opcode::V_PK_FMAC_F16);
}

// The encoding suffix: rows with one encoding only have none.
const char* Suffix(Generation generation, const Instruction& in) {
  const Format home = in.row().On(generation).format;
  const bool promotable = home == Format::kVop1 || home == Format::kVop2 || home == Format::kVopc;
  switch (in.encoding) {
    case Encoding::kVop1:
    case Encoding::kVop2:
    case Encoding::kVopc: return HasNoSuffix(in.row()) ? "" : "_e32";
    case Encoding::kVop3a:
    case Encoding::kVop3b: return promotable ? "_e64" : "";
    case Encoding::kSdwa:
      // LLVM leaves the suffix of gfx8's compares out.
      return !IsGfx9(generation) && in.row().dst == M64 ? "" : "_sdwa";
    case Encoding::kDpp: return "_dpp";
    case Encoding::kVintrp: return "_e32";
    default: return "";
  }
}

std::string SourceText(Generation generation, const Instruction& in, size_t i) {
  const Operand& operand = in.src[i];
  std::string text = OperandText(generation, in, operand);
  const bool neg = (in.neg >> i & 1) != 0;
  const bool abs = (in.abs >> i & 1) != 0;
  if (in.encoding == Encoding::kVop3p && in.row().src[0] != MIX) return text;  // neg_lo, neg_hi
  if (in.encoding == Encoding::kMai) return text;                              // neg
  if (in.encoding == Encoding::kSdwa && (in.sdwa.sext >> i & 1) != 0) {
    return fmt::format("sext({})", text);
  }
  if (abs) text = fmt::format("|{}|", text);
  if (!neg) return text;
  // -1 and neg(1) are different constants.
  const bool ambiguous = !abs && operand.kind == OperandKind::kConstant;
  return ambiguous ? fmt::format("neg({})", text) : "-" + text;
}

void OutputModifiers(const Instruction& in, Text& text) {
  static constexpr const char* kOutput[] = {"", "mul:2", "mul:4", "div:2"};
  text.ModifierIf(in.clamp, "clamp");
  text.ModifierIf(in.omod != 0, kOutput[in.omod]);
}

const char* SelectName(SdwaSelect select) {
  static constexpr const char* kNames[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                           "WORD_0", "WORD_1", "DWORD"};
  return kNames[static_cast<size_t>(select)];
}

// 8-bit floats to f32: without destination selects.
bool ConvertsBytes(const OpcodeRow& row) {
  switch (row.opcode) {
    case Opcode::V_CVT_F32_FP8:
    case Opcode::V_CVT_F32_BF8:
    case Opcode::V_CVT_PK_F32_FP8:
    case Opcode::V_CVT_PK_F32_BF8: return true;
    default: return false;
  }
}

void SdwaModifiers(const Instruction& in, Text& text) {
  static constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  const OpcodeRow& row = in.row();
  OutputModifiers(in, text);
  if (row.dst != M64 && row.dst != NONE && !ConvertsBytes(row)) {
    text.Modifier(fmt::format("dst_sel:{}", SelectName(in.sdwa.dst_sel)));
    text.Modifier(fmt::format("dst_unused:{}", kUnused[static_cast<size_t>(in.sdwa.dst_unused)]));
  }
  if (row.src[0] != NONE) {
    text.Modifier(fmt::format("src0_sel:{}", SelectName(in.sdwa.src_sel[0])));
  }
  if (row.src[1] != NONE) {
    text.Modifier(fmt::format("src1_sel:{}", SelectName(in.sdwa.src_sel[1])));
  }
}

void DppModifiers(const Instruction& in, Text& text) {
  text.Modifier(DppControlText(in.dpp.ctrl));
  text.Modifier(fmt::format("row_mask:{:#x}", in.dpp.row_mask));
  text.Modifier(fmt::format("bank_mask:{:#x}", in.dpp.bank_mask));
  text.ModifierIf(in.dpp.bound_ctrl, "bound_ctrl:1");
}

int SourceCount(const OpcodeRow& row) {
  int count = 0;
  for (const OperandType type : row.src) count += type != NONE ? 1 : 0;
  return count;
}

void Vop3pModifiers(const Instruction& in, Text& text) {
  const OpcodeRow& row = in.row();
  const int count = SourceCount(row);
  const uint32_t all = (1u << count) - 1;
  const bool mix = row.src[0] == MIX;
  // op_sel_hi's default selects the high halves; v_mad_mix's is f32 sources.
  const uint32_t op_sel_hi_default = mix ? 0 : all;
  if ((in.op_sel & all) != 0) text.Modifier(BitList("op_sel", in.op_sel, count));
  if ((in.op_sel_hi & all) != op_sel_hi_default) {
    text.Modifier(BitList("op_sel_hi", in.op_sel_hi, count));
  }
  if (!mix && (in.neg & all) != 0) text.Modifier(BitList("neg_lo", in.neg, count));
  if (!mix && (in.neg_hi & all) != 0) text.Modifier(BitList("neg_hi", in.neg_hi, count));
  text.ModifierIf(in.clamp, "clamp");
}

void MaiModifiers(const Instruction& in, Text& text) {
  text.ModifierIf(in.cbsz != 0, fmt::format("cbsz:{}", in.cbsz));
  text.ModifierIf(in.abid != 0, fmt::format("abid:{}", in.abid));
  text.ModifierIf(in.blgp != 0, fmt::format("blgp:{}", in.blgp));
  if (in.neg != 0) text.Modifier(BitList("neg", in.neg, 3));
}

void Vop3Modifiers(const Instruction& in, Text& text) {
  if (in.op_sel != 0) {
    // One bit a source, then the destination. Rounding at random, to bytes, has two of these.
    const bool to_byte =
        in.opcode == Opcode::V_CVT_SR_FP8_F32 || in.opcode == Opcode::V_CVT_SR_BF8_F32;
    const int count = to_byte ? 3 : SourceCount(in.row());
    const uint32_t bits =
        (in.op_sel & ((1u << count) - 1)) | static_cast<uint32_t>(in.op_sel >> 3 & 1) << count;
    text.Modifier(BitList("op_sel", bits, count + 1));
  }
  OutputModifiers(in, text);
}

std::string AttributeText(const Instruction& in) {
  return fmt::format("attr{}.{}", in.attr, "xyzw"[in.attr_channel]);
}

std::string InterpolationSource(Generation generation, const Instruction& in) {
  static constexpr const char* kParameters[] = {"p10", "p20", "p0"};
  if (in.src[0].kind == OperandKind::kNone) {
    return in.imm >= 0 && in.imm <= 2 ? kParameters[in.imm]
                                      : fmt::format("invalid_param_{}", in.imm);
  }
  return SourceText(generation, in, 0);
}

std::string InterpolationText(Generation generation, const Instruction& in) {
  Text text{std::string(in.row().Name(generation)) + Suffix(generation, in)};
  text.Operand(OperandText(generation, in, in.dst));
  text.Operand(InterpolationSource(generation, in));
  text.Operand(AttributeText(in));
  if (in.src[2].kind != OperandKind::kNone) text.Operand(SourceText(generation, in, 2));
  text.ModifierIf(in.attr_high, "high");
  OutputModifiers(in, text);
  return text.Take();
}

}  // namespace

std::string VectorText(Generation generation, const Instruction& in) {
  const OpcodeRow& row = in.row();
  if (row.Has(INTERPOLATION)) return InterpolationText(generation, in);
  Text text{std::string(row.Name(generation)) + Suffix(generation, in)};
  if (row.dst != NONE) text.Operand(OperandText(generation, in, in.dst));
  if (row.Has(CARRY_OUT)) text.Operand(OperandText(generation, in, in.sdst));
  for (size_t i = 0; i < row.src.size(); ++i) {
    if (row.src[i] != NONE) text.Operand(SourceText(generation, in, i));
  }
  switch (in.encoding) {
    case Encoding::kSdwa: SdwaModifiers(in, text); break;
    case Encoding::kDpp: DppModifiers(in, text); break;
    case Encoding::kVop3p: Vop3pModifiers(in, text); break;
    case Encoding::kMai: MaiModifiers(in, text); break;
    default: Vop3Modifiers(in, text); break;
  }
  return text.Take();
}

}  // namespace gcnjit::frontend::disassembler_internal
