// SOP2. Semantics: CLRX GcnInstrsSop2; Vega manual.
#include "frontend/lift/lift_scalar.h"

namespace gcnjit::frontend {
namespace {

// SCC = the result is not 0.
template <typename F>
void BinaryScc32(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources32(l, i);
  if (s.ok) WriteNonZero(l, i, f(s.a, s.b));
}
template <typename F>
void BinaryScc64(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources64(l, i);
  if (s.ok) WriteNonZero(l, i, f(s.a, s.b));
}
template <typename F>
void SccShift64(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources64And32(l, i);
  if (s.ok) WriteNonZero(l, i, f(s.a, s.b));
}
// SCC stays.
template <typename F>
void Plain32(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources32(l, i);
  if (s.ok) l.WriteScalar32(i.dst, f(s.a, s.b));
}
template <typename F>
void Plain64(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources64(l, i);
  if (s.ok) l.WriteScalar64(i.dst, f(s.a, s.b));
}

void Write(Lifter& l, const Instruction& i, Value result, Value scc) {
  l.WriteScalar32(i.dst, result);
  l.SetScc(scc);
}

// Both source signs differ from the result's (sum), or the sources' signs differ and so does the
// result's from the first (difference).
void AddSigned(Lifter& l, const Instruction& i) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  const Value sum = l.b.Add(s.a, s.b);
  Write(l, i, sum, Negative(l, l.b.And(l.b.Xor(s.a, sum), l.b.Xor(s.b, sum))));
}
void SubSigned(Lifter& l, const Instruction& i) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  const Value difference = l.b.Sub(s.a, s.b);
  Write(l, i, difference, Negative(l, l.b.And(l.b.Xor(s.a, s.b), l.b.Xor(s.a, difference))));
}

// SCC = the first source was chosen, by a strict comparison.
void ScalarMinMax(Lifter& l, const Instruction& i, Op op, Op less, bool maximum) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  const Value scc = maximum ? l.b.Compare(less, s.b, s.a) : l.b.Compare(less, s.a, s.b);
  Write(l, i, l.b.Binary(op, s.a, s.b), scc);
}

// SCC = the sum, bits shifted out included, does not fit.
void ShiftAdd(Lifter& l, const Instruction& i, uint32_t shift) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  const Value sum = l.b.Add(l.b.Shl(s.a, shift), s.b);
  const Value lost = l.b.Compare(Op::kLtU, l.b.U32(~0u >> shift), s.a);
  Write(l, i, sum, l.b.Or(lost, l.b.Compare(Op::kLtU, sum, s.b)));
}

// The field of s_bfe_*: offset in S1[4:0] (S1[5:0] for 64 bits), width in S1[22:16]. What lies past
// the top is absent, so that a field of the whole width or more is a plain shift.
Value ExtractField(Lifter& l, Value v, Value descriptor, bool is_signed) {
  const ir::Type type = l.b.TypeOf(v);
  const uint32_t bits = ir::Is64(type) ? 64 : 32;
  const Value shifted = is_signed ? l.b.Ashr(v, descriptor) : l.b.Lshr(v, descriptor);
  const Value zero = l.b.Const(type, 0);
  const auto sign_extend = [&](Value unused) { return l.b.Ashr(l.b.Shl(shifted, unused), unused); };
  uint64_t constant = 0;
  if (l.b.IsConst(descriptor, &constant)) {
    const uint32_t width = constant >> 16 & 0x7F;
    if (width == 0) return zero;
    if (width >= bits) return shifted;
    if (is_signed) return sign_extend(l.b.U32(bits - width));
    return l.b.And(shifted, l.b.Const(type, (uint64_t{1} << width) - 1));
  }
  const Value width = l.b.And(l.b.Lshr(descriptor, 16), l.b.U32(0x7F));
  const Value limit = l.b.U32(bits);
  if (is_signed) {
    const Value unused = l.b.Sub(limit, l.b.Binary(Op::kMinU, width, limit));
    return l.b.Select(NonZero(l, width), sign_extend(unused), zero);
  }
  const Value one = l.b.Const(type, 1);
  const Value field = l.b.And(shifted, l.b.Sub(l.b.Shl(one, width), one));
  return l.b.Select(l.b.Compare(Op::kLtU, width, limit), field, shifted);
}

// S0 ones from bit S1 up; fewer ones than the width.
void FieldMask(Lifter& l, const Instruction& i, bool is_64) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  const Value one = is_64 ? l.b.U64(1) : l.b.U32(1);
  const Value mask = l.b.Shl(l.b.Sub(l.b.Shl(one, s.a), one), s.b);
  if (is_64) {
    l.WriteScalar64(i.dst, mask);
  } else {
    l.WriteScalar32(i.dst, mask);
  }
}

Value AbsDifference(Lifter& l, Value x, Value y) {
  const Value difference = l.b.Sub(x, y);
  return l.b.Binary(Op::kMaxS, difference, l.b.Sub(l.b.U32(0), difference));
}

}  // namespace

void lift_S_ADD_U32(Lifter& l, const Instruction& i) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  const Value sum = l.b.Add(s.a, s.b);
  Write(l, i, sum, l.b.Compare(Op::kLtU, sum, s.a));
}
void lift_S_SUB_U32(Lifter& l, const Instruction& i) {
  const Sources s = Sources32(l, i);
  if (s.ok) Write(l, i, l.b.Sub(s.a, s.b), l.b.Compare(Op::kLtU, s.a, s.b));
}
void lift_S_ADDC_U32(Lifter& l, const Instruction& i) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  const Value carry = l.b.BoolToU32(l.Scc());
  const Value partial = l.b.Add(s.a, s.b);
  const Value sum = l.b.Add(partial, carry);
  Write(l, i, sum,
        l.b.Or(l.b.Compare(Op::kLtU, partial, s.a), l.b.Compare(Op::kLtU, sum, partial)));
}
void lift_S_SUBB_U32(Lifter& l, const Instruction& i) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  const Value borrow = l.b.BoolToU32(l.Scc());
  const Value partial = l.b.Sub(s.a, s.b);
  Write(l, i, l.b.Sub(partial, borrow),
        l.b.Or(l.b.Compare(Op::kLtU, s.a, s.b), l.b.Compare(Op::kLtU, partial, borrow)));
}
void lift_S_ADD_I32(Lifter& l, const Instruction& i) { AddSigned(l, i); }
void lift_S_SUB_I32(Lifter& l, const Instruction& i) { SubSigned(l, i); }

void lift_S_MIN_I32(Lifter& l, const Instruction& i) {
  ScalarMinMax(l, i, Op::kMinS, Op::kLtS, false);
}
void lift_S_MIN_U32(Lifter& l, const Instruction& i) {
  ScalarMinMax(l, i, Op::kMinU, Op::kLtU, false);
}
void lift_S_MAX_I32(Lifter& l, const Instruction& i) {
  ScalarMinMax(l, i, Op::kMaxS, Op::kLtS, true);
}
void lift_S_MAX_U32(Lifter& l, const Instruction& i) {
  ScalarMinMax(l, i, Op::kMaxU, Op::kLtU, true);
}

// clang-format off
#define BINARY(id, form, expression) \
  void lift_##id(Lifter& l, const Instruction& i) { form(l, i, [&](Value x, Value y) { return expression; }); }

BINARY(S_CSELECT_B32, Plain32, l.b.Select(l.Scc(), x, y))
BINARY(S_CSELECT_B64, Plain64, l.b.Select(l.Scc(), x, y))
BINARY(S_AND_B32,   BinaryScc32, l.b.And(x, y))
BINARY(S_AND_B64,   BinaryScc64, l.b.And(x, y))
BINARY(S_OR_B32,    BinaryScc32, l.b.Or(x, y))
BINARY(S_OR_B64,    BinaryScc64, l.b.Or(x, y))
BINARY(S_XOR_B32,   BinaryScc32, l.b.Xor(x, y))
BINARY(S_XOR_B64,   BinaryScc64, l.b.Xor(x, y))
BINARY(S_ANDN2_B32, BinaryScc32, l.b.AndNot(x, y))
BINARY(S_ANDN2_B64, BinaryScc64, l.b.AndNot(x, y))
BINARY(S_ORN2_B32,  BinaryScc32, l.b.Or(x, l.b.Not(y)))
BINARY(S_ORN2_B64,  BinaryScc64, l.b.Or(x, l.b.Not(y)))
BINARY(S_NAND_B32,  BinaryScc32, l.b.Not(l.b.And(x, y)))
BINARY(S_NAND_B64,  BinaryScc64, l.b.Not(l.b.And(x, y)))
BINARY(S_NOR_B32,   BinaryScc32, l.b.Not(l.b.Or(x, y)))
BINARY(S_NOR_B64,   BinaryScc64, l.b.Not(l.b.Or(x, y)))
BINARY(S_XNOR_B32,  BinaryScc32, l.b.Not(l.b.Xor(x, y)))
BINARY(S_XNOR_B64,  BinaryScc64, l.b.Not(l.b.Xor(x, y)))
BINARY(S_LSHL_B32,  BinaryScc32, l.b.Shl(x, y))
BINARY(S_LSHL_B64,  SccShift64, l.b.Shl(x, y))
BINARY(S_LSHR_B32,  BinaryScc32, l.b.Lshr(x, y))
BINARY(S_LSHR_B64,  SccShift64, l.b.Lshr(x, y))
BINARY(S_ASHR_I32,  BinaryScc32, l.b.Ashr(x, y))
BINARY(S_ASHR_I64,  SccShift64, l.b.Ashr(x, y))
BINARY(S_BFE_U32,   BinaryScc32, ExtractField(l, x, y, false))
BINARY(S_BFE_I32,   BinaryScc32, ExtractField(l, x, y, true))
BINARY(S_BFE_U64,   SccShift64, ExtractField(l, x, y, false))
BINARY(S_BFE_I64,   SccShift64, ExtractField(l, x, y, true))
BINARY(S_ABSDIFF_I32, BinaryScc32, AbsDifference(l, x, y))
BINARY(S_MUL_I32,     Plain32, l.b.Mul(x, y))
BINARY(S_MUL_HI_U32,  Plain32, l.b.Binary(Op::kMulHiU, x, y))
BINARY(S_MUL_HI_I32,  Plain32, l.b.Binary(Op::kMulHiS, x, y))
BINARY(S_PACK_LL_B32_B16, Plain32, l.b.Or(l.b.And(x, l.b.U32(0xFFFF)), l.b.Shl(y, 16)))
BINARY(S_PACK_LH_B32_B16, Plain32, l.b.Or(l.b.And(x, l.b.U32(0xFFFF)), l.b.And(y, l.b.U32(0xFFFF0000))))
BINARY(S_PACK_HH_B32_B16, Plain32, l.b.Or(l.b.Lshr(x, 16), l.b.And(y, l.b.U32(0xFFFF0000))))

#undef BINARY
// clang-format on

void lift_S_BFM_B32(Lifter& l, const Instruction& i) { FieldMask(l, i, false); }
void lift_S_BFM_B64(Lifter& l, const Instruction& i) { FieldMask(l, i, true); }

void lift_S_LSHL1_ADD_U32(Lifter& l, const Instruction& i) { ShiftAdd(l, i, 1); }
void lift_S_LSHL2_ADD_U32(Lifter& l, const Instruction& i) { ShiftAdd(l, i, 2); }
void lift_S_LSHL3_ADD_U32(Lifter& l, const Instruction& i) { ShiftAdd(l, i, 3); }
void lift_S_LSHL4_ADD_U32(Lifter& l, const Instruction& i) { ShiftAdd(l, i, 4); }

}  // namespace gcnjit::frontend
