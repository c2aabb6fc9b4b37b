// Vector compares of floats: v_cmp, v_cmpx (also writes EXEC), and gfx6-7's v_cmps and v_cmpsx,
// which differ in the exceptions that they signal only. Denormals are flushed as MODE says.
#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {
namespace {

Value Read(Lifter& l, const Instruction& i, FloatType type, int n) {
  return type.bits == 16 ? ReadHalf(l, i, n) : type.bits == 32 ? l.SrcF32(i, n) : l.SrcF64(i, n);
}

void Compare(Lifter& l, const Instruction& i, FloatType type, int predicate, bool to_exec) {
  const FloatEnv env = type.bits == 32 ? l.EnvF32() : l.EnvF64();
  const Value x = Read(l, i, type, 0);
  WriteCompare(l, i, l.b.FCmp(predicate, env, x, Read(l, i, type, 1)), to_exec);
}

void Constant(Lifter& l, const Instruction& i, FloatType type, bool value, bool to_exec) {
  // The operands do not matter, but must be ones that can be read.
  Read(l, i, type, 0);
  Read(l, i, type, 1);
  WriteCompare(l, i, l.b.U64(value ? ~uint64_t{0} : 0), to_exec);
}

}  // namespace

// clang-format off
#define COMPARE(condition, type, predicate)                                         \
  void lift_V_CMP_##condition##_##type(Lifter& l, const Instruction& i) {           \
    Compare(l, i, k##type, predicate, false);                                       \
  }                                                                                 \
  void lift_V_CMPX_##condition##_##type(Lifter& l, const Instruction& i) {          \
    Compare(l, i, k##type, predicate, true);                                        \
  }
#define COMPARE_SIGNALLING(condition, type, predicate)                              \
  void lift_V_CMPS_##condition##_##type(Lifter& l, const Instruction& i) {          \
    Compare(l, i, k##type, predicate, false);                                       \
  }                                                                                 \
  void lift_V_CMPSX_##condition##_##type(Lifter& l, const Instruction& i) {         \
    Compare(l, i, k##type, predicate, true);                                        \
  }
#define COMPARES(condition, predicate)                                              \
  COMPARE(condition, F16, predicate)                                                \
  COMPARE(condition, F32, predicate)                                                \
  COMPARE(condition, F64, predicate)                                                \
  COMPARE_SIGNALLING(condition, F32, predicate)                                     \
  COMPARE_SIGNALLING(condition, F64, predicate)
#define CONSTANT(kind, condition, type, value)                                      \
  void lift_V_##kind##_##condition##_##type(Lifter& l, const Instruction& i) {      \
    Constant(l, i, k##type, value, false);                                          \
  }                                                                                 \
  void lift_V_##kind##X_##condition##_##type(Lifter& l, const Instruction& i) {     \
    Constant(l, i, k##type, value, true);                                           \
  }
#define CONSTANTS(condition, value)                                                 \
  CONSTANT(CMP, condition, F16, value)                                              \
  CONSTANT(CMP, condition, F32, value)                                              \
  CONSTANT(CMP, condition, F64, value)                                              \
  CONSTANT(CMPS, condition, F32, value)                                             \
  CONSTANT(CMPS, condition, F64, value)

// The predicates as x86 numbers them (Builder::FCmp).
CONSTANTS(F, false)
COMPARES(LT, 1)
COMPARES(EQ, 0)
COMPARES(LE, 2)
COMPARES(GT, 14)
COMPARES(LG, 12)
COMPARES(GE, 13)
COMPARES(O, 7)
COMPARES(U, 3)
COMPARES(NGE, 9)
COMPARES(NLG, 8)
COMPARES(NGT, 10)
COMPARES(NLE, 6)
COMPARES(NEQ, 4)
COMPARES(NLT, 5)
CONSTANTS(TRU, true)

#undef CONSTANTS
#undef CONSTANT
#undef COMPARES
#undef COMPARE_SIGNALLING
#undef COMPARE
// clang-format on

}  // namespace gcnjit::frontend
