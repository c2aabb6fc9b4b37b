// SOPK. Semantics: CLRX GcnInstrsSopk; Vega manual. Hardware registers: lift_hwreg.cpp. Forks are
// the interpreter's.
#include "frontend/lift/lift_scalar.h"

namespace gcnjit::frontend {
namespace {

Value Immediate(Lifter& l, const Instruction& i) { return l.b.U32(static_cast<uint32_t>(i.imm)); }

void CompareK(Lifter& l, const Instruction& i, Op op) {
  l.SetScc(l.b.Compare(op, l.Scalar32(i.src[0]), Immediate(l, i)));
}
void CompareKSwapped(Lifter& l, const Instruction& i, Op op) {
  l.SetScc(l.b.Compare(op, Immediate(l, i), l.Scalar32(i.src[0])));
}

}  // namespace

// clang-format off
#define COMPARE(id, form, op) void lift_##id(Lifter& l, const Instruction& i) { form(l, i, Op::op); }

COMPARE(S_CMPK_EQ_I32, CompareK,        kEq)
COMPARE(S_CMPK_LG_I32, CompareK,        kNe)
COMPARE(S_CMPK_GT_I32, CompareKSwapped, kLtS)
COMPARE(S_CMPK_GE_I32, CompareKSwapped, kLeS)
COMPARE(S_CMPK_LT_I32, CompareK,        kLtS)
COMPARE(S_CMPK_LE_I32, CompareK,        kLeS)
COMPARE(S_CMPK_EQ_U32, CompareK,        kEq)
COMPARE(S_CMPK_LG_U32, CompareK,        kNe)
COMPARE(S_CMPK_GT_U32, CompareKSwapped, kLtU)
COMPARE(S_CMPK_GE_U32, CompareKSwapped, kLeU)
COMPARE(S_CMPK_LT_U32, CompareK,        kLtU)
COMPARE(S_CMPK_LE_U32, CompareK,        kLeU)

#undef COMPARE
// clang-format on

void lift_S_MOVK_I32(Lifter& l, const Instruction& i) { l.WriteScalar32(i.dst, Immediate(l, i)); }
void lift_S_CMOVK_I32(Lifter& l, const Instruction& i) {
  l.WriteScalar32(i.dst, l.b.Select(l.Scc(), Immediate(l, i), l.Scalar32(i.dst)));
}

void lift_S_ADDK_I32(Lifter& l, const Instruction& i) {
  const Value old = l.Scalar32(i.dst);
  const Value immediate = Immediate(l, i);
  const Value sum = l.b.Add(old, immediate);
  l.WriteScalar32(i.dst, sum);
  l.SetScc(Negative(l, l.b.And(l.b.Xor(old, sum), l.b.Xor(immediate, sum))));
}

void lift_S_MULK_I32(Lifter& l, const Instruction& i) {
  l.WriteScalar32(i.dst, l.b.Mul(l.Scalar32(i.dst), Immediate(l, i)));
}

void lift_S_CALL_B64(Lifter& l, const Instruction& i) {
  l.WriteScalar64(i.dst, l.NextPcValue());
  l.Jump(LabelTarget(l, i));
}

}  // namespace gcnjit::frontend
