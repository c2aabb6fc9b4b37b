// VOP1, VOP2 and VOPC with their SDWA and DPP forms.
//
// Field positions: GCN3 and Vega ISA manuals, "Microcode formats".
#include "frontend/decode/decoder_internal.h"

namespace gcnjit::frontend::decoder_internal {

using enum OperandType;

bool VectorSource0(Decoding& d, const OpcodeRow& row, uint32_t code, unsigned forms) {
  switch (row.opcode) {
    case Opcode::V_ACCVGPR_MOV_B32:
      return code >= kCodeFirstVgpr && d.AccVgpr(code - kCodeFirstVgpr, row.src[0], d.out().src[0]);
    case Opcode::V_SWAP_B32:
    case Opcode::V_MOVRELS_B32:
    case Opcode::V_MOVRELSD_B32:
      if (code < kCodeFirstVgpr) return false;
      break;
    case Opcode::V_READLANE_B32:
    case Opcode::V_READFIRSTLANE_B32:
      if (code < kCodeFirstVgpr && code != kCodeLdsDirect) return false;
      break;
    default: break;
  }
  if (row.src[0] == S32) forms = kAllowNone;
  return d.Source(code, row.src[0], forms, d.out().src[0]);
}

bool VectorDestination(Decoding& d, const OpcodeRow& row, uint32_t field) {
  if (row.dst == NONE) return true;
  if (row.dst == S32 || row.dst == M64) return d.ScalarRegister(field, row.dst, d.out().dst);
  if (row.opcode == Opcode::V_ACCVGPR_MOV_B32) return d.AccVgpr(field, row.dst, d.out().dst);
  return d.Vgpr(field, row.dst, d.out().dst);
}

namespace {

// What OP_SEL chooses: a half of each source, and of the result; of conversions to 8 bits only a
// part of the result.
uint32_t OpSelBits(const OpcodeRow& row, uint32_t sources) {
  switch (row.opcode) {
    case Opcode::V_CVT_PK_FP8_F32:
    case Opcode::V_CVT_PK_BF8_F32: return 8;
    case Opcode::V_CVT_SR_FP8_F32:
    case Opcode::V_CVT_SR_BF8_F32: return 12;
    default: return sources | 8;
  }
}

}  // namespace

bool ModifiersAreDefined(Decoding& d, const OpcodeRow& row) {
  const Instruction& in = d.out();
  const bool vop3 = in.encoding == Encoding::kVop3a || in.encoding == Encoding::kVop3b;
  uint32_t floating = 0;
  uint32_t integer = 0;
  uint32_t signs = 0;  // that neg and abs act on
  for (size_t i = 0; i < row.src.size(); ++i) {
    if (row.src[i] == NONE) continue;
    (IsFloat(row.src[i]) ? floating : integer) |= 1u << i;
    const bool takes = TakesFloatModifiers(row, i) || (vop3 && TakesIntegerSignModifiers(row, i));
    if (takes) signs |= 1u << i;
  }
  if (((in.neg | in.abs) & ~signs) != 0 || (in.sdwa.sext & ~integer) != 0) return false;
  // Of SDWA's untyped sources (v_cndmask_b32) only whole dwords have a known sign bit.
  for (size_t i = 0; i < 2 && in.encoding == Encoding::kSdwa; ++i) {
    const bool changes_sign = ((in.neg | in.abs) >> i & 1) != 0;
    const bool whole = in.sdwa.src_sel[i] == SdwaSelect::kDword && (in.sdwa.sext >> i & 1) == 0;
    if (changes_sign && !IsFloat(row.src[i]) && !whole) return false;
  }
  if (in.clamp && !TakesClamp(row, d.generation())) return false;
  // SDWA has no output modifier for integer results.
  const bool has_omod =
      in.encoding == Encoding::kSdwa ? IsFloat(row.dst) : TakesOutputModifier(row);
  if (in.omod != 0 && !has_omod) return false;
  // Bit 3 is the destination's.
  const uint32_t op_sel = row.Has(OP_SEL) ? OpSelBits(row, floating | integer) : 0;
  return (in.op_sel & ~op_sel) == 0;
}

namespace {

constexpr unsigned kVectorSource0 = kAllowVgpr | kAllowLiteral | kAllowLdsDirect;

// The second source of VOP2 and VOPC: an 8-bit VGPR number, or on gfx6-7's lane instructions a
// scalar code.
bool VectorSource1(Decoding& d, const OpcodeRow& row, uint32_t field) {
  if (row.src[1] == S32) return d.Source(field, S32, kAllowNone, d.out().src[1]);
  return d.Vgpr(field, row.src[1], d.out().src[1]);
}

void ImplicitMasks(Decoding& d, const OpcodeRow& row) {
  if (row.Has(CARRY_OUT)) d.out().sdst = ImplicitVcc();
  if (row.Has(CARRY_IN)) d.out().src[2] = ImplicitVcc();
}

bool SdwaSelectIsDefined(uint32_t select) { return select <= 6; }

// A VGPR, or on gfx9 (`scalar`) an SGPR or inline constant.
bool SdwaSource(Decoding& d, uint32_t field, bool scalar, OperandType type, Operand& operand) {
  if (scalar) return d.Source(field, type, kAllowNone, operand);
  return d.Vgpr(field, type, operand);
}

// Conversions of 8-bit floats. AMD's formulas look at bits of the select that choose bytes, or
// words of two: what other selects do is not known. They have no destination selects (LLVM,
// VOP1Instructions.td).
bool ByteSelectIsDefined(const OpcodeRow& row, const Sdwa& sdwa) {
  const SdwaSelect select = sdwa.src_sel[0];
  const bool whole_result =
      sdwa.dst_sel == SdwaSelect::kDword && sdwa.dst_unused == SdwaUnused::kPad;
  switch (row.opcode) {
    case Opcode::V_CVT_F32_FP8:
    case Opcode::V_CVT_F32_BF8: return whole_result && select != SdwaSelect::kWord1;
    case Opcode::V_CVT_PK_F32_FP8:
    case Opcode::V_CVT_PK_F32_BF8: return whole_result && select >= SdwaSelect::kWord0;
    default: return true;
  }
}

// Everything of an SDWA form but what word0 says about the destination. `source1` is word0's VSRC1.
bool DecodeSdwa(Decoding& d, const OpcodeRow& row, uint32_t source1, bool is_vopc) {
  if (!d.HasWord1()) return false;
  d.SetEncoding(row, Encoding::kSdwa);
  const uint32_t word = d.word1();
  const bool gfx9 = IsGfx9(d.generation());
  Instruction& out = d.out();
  out.size = 8;

  if (is_vopc && !gfx9) {
    out.clamp = Bit(word, 13);  // the destination selects mean nothing to a mask
  } else if (is_vopc) {
    // SDWA-B: a scalar destination in place of the destination selects.
    if (!Bit(word, 15)) {
      out.dst = ImplicitVcc();
    } else if (!d.ScalarRegister(Bits(word, 8, 7), M64, out.dst)) {
      return false;
    }
  } else {
    const uint32_t unused = Bits(word, 11, 2);
    if (!SdwaSelectIsDefined(Bits(word, 8, 3)) || unused > 2) return false;
    out.sdwa.dst_sel = static_cast<SdwaSelect>(Bits(word, 8, 3));
    out.sdwa.dst_unused = static_cast<SdwaUnused>(unused);
    out.clamp = Bit(word, 13);
    if (gfx9) out.omod = static_cast<uint8_t>(Bits(word, 14, 2));
  }

  if (row.src[0] != NONE) {
    if (!SdwaSelectIsDefined(Bits(word, 16, 3)) ||
        !SdwaSource(d, Bits(word, 0, 8), gfx9 && Bit(word, 23), row.src[0], out.src[0])) {
      return false;
    }
    out.sdwa.src_sel[0] = static_cast<SdwaSelect>(Bits(word, 16, 3));
    if (!ByteSelectIsDefined(row, out.sdwa)) return false;
  }
  if (row.src[1] != NONE) {
    if (!SdwaSelectIsDefined(Bits(word, 24, 3)) ||
        !SdwaSource(d, source1, gfx9 && Bit(word, 31), row.src[1], out.src[1])) {
      return false;
    }
    out.sdwa.src_sel[1] = static_cast<SdwaSelect>(Bits(word, 24, 3));
  }
  out.sdwa.sext = static_cast<uint8_t>(Bits(word, 19, 1) | Bits(word, 27, 1) << 1);
  out.neg = static_cast<uint8_t>(Bits(word, 20, 1) | Bits(word, 28, 1) << 1);
  out.abs = static_cast<uint8_t>(Bits(word, 21, 1) | Bits(word, 29, 1) << 1);
  return ModifiersAreDefined(d, row);
}

// DPP_CTRL values gfx8-9 define (Vega manual, "DPP_CTRL enumerations"); 64-bit operands have only
// row_newbcast (LLVM, isLegalDPALU_DPPControl).
bool DppControlIsDefined(Generation generation, const OpcodeRow& row, uint32_t ctrl) {
  if (ctrl >= 0x150 && ctrl <= 0x15F) return Has(generation, kDppNewBroadcast);
  if (IsWideDpp(row)) return false;
  if (ctrl <= 0xFF) return true;                    // quad_perm
  if (ctrl >= 0x101 && ctrl <= 0x10F) return true;  // row_shl
  if (ctrl >= 0x111 && ctrl <= 0x11F) return true;  // row_shr
  if (ctrl >= 0x121 && ctrl <= 0x12F) return true;  // row_ror
  switch (ctrl) {
    case 0x130:
    case 0x134:
    case 0x138:
    case 0x13C:  // wave_shl, wave_rol, wave_shr, wave_ror
    case 0x140:
    case 0x141:
    case 0x142:
    case 0x143:  // row_mirror, row_half_mirror, row_bcast
      return true;
    default: return false;
  }
}

bool DecodeDpp(Decoding& d, const OpcodeRow& row, uint32_t source1) {
  if (!d.HasWord1()) return false;
  d.SetEncoding(row, Encoding::kDpp);
  const uint32_t word = d.word1();
  Instruction& out = d.out();
  out.size = 8;
  if (!DppControlIsDefined(d.generation(), row, Bits(word, 8, 9))) return false;
  out.dpp.ctrl = static_cast<uint16_t>(Bits(word, 8, 9));
  out.dpp.bound_ctrl = Bit(word, 19);
  out.dpp.bank_mask = static_cast<uint8_t>(Bits(word, 24, 4));
  out.dpp.row_mask = static_cast<uint8_t>(Bits(word, 28, 4));
  out.neg = static_cast<uint8_t>(Bits(word, 20, 1) | Bits(word, 22, 1) << 1);
  out.abs = static_cast<uint8_t>(Bits(word, 21, 1) | Bits(word, 23, 1) << 1);
  if (row.src[0] != NONE && !d.Vgpr(Bits(word, 0, 8), row.src[0], out.src[0])) return false;
  if (row.src[1] != NONE && !d.Vgpr(source1, row.src[1], out.src[1])) return false;
  return ModifiersAreDefined(d, row);
}

// V_MAC lost its SDWA form on gfx9 (Vega manual, SDWA restrictions).
bool HasSdwa(const OpcodeRow& row, Generation generation) {
  const bool mac = row.opcode == Opcode::V_MAC_F32 || row.opcode == Opcode::V_MAC_F16;
  return row.Has(SDWA) && !(mac && IsGfx9(generation));
}

// Whether src0's code asks for an SDWA or DPP form, and whether there is one.
enum class Form { kPlain, kSdwa, kDpp, kNone };
Form FormOf(Decoding& d, const OpcodeRow& row, uint32_t source0) {
  if (!IsGfx8Plus(d.generation())) return Form::kPlain;
  if (source0 == kCodeSdwa) return HasSdwa(row, d.generation()) ? Form::kSdwa : Form::kNone;
  if (source0 == kCodeDpp) return HasDpp(row, d.generation()) ? Form::kDpp : Form::kNone;
  return Form::kPlain;
}

// A form in two words when there is only one is cut short, not malformed.
DecodeStatus FormStatus(Decoding& d, bool decoded) {
  if (!d.HasWord1()) return DecodeStatus::kTruncated;
  return decoded ? DecodeStatus::kOk : DecodeStatus::kBadOperand;
}

}  // namespace

DecodeStatus DecodeVop1(Decoding& d) {
  const uint32_t word = d.word0();
  const OpcodeRow* row = d.SetOpcode(Format::kVop1, Bits(word, 9, 8), Encoding::kVop1);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  const uint32_t source0 = Bits(word, 0, 9);
  if (!VectorDestination(d, *row, Bits(word, 17, 8))) return DecodeStatus::kBadOperand;
  switch (FormOf(d, *row, source0)) {
    case Form::kNone: return DecodeStatus::kUnknownOpcode;
    case Form::kSdwa: return FormStatus(d, DecodeSdwa(d, *row, 0, false));
    case Form::kDpp: return FormStatus(d, DecodeDpp(d, *row, 0));
    case Form::kPlain: break;
  }
  // v_nop and v_clrexcp do not look at src0, unless it announces a second word: whether there is
  // one then is nowhere defined.
  if (row->dst == NONE && source0 == kCodeLiteral) return DecodeStatus::kBadOperand;
  if (row->src[0] != NONE && !VectorSource0(d, *row, source0, kVectorSource0)) {
    return DecodeStatus::kBadOperand;
  }
  return DecodeStatus::kOk;
}

DecodeStatus DecodeVop2(Decoding& d) {
  const uint32_t word = d.word0();
  const OpcodeRow* row = d.SetOpcode(Format::kVop2, Bits(word, 25, 6), Encoding::kVop2);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  const uint32_t source0 = Bits(word, 0, 9);
  const uint32_t source1 = Bits(word, 9, 8);
  if (!VectorDestination(d, *row, Bits(word, 17, 8))) return DecodeStatus::kBadOperand;
  ImplicitMasks(d, *row);
  switch (FormOf(d, *row, source0)) {
    case Form::kNone: return DecodeStatus::kUnknownOpcode;
    case Form::kSdwa: return FormStatus(d, DecodeSdwa(d, *row, source1, false));
    case Form::kDpp: return FormStatus(d, DecodeDpp(d, *row, source1));
    case Form::kPlain: break;
  }
  const bool madmk = row->src[1] == LITERAL;
  const bool madak = row->src[2] == LITERAL;
  // A literal src0 of madmk and madak is the same dword as their constant.
  bool ok = VectorSource0(d, *row, source0, kVectorSource0);
  if (madmk) {
    ok = ok && d.Vgpr(source1, row->src[2], out.src[2]) && d.MandatoryLiteral(row->dst, out.src[1]);
  } else {
    ok = ok && VectorSource1(d, *row, source1);
    if (madak) ok = ok && d.MandatoryLiteral(row->dst, out.src[2]);
  }
  return ok ? DecodeStatus::kOk : DecodeStatus::kBadOperand;
}

DecodeStatus DecodeVopc(Decoding& d) {
  const uint32_t word = d.word0();
  const OpcodeRow* row = d.SetOpcode(Format::kVopc, Bits(word, 17, 8), Encoding::kVopc);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  d.out().dst = ImplicitVcc();
  const uint32_t source0 = Bits(word, 0, 9);
  const uint32_t source1 = Bits(word, 9, 8);
  switch (FormOf(d, *row, source0)) {
    case Form::kNone: return DecodeStatus::kUnknownOpcode;
    case Form::kSdwa: return FormStatus(d, DecodeSdwa(d, *row, source1, true));
    case Form::kDpp: return FormStatus(d, DecodeDpp(d, *row, source1));
    case Form::kPlain: break;
  }
  return VectorSource0(d, *row, source0, kVectorSource0) && VectorSource1(d, *row, source1)
             ? DecodeStatus::kOk
             : DecodeStatus::kBadOperand;
}

}  // namespace gcnjit::frontend::decoder_internal
