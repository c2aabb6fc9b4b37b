// MUBUF atomics: in range entirely, or dropped and 0. Semantics: CLRX GcnInstrsMubuf; CDNA3 ISA
// 9.1.5.1.
#include "frontend/lift/buffer_address.h"
#include "frontend/lift/lift_memory.h"

namespace gcnjit::frontend {
namespace {

void Atomic(Lifter& l, const Instruction& i, const AtomicForm& form) {
  const BufferAddress buffer(l, i);
  if (!l.refusal().empty()) return;
  const MemoryAccess access = buffer.Access(form.Access());
  const auto [low, high] = buffer.At(0, access.bytes);
  const Value mask = buffer.InRange(0, access.bytes, /*whole=*/true);
  EmitGlobalAtomic(l, i, form, {low, high, mask}, 0, access);
}

}  // namespace

// clang-format off
#define ATOMIC(suffix, op)                                                                                            \
  void lift_BUFFER_ATOMIC_##suffix(Lifter& l, const Instruction& i) { Atomic(l, i, {AtomicOp::op}); }          \
  void lift_BUFFER_ATOMIC_##suffix##_X2(Lifter& l, const Instruction& i) { Atomic(l, i, {AtomicOp::op, true}); }

ATOMIC(SWAP,     kSwap)
ATOMIC(CMPSWAP,  kCmpSwap)
ATOMIC(ADD,      kAdd)
ATOMIC(SUB,      kSub)
ATOMIC(RSUB,     kRevSub)
ATOMIC(SMIN,     kMinS)
ATOMIC(UMIN,     kMinU)
ATOMIC(SMAX,     kMaxS)
ATOMIC(UMAX,     kMaxU)
ATOMIC(AND,      kAnd)
ATOMIC(OR,       kOr)
ATOMIC(XOR,      kXor)
ATOMIC(INC,      kInc)
ATOMIC(DEC,      kDec)
ATOMIC(FCMPSWAP, kFCmpSwap)
ATOMIC(FMIN,     kFMin)
ATOMIC(FMAX,     kFMax)

#undef ATOMIC
// clang-format on

void lift_BUFFER_ATOMIC_ADD_F32(Lifter& l, const Instruction& i) { Atomic(l, i, AtomicAddF32(l)); }
void lift_BUFFER_ATOMIC_ADD_F64(Lifter& l, const Instruction& i) { Atomic(l, i, kAtomicAddF64); }
void lift_BUFFER_ATOMIC_MIN_F64(Lifter& l, const Instruction& i) { Atomic(l, i, kAtomicMinF64); }
void lift_BUFFER_ATOMIC_MAX_F64(Lifter& l, const Instruction& i) { Atomic(l, i, kAtomicMaxF64); }

}  // namespace gcnjit::frontend
