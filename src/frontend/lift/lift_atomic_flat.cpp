// FLAT and GLOBAL atomics. Semantics: CLRX GcnInstrsFlat; Vega manual.
#include "frontend/lift/flat_address.h"
#include "frontend/lift/lift_memory.h"

namespace gcnjit::frontend {
namespace {

void Atomic(Lifter& l, const Instruction& i, const AtomicForm& form, ir::Space space) {
  const std::array<Value, 3> at = FlatAddress(l, i);
  if (l.refusal().empty()) EmitGlobalAtomic(l, i, form, at, i.offset, form.Access(space));
}

}  // namespace

// clang-format off
#define ATOMIC(prefix, suffix, op, space)                                                                                              \
  void lift_##prefix##_ATOMIC_##suffix(Lifter& l, const Instruction& i) { Atomic(l, i, {AtomicOp::op}, ir::Space::space); }      \
  void lift_##prefix##_ATOMIC_##suffix##_X2(Lifter& l, const Instruction& i) { Atomic(l, i, {AtomicOp::op, true}, ir::Space::space); }
#define FLAT_AND_GLOBAL(suffix, op)  \
  ATOMIC(FLAT, suffix, op, kFlat)    \
  ATOMIC(GLOBAL, suffix, op, kGlobal)

FLAT_AND_GLOBAL(SWAP,    kSwap)
FLAT_AND_GLOBAL(CMPSWAP, kCmpSwap)
FLAT_AND_GLOBAL(ADD,     kAdd)
FLAT_AND_GLOBAL(SUB,     kSub)
FLAT_AND_GLOBAL(SMIN,    kMinS)
FLAT_AND_GLOBAL(UMIN,    kMinU)
FLAT_AND_GLOBAL(SMAX,    kMaxS)
FLAT_AND_GLOBAL(UMAX,    kMaxU)
FLAT_AND_GLOBAL(AND,     kAnd)
FLAT_AND_GLOBAL(OR,      kOr)
FLAT_AND_GLOBAL(XOR,     kXor)
FLAT_AND_GLOBAL(INC,     kInc)
FLAT_AND_GLOBAL(DEC,     kDec)
ATOMIC(FLAT, FCMPSWAP, kFCmpSwap, kFlat)
ATOMIC(FLAT, FMIN,     kFMin,     kFlat)
ATOMIC(FLAT, FMAX,     kFMax,     kFlat)

#undef ATOMIC
#undef FLAT_AND_GLOBAL
// clang-format on

void lift_GLOBAL_ATOMIC_ADD_F32(Lifter& l, const Instruction& i) {
  Atomic(l, i, AtomicAddF32(l), ir::Space::kGlobal);
}
void lift_GLOBAL_ATOMIC_ADD_F64(Lifter& l, const Instruction& i) {
  Atomic(l, i, kAtomicAddF64, ir::Space::kGlobal);
}
void lift_GLOBAL_ATOMIC_MIN_F64(Lifter& l, const Instruction& i) {
  Atomic(l, i, kAtomicMinF64, ir::Space::kGlobal);
}
void lift_GLOBAL_ATOMIC_MAX_F64(Lifter& l, const Instruction& i) {
  Atomic(l, i, kAtomicMaxF64, ir::Space::kGlobal);
}
void lift_FLAT_ATOMIC_ADD_F32(Lifter& l, const Instruction& i) {
  Atomic(l, i, AtomicAddF32(l), ir::Space::kFlat);
}
void lift_FLAT_ATOMIC_ADD_F64(Lifter& l, const Instruction& i) {
  Atomic(l, i, kAtomicAddF64, ir::Space::kFlat);
}
void lift_FLAT_ATOMIC_MIN_F64(Lifter& l, const Instruction& i) {
  Atomic(l, i, kAtomicMinF64, ir::Space::kFlat);
}
void lift_FLAT_ATOMIC_MAX_F64(Lifter& l, const Instruction& i) {
  Atomic(l, i, kAtomicMaxF64, ir::Space::kFlat);
}

}  // namespace gcnjit::frontend
