// VOP3P: two 16-bit integer operations a lane, and integer dot products (gfx906). op_sel chooses
// the halves that make the low result, op_sel_hi those that make the high one.
#include "frontend/lift/integer_ops.h"

namespace gcnjit::frontend {
namespace {

// One half of src[n], extended to 32 bits: that of the low (`part` 0) or high result.
Value Half(Lifter& l, const Instruction& i, int n, int part, Sign sign) {
  // Other encodings than VOP3P have no choice.
  const bool selects = i.encoding == Encoding::kVop3p;
  const bool high = selects ? ((part == 0 ? i.op_sel : i.op_sel_hi) >> n & 1) != 0 : part == 1;
  const Value v = l.Src32(i, n);
  if (high) return sign == Sign::kSigned ? l.b.Ashr(v, 16) : l.b.Lshr(v, 16);
  return sign == Sign::kSigned ? l.b.Unary(Op::kSext16, v) : l.b.And(v, l.b.U32(0xFFFF));
}

// dst = f(x, y, part) of both halves of src0 and src1.
template <typename F>
void MapHalves(Lifter& l, const Instruction& i, Sign sign, F f) {
  Value parts[2];
  for (int part = 0; part < 2; ++part) {
    const Value x = Half(l, i, 0, part, sign);
    parts[part] = f(x, Half(l, i, 1, part, sign), part);
  }
  l.Write32(i, PackHalves(l.b, parts[0], parts[1]));
}

void MapOp(Lifter& l, const Instruction& i, Sign sign, Op op) {
  MapHalves(l, i, sign, [&l, op](Value x, Value y, int) { return l.b.Binary(op, x, y); });
}

Value Saturate(ir::Builder& b, Value wide, Sign sign, bool is_difference) {
  if (sign == Sign::kSigned) return ClampS(b, wide, -32768, 32767);
  if (is_difference) return ClampS(b, wide, 0, 0xFFFF);
  return b.Binary(Op::kMinU, wide, b.U32(0xFFFF));
}

void AddOrSub(Lifter& l, const Instruction& i, Sign sign, Op op) {
  MapHalves(l, i, sign, [&](Value x, Value y, int) {
    const Value wide = l.b.Binary(op, x, y);
    return i.clamp ? Saturate(l.b, wide, sign, op == Op::kSub) : wide;
  });
}

// The sum is as wide as it needs to be before it saturates; 32 bits suffice.
void Mad(Lifter& l, const Instruction& i, Sign sign) {
  MapHalves(l, i, sign, [&](Value x, Value y, int part) {
    const Value wide = l.b.Add(l.b.Mul(x, y), Half(l, i, 2, part, sign));
    return i.clamp ? Saturate(l.b, wide, sign, false) : wide;
  });
}

// The shifted value is src1.
template <typename F>
void MapShift(Lifter& l, const Instruction& i, Sign sign, F shift) {
  MapHalves(l, i, sign, [&](Value x, Value y, int) { return shift(y, l.b.And(x, l.b.U32(15))); });
}

// What the products are added to: src[2], or the destination.
Value Addend(Lifter& l, const Instruction& i) {
  return i.row().Has(READS_DST) ? l.Dst32(i) : l.Src32(i, 2);
}

// Field n of `bits` bits.
Value Field(ir::Builder& b, Value v, uint32_t n, uint32_t bits, Sign sign) {
  const Value top = b.Shl(v, 32 - bits - n * bits);
  return sign == Sign::kSigned ? b.Ashr(top, 32 - bits) : b.Lshr(top, 32 - bits);
}

// Products of fields of at most 8 bits: their sum is far from 32 bits.
void DotOfFields(Lifter& l, const Instruction& i, uint32_t bits, Sign sign) {
  ir::Builder& b = l.b;
  const Value x = l.Src32(i, 0);
  const Value y = l.Src32(i, 1);
  const Value z = Addend(l, i);
  Value sum = b.U32(0);
  for (uint32_t n = 0; n < 32 / bits; ++n) {
    sum = b.Add(sum, b.Mul(Field(b, x, n, bits, sign), Field(b, y, n, bits, sign)));
  }
  if (!i.clamp) return l.Write32(i, b.Add(sum, z));
  l.Write32(i, sign == Sign::kSigned ? AddSaturatedS(b, sum, z) : AddSaturatedU(b, sum, z));
}

// Two products of 16 bits: their sum may need more than 32.
void DotOfHalves(Lifter& l, const Instruction& i, Sign sign) {
  ir::Builder& b = l.b;
  const bool is_signed = sign == Sign::kSigned;
  Value products[2];
  for (int part = 0; part < 2; ++part) {
    const Value x = Half(l, i, 0, part, sign);
    products[part] = b.Mul(x, Half(l, i, 1, part, sign));
  }
  const Value z = Addend(l, i);
  if (!i.clamp) return l.Write32(i, b.Add(b.Add(products[0], products[1]), z));
  const auto widen = [&b, is_signed](Value v) { return is_signed ? b.Sext(v) : b.Zext(v); };
  const Value wide = b.Add(b.Add(widen(products[0]), widen(products[1])), widen(z));
  l.Write32(i, is_signed ? SaturateS(b, wide) : SaturateU(b, wide));
}

}  // namespace

void lift_V_PK_MAD_I16(Lifter& l, const Instruction& i) { Mad(l, i, Sign::kSigned); }
void lift_V_PK_MAD_U16(Lifter& l, const Instruction& i) { Mad(l, i, Sign::kUnsigned); }
void lift_V_PK_ADD_I16(Lifter& l, const Instruction& i) { AddOrSub(l, i, Sign::kSigned, Op::kAdd); }
void lift_V_PK_SUB_I16(Lifter& l, const Instruction& i) { AddOrSub(l, i, Sign::kSigned, Op::kSub); }
void lift_V_PK_ADD_U16(Lifter& l, const Instruction& i) {
  AddOrSub(l, i, Sign::kUnsigned, Op::kAdd);
}
void lift_V_PK_SUB_U16(Lifter& l, const Instruction& i) {
  AddOrSub(l, i, Sign::kUnsigned, Op::kSub);
}
void lift_V_PK_MUL_LO_U16(Lifter& l, const Instruction& i) {
  MapOp(l, i, Sign::kUnsigned, Op::kMul);
}
void lift_V_PK_MAX_I16(Lifter& l, const Instruction& i) { MapOp(l, i, Sign::kSigned, Op::kMaxS); }
void lift_V_PK_MIN_I16(Lifter& l, const Instruction& i) { MapOp(l, i, Sign::kSigned, Op::kMinS); }
void lift_V_PK_MAX_U16(Lifter& l, const Instruction& i) { MapOp(l, i, Sign::kUnsigned, Op::kMaxU); }
void lift_V_PK_MIN_U16(Lifter& l, const Instruction& i) { MapOp(l, i, Sign::kUnsigned, Op::kMinU); }

void lift_V_PK_LSHLREV_B16(Lifter& l, const Instruction& i) {
  MapShift(l, i, Sign::kUnsigned, [&l](Value v, Value count) { return l.b.Shl(v, count); });
}
void lift_V_PK_LSHRREV_B16(Lifter& l, const Instruction& i) {
  MapShift(l, i, Sign::kUnsigned, [&l](Value v, Value count) { return l.b.Lshr(v, count); });
}
void lift_V_PK_ASHRREV_I16(Lifter& l, const Instruction& i) {
  MapShift(l, i, Sign::kSigned, [&l](Value v, Value count) { return l.b.Ashr(v, count); });
}

void lift_V_DOT2_I32_I16(Lifter& l, const Instruction& i) { DotOfHalves(l, i, Sign::kSigned); }
void lift_V_DOT2_U32_U16(Lifter& l, const Instruction& i) { DotOfHalves(l, i, Sign::kUnsigned); }
void lift_V_DOT4_I32_I8(Lifter& l, const Instruction& i) { DotOfFields(l, i, 8, Sign::kSigned); }
void lift_V_DOT4_U32_U8(Lifter& l, const Instruction& i) { DotOfFields(l, i, 8, Sign::kUnsigned); }
void lift_V_DOT8_I32_I4(Lifter& l, const Instruction& i) { DotOfFields(l, i, 4, Sign::kSigned); }
void lift_V_DOT8_U32_U4(Lifter& l, const Instruction& i) { DotOfFields(l, i, 4, Sign::kUnsigned); }

void lift_V_DOT2C_I32_I16(Lifter& l, const Instruction& i) { DotOfHalves(l, i, Sign::kSigned); }
void lift_V_DOT4C_I32_I8(Lifter& l, const Instruction& i) { DotOfFields(l, i, 8, Sign::kSigned); }
void lift_V_DOT8C_I32_I4(Lifter& l, const Instruction& i) { DotOfFields(l, i, 4, Sign::kSigned); }

}  // namespace gcnjit::frontend
