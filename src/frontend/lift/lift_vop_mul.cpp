// Integer multiplication. The 24-bit forms take the low 24 bits of their factors.
#include "frontend/lift/integer_ops.h"

namespace gcnjit::frontend {
namespace {

Value Src24(Lifter& l, const Instruction& i, int n, Sign sign) {
  const Value v = l.Src32(i, n);
  if (sign == Sign::kUnsigned) return l.b.And(v, l.b.U32(0xFFFFFF));
  return l.b.Ashr(l.b.Shl(v, 8), 8);
}

void Mul(Lifter& l, const Instruction& i, Op op) {
  const Value a = l.Src32(i, 0);
  l.Write32(i, l.b.Binary(op, a, l.Src32(i, 1)));
}

void MulHigh24(Lifter& l, const Instruction& i, Sign sign) {
  const Value a = Src24(l, i, 0, sign);
  const Value c = Src24(l, i, 1, sign);
  l.Write32(i, l.b.Binary(sign == Sign::kSigned ? Op::kMulHiS : Op::kMulHiU, a, c));
}

// src0 * src1, plus src2 if there is one; exact before it saturates under clamp.
void Mad24(Lifter& l, const Instruction& i, Sign sign, bool adds) {
  ir::Builder& b = l.b;
  const bool is_signed = sign == Sign::kSigned;
  const Value x = Src24(l, i, 0, sign);
  const Value y = Src24(l, i, 1, sign);
  if (!l.Clamps(i)) {
    const Value product = b.Mul(x, y);
    return l.Write32(i, adds ? b.Add(product, l.Src32(i, 2)) : product);
  }
  Value wide = b.Binary(is_signed ? Op::kMulWideS : Op::kMulWideU, x, y);
  if (adds) {
    const Value z = l.Src32(i, 2);
    wide = b.Add(wide, is_signed ? b.Sext(z) : b.Zext(z));
  }
  l.Write32(i, is_signed ? SaturateS(b, wide) : SaturateU(b, wide));
}

}  // namespace

void lift_V_MUL_LO_U32(Lifter& l, const Instruction& i) { Mul(l, i, Op::kMul); }
void lift_V_MUL_LO_I32(Lifter& l, const Instruction& i) { Mul(l, i, Op::kMul); }
void lift_V_MUL_HI_U32(Lifter& l, const Instruction& i) { Mul(l, i, Op::kMulHiU); }
void lift_V_MUL_HI_I32(Lifter& l, const Instruction& i) { Mul(l, i, Op::kMulHiS); }

void lift_V_MUL_I32_I24(Lifter& l, const Instruction& i) { Mad24(l, i, Sign::kSigned, false); }
void lift_V_MUL_U32_U24(Lifter& l, const Instruction& i) { Mad24(l, i, Sign::kUnsigned, false); }
void lift_V_MAD_I32_I24(Lifter& l, const Instruction& i) { Mad24(l, i, Sign::kSigned, true); }
void lift_V_MAD_U32_U24(Lifter& l, const Instruction& i) { Mad24(l, i, Sign::kUnsigned, true); }
void lift_V_MUL_HI_I32_I24(Lifter& l, const Instruction& i) { MulHigh24(l, i, Sign::kSigned); }
void lift_V_MUL_HI_U32_U24(Lifter& l, const Instruction& i) { MulHigh24(l, i, Sign::kUnsigned); }

}  // namespace gcnjit::frontend
