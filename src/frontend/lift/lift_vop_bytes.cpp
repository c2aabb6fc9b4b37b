// Byte permutation and the packed byte operations of video codecs.
#include "frontend/lift/integer_ops.h"

namespace gcnjit::frontend {
namespace {

Value ByteOf(ir::Builder& b, Value v, uint32_t n) {
  if (n == 3) return b.Lshr(v, 24);
  return b.And(b.Lshr(v, 8 * n), b.U32(0xFF));
}

// 0xff in each byte of v that is at least `least` (1 to 128), 0 in the others. Adding 128 - least
// carries into a byte's top bit, and no further.
Value BytesFrom(ir::Builder& b, Value v, uint32_t least) {
  const Value low_bits = b.And(v, b.U32(0x7F7F7F7F));
  const Value sum = b.Add(low_bits, b.U32((128 - least) * 0x01010101));
  const Value top = b.And(b.Or(sum, v), b.U32(0x80808080));
  return b.Or(b.Sub(top, b.Lshr(top, 7)), top);
}

Value PermByte(ir::Builder& b, Value high, Value low, Value selectors) {
  return b.Emit(Op::kPermByte, ir::Type::kV32, {high, low, selectors});
}

// The selectors 8 to 11 give the sign of a word, 12 gives 0, those above it 0xff.
Value SpecialSelectors(ir::Builder& b, Value high, Value low, Value selectors, Value chosen) {
  const Value word = b.And(selectors, b.U32(0x03030303));
  const Value top_byte = b.Or(b.Add(word, word), b.U32(0x01010101));
  const Value signs = BytesFrom(b, PermByte(b, high, low, top_byte), 0x80);
  const Value special = BytesFrom(b, selectors, 8);
  const Value constant = BytesFrom(b, selectors, 12);
  const Value ones = BytesFrom(b, selectors, 13);
  const Value sign_or_byte =
      b.Or(b.AndNot(chosen, special), b.AndNot(b.And(signs, special), constant));
  return b.Or(sign_or_byte, ones);
}

Value Difference(ir::Builder& b, Value x, Value y) {
  return b.Sub(b.Binary(Op::kMaxU, x, y), b.Binary(Op::kMinU, x, y));
}

// The same for constant selectors, in which the special ones are mostly 12.
Value ConstantSelectors(ir::Builder& b, Value high, Value low, uint32_t selectors, Value chosen) {
  uint32_t bytes = 0;
  uint32_t signs = 0;
  uint32_t ones = 0;
  uint32_t top_bytes = 0;
  for (uint32_t n = 0; n < 4; ++n) {
    const uint32_t selector = selectors >> (8 * n) & 0xFF;
    const uint32_t byte = 0xFFu << (8 * n);
    if (selector < 8) bytes |= byte;
    if (selector >= 8 && selector < 12) signs |= byte;
    if (selector > 12) ones |= byte;
    top_bytes |= ((selector & 3) * 2 + 1) << (8 * n);
  }
  Value result = b.And(chosen, b.U32(bytes));
  if (signs != 0) {
    const Value words = BytesFrom(b, PermByte(b, high, low, b.U32(top_bytes)), 0x80);
    result = b.Or(result, b.And(words, b.U32(signs)));
  }
  return b.Or(result, b.U32(ones));
}

using SadFn = Value (*)(ir::Builder&, Value, Value);

Value SadBytes(ir::Builder& b, Value x, Value y) {
  Value sum = b.U32(0);
  for (uint32_t n = 0; n < 4; ++n) {
    sum = b.Add(sum, Difference(b, ByteOf(b, x, n), ByteOf(b, y, n)));
  }
  return sum;
}
// Bytes of y that are 0 do not count.
Value SadMaskedBytes(ir::Builder& b, Value x, Value y) {
  Value sum = b.U32(0);
  for (uint32_t n = 0; n < 4; ++n) {
    const Value reference = ByteOf(b, y, n);
    const Value difference = Difference(b, ByteOf(b, x, n), reference);
    sum = b.Add(sum, b.Select(IsZero(b, reference), b.U32(0), difference));
  }
  return sum;
}
Value SadBytesHigh(ir::Builder& b, Value x, Value y) { return b.Shl(SadBytes(b, x, y), 16); }
Value SadWords(ir::Builder& b, Value x, Value y) {
  const Value half = b.U32(0xFFFF);
  const Value low = Difference(b, b.And(x, half), b.And(y, half));
  return b.Add(low, Difference(b, b.Lshr(x, 16), b.Lshr(y, 16)));
}

// src2 + sad(src0, src1)
void Accumulate(Lifter& l, const Instruction& i, SadFn sad) {
  const Value x = l.Src32(i, 0);
  const Value y = l.Src32(i, 1);
  const Value z = l.Src32(i, 2);
  const Value sum = sad(l.b, x, y);
  l.Write32(i, l.Clamps(i) ? AddSaturatedU(l.b, sum, z) : l.b.Add(sum, z));
}

// Four bytes of a 64-bit number, from byte n (0 to 3).
Value DwordAtByte(ir::Builder& b, Value wide, uint32_t n) {
  if (n == 0) return b.Low(wide);
  return Ternary(b, Op::kFshr, b.High(wide), b.Low(wide), b.U32(8 * n));
}

// Four sums with the reference src1 at byte offsets 0 to 3 of src0, accumulated on 16-bit fields.
void QuadSad16(Lifter& l, const Instruction& i, SadFn sad) {
  ir::Builder& b = l.b;
  const Value x = l.Src64(i, 0);
  const Value y = l.Src32(i, 1);
  const Value z = l.Src64(i, 2);
  Value sums[4];
  for (uint32_t n = 0; n < 4; ++n) {
    const Value fields = n < 2 ? b.Low(z) : b.High(z);
    const Value field = n % 2 == 0 ? b.And(fields, b.U32(0xFFFF)) : b.Lshr(fields, 16);
    sums[n] = b.Add(sad(b, DwordAtByte(b, x, n), y), field);
    if (l.Clamps(i)) sums[n] = b.Binary(Op::kMinU, sums[n], b.U32(0xFFFF));
  }
  l.Write64(i, b.Pack(PackHalves(b, sums[0], sums[1]), PackHalves(b, sums[2], sums[3])));
}

}  // namespace

void lift_V_PERM_B32(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value high = l.Src32(i, 0);
  const Value low = l.Src32(i, 1);
  const Value selectors = l.Src32(i, 2);
  const Value chosen = PermByte(b, high, low, b.And(selectors, b.U32(0x07070707)));
  uint64_t n = 0;
  l.Write32(i, b.IsConst(selectors, &n)
                   ? ConstantSelectors(b, high, low, static_cast<uint32_t>(n), chosen)
                   : SpecialSelectors(b, high, low, selectors, chosen));
}

// (a + b + (round & 1)) / 2 of each byte: a + b = 2 * (a & b) + (a ^ b).
void lift_V_LERP_U8(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = l.Src32(i, 0);
  const Value y = l.Src32(i, 1);
  const Value differing = b.Xor(x, y);
  const Value half = b.And(b.Lshr(differing, 1), b.U32(0x7F7F7F7F));
  const Value round = b.And(b.And(differing, l.Src32(i, 2)), b.U32(0x01010101));
  l.Write32(i, b.Add(b.Add(b.And(x, y), half), round));
}

void lift_V_SAT_PK_U8_I16(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value v = l.Src32(i, 0);
  const Value low = ClampS(b, b.Unary(Op::kSext16, v), 0, 255);
  const Value high = ClampS(b, b.Ashr(v, 16), 0, 255);
  l.Write32(i, b.Or(low, b.Shl(high, 8)));
}

void lift_V_CVT_PK_U16_U32(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value low = b.Binary(Op::kMinU, l.Src32(i, 0), b.U32(0xFFFF));
  const Value high = b.Binary(Op::kMinU, l.Src32(i, 1), b.U32(0xFFFF));
  l.Write32(i, b.Or(low, b.Shl(high, 16)));
}
void lift_V_CVT_PK_I16_I32(Lifter& l, const Instruction& i) {
  const Value low = ClampS(l.b, l.Src32(i, 0), -32768, 32767);
  const Value high = ClampS(l.b, l.Src32(i, 1), -32768, 32767);
  l.Write32(i, PackHalves(l.b, low, high));
}

// ---- Sums of absolute differences

void lift_V_SAD_U8(Lifter& l, const Instruction& i) { Accumulate(l, i, SadBytes); }
void lift_V_MSAD_U8(Lifter& l, const Instruction& i) { Accumulate(l, i, SadMaskedBytes); }
void lift_V_SAD_HI_U8(Lifter& l, const Instruction& i) { Accumulate(l, i, SadBytesHigh); }
void lift_V_SAD_U16(Lifter& l, const Instruction& i) { Accumulate(l, i, SadWords); }
void lift_V_SAD_U32(Lifter& l, const Instruction& i) { Accumulate(l, i, Difference); }
void lift_V_QSAD_PK_U16_U8(Lifter& l, const Instruction& i) { QuadSad16(l, i, SadBytes); }
void lift_V_MQSAD_PK_U16_U8(Lifter& l, const Instruction& i) { QuadSad16(l, i, SadMaskedBytes); }
// gfx6's names of the same operations.
void lift_V_QSAD_U8(Lifter& l, const Instruction& i) { QuadSad16(l, i, SadBytes); }
void lift_V_MQSAD_U8(Lifter& l, const Instruction& i) { QuadSad16(l, i, SadMaskedBytes); }

// On 32-bit fields: src2 and dst are four registers.
void lift_V_MQSAD_U32_U8(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  if (i.src[2].kind != OperandKind::kVector) {
    return l.Refuse("v_mqsad_u32_u8 with a third source that is not four VGPRs");
  }
  const Value x = l.Src64(i, 0);
  const Value y = l.Src32(i, 1);
  Value sums[4];
  for (uint32_t n = 0; n < 4; ++n) {
    const Value sad = SadMaskedBytes(b, DwordAtByte(b, x, n), y);
    const Value z = l.Vgpr(static_cast<int>(i.src[2].index + n));
    sums[n] = l.Clamps(i) ? AddSaturatedU(b, sad, z) : b.Add(sad, z);
  }
  for (uint32_t n = 0; n < 4; ++n) l.SetVgpr(static_cast<int>(i.dst.index + n), sums[n]);
}

}  // namespace gcnjit::frontend
