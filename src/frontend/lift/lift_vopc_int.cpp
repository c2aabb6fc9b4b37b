// Vector compares of integers: v_cmp, and v_cmpx, which also writes EXEC.
#include "frontend/lift/integer_ops.h"

namespace gcnjit::frontend {
namespace {

enum class IntegerSource { kI16, kU16, k32, k64 };

Value Read(Lifter& l, const Instruction& i, int n, IntegerSource source) {
  switch (source) {
    case IntegerSource::kI16: return l.SrcI16(i, n);
    case IntegerSource::kU16: return l.Src16(i, n);
    case IntegerSource::k64: return l.Src64(i, n);
    case IntegerSource::k32: break;
  }
  return l.Src32(i, n);
}

// f(src0, src1), or of the two exchanged.
void Compare(Lifter& l, const Instruction& i, IntegerSource source, Op op, bool exchanged,
             bool to_exec) {
  const Value x = Read(l, i, 0, source);
  const Value y = Read(l, i, 1, source);
  const Value compare = exchanged ? l.b.Compare(op, y, x) : l.b.Compare(op, x, y);
  WriteCompare(l, i, LaneMask(l.b, compare), to_exec);
}

// The sources count only for what they cannot be: LDS_DIRECT and the like are refused.
void Constant(Lifter& l, const Instruction& i, IntegerSource source, bool value, bool to_exec) {
  Read(l, i, 0, source);
  Read(l, i, 1, source);
  WriteCompare(l, i, LaneMask(l.b, l.b.U1(value)), to_exec);
}

}  // namespace

// clang-format off
#define COMPARE(condition, type, source, op, exchanged)                            \
  void lift_V_CMP_##condition##_##type(Lifter& l, const Instruction& i) {          \
    Compare(l, i, IntegerSource::source, Op::op, exchanged, false);                       \
  }                                                                                \
  void lift_V_CMPX_##condition##_##type(Lifter& l, const Instruction& i) {         \
    Compare(l, i, IntegerSource::source, Op::op, exchanged, true);                        \
  }
#define CONSTANT(condition, type, source, value)                                   \
  void lift_V_CMP_##condition##_##type(Lifter& l, const Instruction& i) {          \
    Constant(l, i, IntegerSource::source, value, false);                                  \
  }                                                                                \
  void lift_V_CMPX_##condition##_##type(Lifter& l, const Instruction& i) {         \
    Constant(l, i, IntegerSource::source, value, true);                                   \
  }
#define COMPARES(type, source, less, less_or_equal)                                \
  CONSTANT(F, type, source, false)                                                 \
  COMPARE(LT, type, source, less, false)                                           \
  COMPARE(EQ, type, source, kEq, false)                                            \
  COMPARE(LE, type, source, less_or_equal, false)                                  \
  COMPARE(GT, type, source, less, true)                                            \
  COMPARE(NE, type, source, kNe, false)                                            \
  COMPARE(GE, type, source, less_or_equal, true)                                   \
  CONSTANT(T, type, source, true)

COMPARES(I16, kI16, kLtS, kLeS)
COMPARES(U16, kU16, kLtU, kLeU)
COMPARES(I32, k32,  kLtS, kLeS)
COMPARES(U32, k32,  kLtU, kLeU)
COMPARES(I64, k64,  kLtS, kLeS)
COMPARES(U64, k64,  kLtU, kLeU)

#undef COMPARES
#undef CONSTANT
#undef COMPARE
// clang-format on

}  // namespace gcnjit::frontend
