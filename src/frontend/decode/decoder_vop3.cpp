// VOP3, VOP3P and VINTRP.
//
// Field positions: GCN3 and Vega ISA manuals, "Microcode formats"; the gfx6-7 VOP3 layout (CLAMP at
// bit 11, nine opcode bits from 17): Southern Islands and Sea Islands manuals.
#include "frontend/decode/decoder_internal.h"

namespace gcnjit::frontend::decoder_internal {

using enum OperandType;

namespace {

// v_interp_* in VOP3: the attribute takes src0's place.
bool Vop3Interpolation(Decoding& d, const OpcodeRow& row) {
  const uint32_t word = d.word1();
  Instruction& out = d.out();
  // The modifiers' bits follow the fields: src[0] is in the second one.
  if (((out.neg | out.abs) & 1) != 0) return false;
  out.neg = static_cast<uint8_t>((out.neg >> 1 & 1) | (out.neg & 4));
  out.abs = static_cast<uint8_t>((out.abs >> 1 & 1) | (out.abs & 4));
  out.op_sel = 0;
  out.attr = static_cast<uint8_t>(Bits(word, 0, 6));
  out.attr_channel = static_cast<uint8_t>(Bits(word, 6, 2));
  out.attr_high = Bit(word, 8);
  const bool f32 = row.names.ends_with("_f32_e64");
  if (f32 && out.attr_high) return false;
  if (row.opcode == Opcode::V_INTERP_MOV_F32_E64) {
    out.imm = static_cast<int32_t>(Bits(word, 9, 9));  // P10, P20, P0
    return Bits(word, 18, 9) == 0;
  }
  const uint32_t source2 = Bits(word, 18, 9);
  if (!d.Source(Bits(word, 9, 9), row.src[0], kAllowVgpr, out.src[0]) ||
      out.src[0].kind == OperandKind::kConstant) {
    return false;
  }
  if (row.src[2] == NONE) return source2 == 0;
  return d.Source(source2, row.src[2], kAllowVgpr, out.src[2]) &&
         out.src[2].kind != OperandKind::kConstant;
}

bool Vop3Sources(Decoding& d, const OpcodeRow& row) {
  const uint32_t word = d.word1();
  Instruction& out = d.out();
  for (size_t i = 0; i < row.src.size(); ++i) {
    const OperandType type = row.src[i];
    const uint32_t code = Bits(word, static_cast<int>(9 * i), 9);
    if (type == NONE) {
      // v_mac's third source is its destination: what the field does then is not known.
      if (code != 0) return false;
      continue;
    }
    if (i == 0) {
      if (!VectorSource0(d, row, code, kAllowVgpr | kAllowLdsDirect)) return false;
      continue;
    }
    const unsigned forms = type == S32 ? kAllowNone : kAllowVgpr;
    if (type == M64 ? !d.ScalarRegister(code, type, out.src[i])
                    : !d.Source(code, type, forms, out.src[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

DecodeStatus DecodeVop3(Decoding& d) {
  const bool gfx8_plus = IsGfx8Plus(d.generation());
  const uint32_t number = gfx8_plus ? Bits(d.word0(), 16, 10) : Bits(d.word0(), 17, 9);
  const OpcodeRow* row = d.SetOpcode(Format::kVop3, number, Encoding::kVop3a);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  const uint32_t word = d.word0();
  Instruction& out = d.out();
  if (!VectorDestination(d, *row, Bits(word, 0, 8))) return DecodeStatus::kBadOperand;
  if (out.encoding == Encoding::kVop3b) {
    if (!d.ScalarRegister(Bits(word, 8, 7), M64, out.sdst)) return DecodeStatus::kBadOperand;
    out.clamp = gfx8_plus && Bit(word, 15);
  } else {
    out.abs = static_cast<uint8_t>(Bits(word, 8, 3));
    out.clamp = Bit(word, gfx8_plus ? 15 : 11);
    // 16-bit rows without an OP_SEL form must have zeros there: hardware may heed the bits.
    if (IsGfx9(d.generation()) && HasHalfOperands(*row))
      out.op_sel = static_cast<uint8_t>(Bits(word, 11, 4));
  }
  out.omod = static_cast<uint8_t>(Bits(d.word1(), 27, 2));
  out.neg = static_cast<uint8_t>(Bits(d.word1(), 29, 3));
  const bool ok = row->Has(INTERPOLATION) ? Vop3Interpolation(d, *row) : Vop3Sources(d, *row);
  return ok && ModifiersAreDefined(d, *row) ? DecodeStatus::kOk : DecodeStatus::kBadOperand;
}

namespace {

// As ModifiersAreDefined, and one op_sel bit a source. op_sel_hi's bit of a missing third source is
// free: assemblers set it.
bool Vop3pModifiersAreDefined(Decoding& d, const OpcodeRow& row) {
  const Instruction& in = d.out();
  uint32_t sources = 0;
  uint32_t floating = 0;
  for (size_t i = 0; i < row.src.size(); ++i) {
    if (row.src[i] == NONE) continue;
    sources |= 1u << i;
    if (IsFloat(row.src[i])) floating |= 1u << i;
  }
  // What CLAMP does to a move is not known.
  if (in.clamp && row.dst == P32B) return false;
  return ((in.neg | in.neg_hi | in.abs) & ~floating) == 0 && (in.op_sel & ~sources) == 0;
}

}  // namespace

DecodeStatus DecodeVop3p(Decoding& d) {
  const OpcodeRow* row = d.SetOpcode(Format::kVop3p, Bits(d.word0(), 16, 7), Encoding::kVop3p);
  if (row == nullptr) return DecodeMai(d);  // the same prefix, and other numbers
  const uint32_t word0 = d.word0();
  const uint32_t word1 = d.word1();
  Instruction& out = d.out();
  if (!VectorDestination(d, *row, Bits(word0, 0, 8))) return DecodeStatus::kBadOperand;
  const auto high_bits = static_cast<uint8_t>(Bits(word0, 8, 3));
  // v_mad_mix and v_fma_mix use NEG_HI as ABS (Vega manual, VOP3P).
  (row->src[0] == MIX ? out.abs : out.neg_hi) = high_bits;
  out.op_sel = static_cast<uint8_t>(Bits(word0, 11, 3));
  out.op_sel_hi = static_cast<uint8_t>(Bits(word1, 27, 2) | Bits(word0, 14, 1) << 2);
  out.clamp = Bit(word0, 15);
  out.neg = static_cast<uint8_t>(Bits(word1, 29, 3));
  for (size_t i = 0; i < row->src.size(); ++i) {
    const OperandType type = row->src[i];
    if (type == NONE) continue;
    const unsigned forms = i == 0 ? kAllowVgpr | kAllowLdsDirect : kAllowVgpr;
    const uint32_t code = Bits(word1, static_cast<int>(9 * i), 9);
    if (!d.Source(code, type, forms, out.src[i])) return DecodeStatus::kBadOperand;
    const bool f16 = type == MIX && ((out.op_sel_hi >> i) & 1) != 0;
    if (f16 && out.src[i].kind == OperandKind::kConstant) {
      out.src[i].value = InlineConstant(code, F16);
    }
  }
  return Vop3pModifiersAreDefined(d, *row) ? DecodeStatus::kOk : DecodeStatus::kBadOperand;
}

DecodeStatus DecodeVintrp(Decoding& d) {
  const uint32_t word = d.word0();
  const OpcodeRow* row = d.SetOpcode(Format::kVintrp, Bits(word, 16, 2), Encoding::kVintrp);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  Instruction& out = d.out();
  out.attr = static_cast<uint8_t>(Bits(word, 10, 6));
  out.attr_channel = static_cast<uint8_t>(Bits(word, 8, 2));
  if (!d.Vgpr(Bits(word, 18, 8), F32, out.dst)) return DecodeStatus::kBadOperand;
  if (row->opcode == Opcode::V_INTERP_MOV_F32) {
    out.imm = static_cast<int32_t>(Bits(word, 0, 8));  // P10, P20, P0
    return DecodeStatus::kOk;
  }
  return d.Vgpr(Bits(word, 0, 8), F32, out.src[0]) ? DecodeStatus::kOk : DecodeStatus::kBadOperand;
}

}  // namespace gcnjit::frontend::decoder_internal
