// SOP1. Semantics: CLRX GcnInstrsSop1; Vega manual.
#include "frontend/lift/lift_scalar.h"

namespace gcnjit::frontend {
namespace {

template <typename F>
void Unary32(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources32(l, i);
  if (s.ok) l.WriteScalar32(i.dst, f(s.a));
}
template <typename F>
void Unary64(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources64(l, i);
  if (s.ok) l.WriteScalar64(i.dst, f(s.a));
}
// 64-bit source, 32-bit result.
template <typename F>
void Count64(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources64(l, i);
  if (s.ok) l.WriteScalar32(i.dst, f(s.a));
}
// SCC = the result is not 0.
template <typename F>
void UnaryScc32(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources32(l, i);
  if (s.ok) WriteNonZero(l, i, f(s.a));
}
template <typename F>
void UnaryScc64(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources64(l, i);
  if (s.ok) WriteNonZero(l, i, f(s.a));
}

// kCtz or kClz; -1 where there is nothing to find.
Value Find(Lifter& l, Op op, Value v) {
  return l.b.Select(NonZero(l, v), l.b.Unary(op, v), l.b.U32(~0u));
}
// Zeros where the bits equal the sign bit.
Value WithoutSign(Lifter& l, Value v) {
  return l.b.Xor(v, l.b.Ashr(v, ir::Is64(l.b.TypeOf(v)) ? 63u : 31u));
}

// A constant of v's type that repeats `pattern`.
Value Repeated(Lifter& l, Value v, uint64_t pattern) { return l.b.Const(l.b.TypeOf(v), pattern); }

// Bit 4n: any of bits 4n..4n+3.
Value AnyOfQuad(Lifter& l, Value v) {
  v = l.b.Or(v, l.b.Lshr(v, 1));
  v = l.b.Or(v, l.b.Lshr(v, 2));
  return l.b.And(v, Repeated(l, v, 0x1111111111111111));
}
// Times 15: the bit four times.
Value WholeQuad(Lifter& l, Value v) {
  const Value any = AnyOfQuad(l, v);
  return l.b.Sub(l.b.Shl(any, 4), any);
}
// Gathers bits 0, 4, 8... at the bottom, doubling the groups' size in each step.
Value QuadMask(Lifter& l, Value v) {
  struct Step {
    uint32_t shift;
    uint64_t keep;
  };
  constexpr Step kSteps[] = {{3, 0x0303030303030303},
                             {6, 0x000F000F000F000F},
                             {12, 0x000000FF000000FF},
                             {24, 0x000000000000FFFF}};
  Value mask = AnyOfQuad(l, v);
  const int steps = ir::Is64(l.b.TypeOf(v)) ? 4 : 3;
  for (int n = 0; n < steps; ++n) {
    mask = l.b.Or(mask, l.b.Lshr(mask, kSteps[n].shift));
    mask = l.b.And(mask, Repeated(l, mask, kSteps[n].keep));
  }
  return mask;
}

// Sets or clears a bit of the destination.
void BitSet(Lifter& l, const Instruction& i, bool is_64, bool value) {
  const Value number = l.Scalar32(i.src[0]);
  if (!l.refusal().empty()) return;
  const Value bit = l.b.Shl(is_64 ? l.b.U64(1) : l.b.U32(1), number);
  const Value old = is_64 ? l.Scalar64(i.dst) : l.Scalar32(i.dst);
  const Value result = l.b.Binary(value ? Op::kOr : Op::kAndNot, old, bit);
  if (is_64) {
    l.WriteScalar64(i.dst, result);
  } else {
    l.WriteScalar32(i.dst, result);
  }
}

// dst = EXEC, EXEC = f(src0, EXEC), SCC = the new one is not 0. If dst is EXEC, the mask stays.
template <typename F>
void SaveExec(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources64(l, i);
  if (!s.ok) return;
  const Value old = l.Exec();
  const Value mask = f(s.a, old);
  l.WriteScalar64(i.dst, old);
  l.SetSgpr64(kCodeExecLo, mask);
  l.SetScc(NonZero(l, mask));
}
// EXEC = dst = f(src0, EXEC).
template <typename F>
void WriteBothExec(Lifter& l, const Instruction& i, F f) {
  const Sources s = Sources64(l, i);
  if (!s.ok) return;
  const Value mask = f(s.a, l.Exec());
  l.WriteScalar64(i.dst, mask);
  l.SetSgpr64(kCodeExecLo, mask);
  l.SetScc(NonZero(l, mask));
}

}  // namespace

// clang-format off
#define UNARY(id, form, expression) \
  void lift_##id(Lifter& l, const Instruction& i) { form(l, i, [&](Value v) { return expression; }); }
#define EXEC_MASK(id, form, expression) \
  void lift_##id(Lifter& l, const Instruction& i) { form(l, i, [&](Value s, Value exec) { return expression; }); }

UNARY(S_MOV_B32, Unary32, v)
UNARY(S_MOV_B64, Unary64, v)
UNARY(S_CMOV_B32, Unary32, l.b.Select(l.Scc(), v, l.Scalar32(i.dst)))
UNARY(S_CMOV_B64, Unary64, l.b.Select(l.Scc(), v, l.Scalar64(i.dst)))
UNARY(S_NOT_B32, UnaryScc32, l.b.Not(v))
UNARY(S_NOT_B64, UnaryScc64, l.b.Not(v))
UNARY(S_WQM_B32, UnaryScc32, WholeQuad(l, v))
UNARY(S_WQM_B64, UnaryScc64, WholeQuad(l, v))
UNARY(S_QUADMASK_B32, UnaryScc32, QuadMask(l, v))
UNARY(S_QUADMASK_B64, UnaryScc64, QuadMask(l, v))
UNARY(S_BREV_B32, Unary32, l.b.Unary(Op::kBitReverse, v))
UNARY(S_BREV_B64, Unary64, l.b.Unary(Op::kBitReverse, v))
UNARY(S_BCNT0_I32_B32, UnaryScc32, l.b.Unary(Op::kPopcount, l.b.Not(v)))
UNARY(S_BCNT0_I32_B64, UnaryScc64, l.b.Unary(Op::kPopcount, l.b.Not(v)))
UNARY(S_BCNT1_I32_B32, UnaryScc32, l.b.Unary(Op::kPopcount, v))
UNARY(S_BCNT1_I32_B64, UnaryScc64, l.b.Unary(Op::kPopcount, v))
UNARY(S_FF0_I32_B32, Unary32, Find(l, Op::kCtz, l.b.Not(v)))
UNARY(S_FF0_I32_B64, Count64, Find(l, Op::kCtz, l.b.Not(v)))
UNARY(S_FF1_I32_B32, Unary32, Find(l, Op::kCtz, v))
UNARY(S_FF1_I32_B64, Count64, Find(l, Op::kCtz, v))
UNARY(S_FLBIT_I32_B32, Unary32, Find(l, Op::kClz, v))
UNARY(S_FLBIT_I32_B64, Count64, Find(l, Op::kClz, v))
UNARY(S_FLBIT_I32, Unary32, Find(l, Op::kClz, WithoutSign(l, v)))
UNARY(S_FLBIT_I32_I64, Count64, Find(l, Op::kClz, WithoutSign(l, v)))
UNARY(S_SEXT_I32_I8, Unary32, l.b.Unary(Op::kSext8, v))
UNARY(S_SEXT_I32_I16, Unary32, l.b.Unary(Op::kSext16, v))
// The most negative value has no positive counterpart and stays.
UNARY(S_ABS_I32, UnaryScc32, l.b.Binary(Op::kMaxS, v, l.b.Sub(l.b.U32(0), v)))

EXEC_MASK(S_AND_SAVEEXEC_B64,   SaveExec, l.b.And(s, exec))
EXEC_MASK(S_OR_SAVEEXEC_B64,    SaveExec, l.b.Or(s, exec))
EXEC_MASK(S_XOR_SAVEEXEC_B64,   SaveExec, l.b.Xor(s, exec))
EXEC_MASK(S_ANDN2_SAVEEXEC_B64, SaveExec, l.b.AndNot(s, exec))
EXEC_MASK(S_ORN2_SAVEEXEC_B64,  SaveExec, l.b.Or(s, l.b.Not(exec)))
EXEC_MASK(S_NAND_SAVEEXEC_B64,  SaveExec, l.b.Not(l.b.And(s, exec)))
EXEC_MASK(S_NOR_SAVEEXEC_B64,   SaveExec, l.b.Not(l.b.Or(s, exec)))
EXEC_MASK(S_XNOR_SAVEEXEC_B64,  SaveExec, l.b.Not(l.b.Xor(s, exec)))
EXEC_MASK(S_ANDN1_SAVEEXEC_B64, SaveExec, l.b.AndNot(exec, s))
EXEC_MASK(S_ORN1_SAVEEXEC_B64,  SaveExec, l.b.Or(exec, l.b.Not(s)))
EXEC_MASK(S_ANDN1_WREXEC_B64,   WriteBothExec, l.b.AndNot(exec, s))
EXEC_MASK(S_ANDN2_WREXEC_B64,   WriteBothExec, l.b.AndNot(s, exec))

#undef UNARY
#undef EXEC_MASK
// clang-format on

void lift_S_BITSET0_B32(Lifter& l, const Instruction& i) { BitSet(l, i, false, false); }
void lift_S_BITSET0_B64(Lifter& l, const Instruction& i) { BitSet(l, i, true, false); }
void lift_S_BITSET1_B32(Lifter& l, const Instruction& i) { BitSet(l, i, false, true); }
void lift_S_BITSET1_B64(Lifter& l, const Instruction& i) { BitSet(l, i, true, true); }

// Each bit twice: the halves of ever smaller groups move apart.
void lift_S_BITREPLICATE_B64_B32(Lifter& l, const Instruction& i) {
  const Sources s = Sources32(l, i);
  if (!s.ok) return;
  struct Step {
    uint32_t shift;
    uint64_t keep;
  };
  constexpr Step kSteps[] = {{16, 0x0000FFFF0000FFFF},
                             {8, 0x00FF00FF00FF00FF},
                             {4, 0x0F0F0F0F0F0F0F0F},
                             {2, 0x3333333333333333},
                             {1, 0x5555555555555555}};
  Value v = l.b.Zext(s.a);
  for (const Step& step : kSteps) {
    v = l.b.And(l.b.Or(v, l.b.Shl(v, step.shift)), l.b.U64(step.keep));
  }
  l.WriteScalar64(i.dst, l.b.Or(v, l.b.Shl(v, 1)));
}

void lift_S_GETPC_B64(Lifter& l, const Instruction& i) { l.WriteScalar64(i.dst, l.NextPcValue()); }
void lift_S_SETPC_B64(Lifter& l, const Instruction& i) {
  const Sources s = Sources64(l, i);
  if (s.ok) l.JumpIndirect(s.a);
}
void lift_S_SWAPPC_B64(Lifter& l, const Instruction& i) {
  const Sources s = Sources64(l, i);
  if (!s.ok) return;
  l.WriteScalar64(i.dst, l.NextPcValue());
  l.JumpIndirect(s.a);
}

}  // namespace gcnjit::frontend
