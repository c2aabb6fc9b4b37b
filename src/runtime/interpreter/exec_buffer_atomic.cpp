// MUBUF atomics.
//
// Sources: CLRX GcnInstrsMubuf.md; AMD Sea Islands manual's opcode descriptions; CDNA3 ISA 9.1.5.1
// (an atomic is in range entirely or dropped, returning 0).
#include "runtime/interpreter/atomic_float_add.h"
#include "runtime/interpreter/atomics.h"
#include "runtime/interpreter/buffer_resource.h"

namespace gcnjit::runtime {
namespace {

// data is src[1]; the old value goes to dst with GLC only.
template <typename T, typename Op>
void BufferAtomic(Wave& w, const Instruction& i, const Op& op = {}) {
  const BufferAccess access(w, i, /*format_access=*/false);
  LaneAddresses at;
  const uint64_t in_range = access.Locate(0, sizeof(T), /*whole=*/true, at);
  ForEachLane(w.exec(), [&](int lane) {
    T old = 0;
    if (((in_range >> lane) & 1) != 0) {
      const T data = LaneValue<T>(w, i.src[1].index, lane);
      const T data2 = SecondData<T, Op>(w, i.src[1].index, lane);
      if (!AtomicAt(w, lane, at[lane], op, data, data2, &old)) return false;
    }
    if (i.dst.kind == OperandKind::kVector) SetLaneValue(w, i.dst.index, lane, old);
    return true;
  });
  PutTfeStatus(w, i, static_cast<int>(sizeof(T) / 4));
}

}  // namespace

// clang-format off
#define ATOMIC(suffix, op)                                                                                     \
  void exec_BUFFER_ATOMIC_##suffix(Wave& w, const Instruction& i) { BufferAtomic<uint32_t, op>(w, i); }        \
  void exec_BUFFER_ATOMIC_##suffix##_X2(Wave& w, const Instruction& i) { BufferAtomic<uint64_t, op>(w, i); }

ATOMIC(SWAP,     AtomicSwap)
ATOMIC(CMPSWAP,  AtomicCmpSwap)
ATOMIC(ADD,      AtomicAdd)
ATOMIC(SUB,      AtomicSub)
ATOMIC(RSUB,     AtomicRsub)
ATOMIC(SMIN,     AtomicSmin)
ATOMIC(UMIN,     AtomicUmin)
ATOMIC(SMAX,     AtomicSmax)
ATOMIC(UMAX,     AtomicUmax)
ATOMIC(AND,      AtomicAnd)
ATOMIC(OR,       AtomicOr)
ATOMIC(XOR,      AtomicXor)
ATOMIC(INC,      AtomicInc)
ATOMIC(DEC,      AtomicDec)
ATOMIC(FCMPSWAP, AtomicFcmpSwap)
ATOMIC(FMIN,     AtomicFmin)
ATOMIC(FMAX,     AtomicFmax)

#undef ATOMIC
// clang-format on

void exec_BUFFER_ATOMIC_ADD_F32(Wave& w, const Instruction& i) {
  BufferAtomic<uint32_t>(w, i, AtomicAddF32::For(w));
}
void exec_BUFFER_ATOMIC_PK_ADD_F16(Wave& w, const Instruction& i) {
  BufferAtomic<uint32_t>(w, i, AtomicAddHalves::For(w));
}
void exec_BUFFER_ATOMIC_ADD_F64(Wave& w, const Instruction& i) {
  BufferAtomic<uint64_t>(w, i, AddF64::For(w));
}
void exec_BUFFER_ATOMIC_MIN_F64(Wave& w, const Instruction& i) {
  BufferAtomic<uint64_t, AtomicFmin>(w, i);
}
void exec_BUFFER_ATOMIC_MAX_F64(Wave& w, const Instruction& i) {
  BufferAtomic<uint64_t, AtomicFmax>(w, i);
}

}  // namespace gcnjit::runtime
