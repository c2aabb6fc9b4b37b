// 16-bit integers (gfx8-9). Results zero the upper half of the register, except those of the gfx9
// rows with op_sel, which keep the half they do not write.
#include "frontend/lift/integer_ops.h"

namespace gcnjit::frontend {
namespace {

constexpr bool kZeroUpperHalf = false;
constexpr bool kKeepOtherHalf = true;

Value Source(Lifter& l, const Instruction& i, int n, Sign sign) {
  return sign == Sign::kSigned ? l.SrcI16(i, n) : l.Src16(i, n);
}

// Writes a 32-bit result, saturated under clamp. `is_difference`: an unsigned one may be negative.
void Finish(Lifter& l, const Instruction& i, Sign sign, bool keep, Value wide,
            bool is_difference = false) {
  if (l.Clamps(i)) {
    wide = sign == Sign::kSigned ? ClampS(l.b, wide, -32768, 32767)
           : is_difference       ? ClampS(l.b, wide, 0, 0xFFFF)
                                 : l.b.Binary(Op::kMinU, wide, l.b.U32(0xFFFF));
  }
  l.Write16(i, wide, keep);
}

void Binary(Lifter& l, const Instruction& i, Sign sign, bool keep, Op op) {
  const Value x = Source(l, i, 0, sign);
  const Value y = Source(l, i, 1, sign);
  Finish(l, i, sign, keep, l.b.Binary(op, x, y), op == Op::kSub);
}

void Mad(Lifter& l, const Instruction& i, Sign sign, bool keep) {
  const Value x = Source(l, i, 0, sign);
  const Value y = Source(l, i, 1, sign);
  // At most 0xffff * 0xffff + 0xffff, which fits.
  Finish(l, i, sign, keep, l.b.Add(l.b.Mul(x, y), Source(l, i, 2, sign)));
}

void Fold3(Lifter& l, const Instruction& i, Sign sign, Op op) {
  const Value x = Source(l, i, 0, sign);
  const Value y = Source(l, i, 1, sign);
  const Value z = Source(l, i, 2, sign);
  l.Write16(i, l.b.Binary(op, l.b.Binary(op, x, y), z), kKeepOtherHalf);
}

void Median(Lifter& l, const Instruction& i, Sign sign, Op min, Op max) {
  ir::Builder& b = l.b;
  const Value x = Source(l, i, 0, sign);
  const Value y = Source(l, i, 1, sign);
  const Value z = Source(l, i, 2, sign);
  const Value upper = b.Binary(min, b.Binary(max, x, y), z);
  l.Write16(i, b.Binary(max, b.Binary(min, x, y), upper), kKeepOtherHalf);
}

Value Count(Lifter& l, const Instruction& i) { return l.b.And(l.Src16(i, 0), l.b.U32(15)); }

}  // namespace

void lift_V_ADD_U16(Lifter& l, const Instruction& i) {
  Binary(l, i, Sign::kUnsigned, kZeroUpperHalf, Op::kAdd);
}
void lift_V_SUB_U16(Lifter& l, const Instruction& i) {
  Binary(l, i, Sign::kUnsigned, kZeroUpperHalf, Op::kSub);
}
void lift_V_SUBREV_U16(Lifter& l, const Instruction& i) {
  const Value x = l.Src16(i, 0);
  Finish(l, i, Sign::kUnsigned, kZeroUpperHalf, l.b.Sub(l.Src16(i, 1), x), true);
}
void lift_V_MUL_LO_U16(Lifter& l, const Instruction& i) {
  Binary(l, i, Sign::kUnsigned, kZeroUpperHalf, Op::kMul);
}
void lift_V_ADD_I16(Lifter& l, const Instruction& i) {
  Binary(l, i, Sign::kSigned, kKeepOtherHalf, Op::kAdd);
}
void lift_V_SUB_I16(Lifter& l, const Instruction& i) {
  Binary(l, i, Sign::kSigned, kKeepOtherHalf, Op::kSub);
}

void lift_V_LSHLREV_B16(Lifter& l, const Instruction& i) {
  const Value count = Count(l, i);
  l.Write16(i, l.b.Shl(l.Src16(i, 1), count));
}
void lift_V_LSHRREV_B16(Lifter& l, const Instruction& i) {
  const Value count = Count(l, i);
  l.Write16(i, l.b.Lshr(l.Src16(i, 1), count));
}
void lift_V_ASHRREV_I16(Lifter& l, const Instruction& i) {
  const Value count = Count(l, i);
  l.Write16(i, l.b.Ashr(l.SrcI16(i, 1), count));
}

void lift_V_MIN_U16(Lifter& l, const Instruction& i) {
  Binary(l, i, Sign::kUnsigned, kZeroUpperHalf, Op::kMinU);
}
void lift_V_MAX_U16(Lifter& l, const Instruction& i) {
  Binary(l, i, Sign::kUnsigned, kZeroUpperHalf, Op::kMaxU);
}
void lift_V_MIN_I16(Lifter& l, const Instruction& i) {
  Binary(l, i, Sign::kSigned, kZeroUpperHalf, Op::kMinS);
}
void lift_V_MAX_I16(Lifter& l, const Instruction& i) {
  Binary(l, i, Sign::kSigned, kZeroUpperHalf, Op::kMaxS);
}
void lift_V_MIN3_U16(Lifter& l, const Instruction& i) { Fold3(l, i, Sign::kUnsigned, Op::kMinU); }
void lift_V_MAX3_U16(Lifter& l, const Instruction& i) { Fold3(l, i, Sign::kUnsigned, Op::kMaxU); }
void lift_V_MIN3_I16(Lifter& l, const Instruction& i) { Fold3(l, i, Sign::kSigned, Op::kMinS); }
void lift_V_MAX3_I16(Lifter& l, const Instruction& i) { Fold3(l, i, Sign::kSigned, Op::kMaxS); }
void lift_V_MED3_U16(Lifter& l, const Instruction& i) {
  Median(l, i, Sign::kUnsigned, Op::kMinU, Op::kMaxU);
}
void lift_V_MED3_I16(Lifter& l, const Instruction& i) {
  Median(l, i, Sign::kSigned, Op::kMinS, Op::kMaxS);
}

void lift_V_MAD_LEGACY_U16(Lifter& l, const Instruction& i) {
  Mad(l, i, Sign::kUnsigned, kZeroUpperHalf);
}
void lift_V_MAD_LEGACY_I16(Lifter& l, const Instruction& i) {
  Mad(l, i, Sign::kSigned, kZeroUpperHalf);
}
void lift_V_MAD_U16(Lifter& l, const Instruction& i) { Mad(l, i, Sign::kUnsigned, kKeepOtherHalf); }
void lift_V_MAD_I16(Lifter& l, const Instruction& i) { Mad(l, i, Sign::kSigned, kKeepOtherHalf); }

// 16-bit factors, 32-bit sum.
void lift_V_MAD_U32_U16(Lifter& l, const Instruction& i) {
  const Value x = l.Src16(i, 0);
  const Value product = l.b.Mul(x, l.Src16(i, 1));
  const Value z = l.Src32(i, 2);
  l.Write32(i, l.Clamps(i) ? AddSaturatedU(l.b, product, z) : l.b.Add(product, z));
}
void lift_V_MAD_I32_I16(Lifter& l, const Instruction& i) {
  const Value x = l.SrcI16(i, 0);
  const Value product = l.b.Mul(x, l.SrcI16(i, 1));
  const Value z = l.Src32(i, 2);
  l.Write32(i, l.Clamps(i) ? AddSaturatedS(l.b, product, z) : l.b.Add(product, z));
}

}  // namespace gcnjit::frontend
