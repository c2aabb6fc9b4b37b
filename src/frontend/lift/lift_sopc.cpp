// SOPC. Semantics: CLRX GcnInstrsSopc; Vega manual. What sets modes is the interpreter's.
#include "frontend/lift/lift_scalar.h"

namespace gcnjit::frontend {
namespace {

void Compare32(Lifter& l, const Instruction& i, Op op) {
  const Sources s = Sources32(l, i);
  if (s.ok) l.SetScc(l.b.Compare(op, s.a, s.b));
}
void Compare64(Lifter& l, const Instruction& i, Op op) {
  const Sources s = Sources64(l, i);
  if (s.ok) l.SetScc(l.b.Compare(op, s.a, s.b));
}
// IR has less-than only: greater-than is that of the operands exchanged.
void CompareSwapped(Lifter& l, const Instruction& i, Op op) {
  const Sources s = Sources32(l, i);
  if (s.ok) l.SetScc(l.b.Compare(op, s.b, s.a));
}

// SCC = bit S1 of S0 is 0 (kEq) or 1 (kNe).
void BitCompare(Lifter& l, const Instruction& i, bool is_64, Op op) {
  const Sources s = is_64 ? Sources64And32(l, i) : Sources32(l, i);
  if (!s.ok) return;
  const ir::Type type = l.b.TypeOf(s.a);
  const Value bit = l.b.And(l.b.Lshr(s.a, s.b), l.b.Const(type, 1));
  l.SetScc(l.b.Compare(op, bit, l.b.Const(type, 0)));
}

}  // namespace

// clang-format off
#define COMPARE(id, form, op) void lift_##id(Lifter& l, const Instruction& i) { form(l, i, Op::op); }

COMPARE(S_CMP_EQ_I32, Compare32,      kEq)
COMPARE(S_CMP_LG_I32, Compare32,      kNe)
COMPARE(S_CMP_GT_I32, CompareSwapped, kLtS)
COMPARE(S_CMP_GE_I32, CompareSwapped, kLeS)
COMPARE(S_CMP_LT_I32, Compare32,      kLtS)
COMPARE(S_CMP_LE_I32, Compare32,      kLeS)
COMPARE(S_CMP_EQ_U32, Compare32,      kEq)
COMPARE(S_CMP_LG_U32, Compare32,      kNe)
COMPARE(S_CMP_GT_U32, CompareSwapped, kLtU)
COMPARE(S_CMP_GE_U32, CompareSwapped, kLeU)
COMPARE(S_CMP_LT_U32, Compare32,      kLtU)
COMPARE(S_CMP_LE_U32, Compare32,      kLeU)
COMPARE(S_CMP_EQ_U64, Compare64,      kEq)
COMPARE(S_CMP_LG_U64, Compare64,      kNe)

#undef COMPARE
// clang-format on

void lift_S_BITCMP0_B32(Lifter& l, const Instruction& i) { BitCompare(l, i, false, Op::kEq); }
void lift_S_BITCMP1_B32(Lifter& l, const Instruction& i) { BitCompare(l, i, false, Op::kNe); }
void lift_S_BITCMP0_B64(Lifter& l, const Instruction& i) { BitCompare(l, i, true, Op::kEq); }
void lift_S_BITCMP1_B64(Lifter& l, const Instruction& i) { BitCompare(l, i, true, Op::kNe); }

}  // namespace gcnjit::frontend
