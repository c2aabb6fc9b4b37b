// FLAT and GLOBAL atomics.
//
// Sources: CLRX GcnInstrsFlat.md; AMD Sea Islands manual's opcode descriptions (MUBUF's, the same
// operations); CDNA3 ISA 10.3.1.
#include "runtime/interpreter/atomic_float_add.h"
#include "runtime/interpreter/atomics.h"
#include "runtime/interpreter/ds_update.h"
#include "runtime/interpreter/flat_address.h"
#include "runtime/interpreter/flat_atomic.h"
#include "runtime/interpreter/memory_segments.h"

namespace gcnjit::runtime {
namespace {

// data is src[1]; the old value goes to dst with GLC only.
template <typename T, typename Op, typename Access>
void AtomicLanes(Wave& w, const Instruction& i, const LaneAddresses& at, const Op& op,
                 Access access) {
  if (i.lds) return w.RaiseUnsupported("an atomic instruction can't transfer to LDS");
  ForEachLane(w.exec(), [&](int lane) {
    const T data = LaneValue<T>(w, i.src[1].index, lane);
    const T data2 = SecondData<T, Op>(w, i.src[1].index, lane);
    T old;
    if (!access(w, lane, at[lane], op, data, data2, &old)) return false;
    if (i.dst.kind == OperandKind::kVector) SetLaneValue(w, i.dst.index, lane, old);
    return true;
  });
  PutTfeStatus(w, i, static_cast<int>(sizeof(T) / 4));
}

template <typename T, typename Op>
void FlatAtomic(Wave& w, const Instruction& i, const Op& op = {}) {
  LaneAddresses at;
  FlatAddresses(w, i, at);
  AtomicLanes<T>(w, i, at, op, FlatAtomicAt<T, Op>);
}

template <typename T, typename Op>
void GlobalAtomic(Wave& w, const Instruction& i, const Op& op = {}) {
  LaneAddresses at;
  GlobalAddresses(w, i, at);
  AtomicLanes<T>(w, i, at, op, AtomicAt<T, Op>);
}

}  // namespace

// clang-format off
#define ATOMIC(prefix, suffix, function, op)                                                                        \
  void exec_##prefix##_ATOMIC_##suffix(Wave& w, const Instruction& i) { function<uint32_t, op>(w, i); }      \
  void exec_##prefix##_ATOMIC_##suffix##_X2(Wave& w, const Instruction& i) { function<uint64_t, op>(w, i); }
#define FLAT_AND_GLOBAL(suffix, op)           \
  ATOMIC(FLAT, suffix, FlatAtomic, op)        \
  ATOMIC(GLOBAL, suffix, GlobalAtomic, op)

FLAT_AND_GLOBAL(SWAP,    AtomicSwap)
FLAT_AND_GLOBAL(CMPSWAP, AtomicCmpSwap)
FLAT_AND_GLOBAL(ADD,     AtomicAdd)
FLAT_AND_GLOBAL(SUB,     AtomicSub)
FLAT_AND_GLOBAL(SMIN,    AtomicSmin)
FLAT_AND_GLOBAL(UMIN,    AtomicUmin)
FLAT_AND_GLOBAL(SMAX,    AtomicSmax)
FLAT_AND_GLOBAL(UMAX,    AtomicUmax)
FLAT_AND_GLOBAL(AND,     AtomicAnd)
FLAT_AND_GLOBAL(OR,      AtomicOr)
FLAT_AND_GLOBAL(XOR,     AtomicXor)
FLAT_AND_GLOBAL(INC,     AtomicInc)
FLAT_AND_GLOBAL(DEC,     AtomicDec)
ATOMIC(FLAT, FCMPSWAP, FlatAtomic, AtomicFcmpSwap)
ATOMIC(FLAT, FMIN,     FlatAtomic, AtomicFmin)
ATOMIC(FLAT, FMAX,     FlatAtomic, AtomicFmax)

#undef ATOMIC
#undef FLAT_AND_GLOBAL
// clang-format on

void exec_GLOBAL_ATOMIC_ADD_F32(Wave& w, const Instruction& i) {
  GlobalAtomic<uint32_t>(w, i, AtomicAddF32::For(w));
}
void exec_GLOBAL_ATOMIC_PK_ADD_F16(Wave& w, const Instruction& i) {
  GlobalAtomic<uint32_t>(w, i, AtomicAddHalves::For(w));
}

void exec_GLOBAL_ATOMIC_PK_ADD_BF16(Wave& w, const Instruction& i) {
  GlobalAtomic<uint32_t>(w, i, AtomicAddBf16::For(w));
}
void exec_FLAT_ATOMIC_ADD_F32(Wave& w, const Instruction& i) {
  FlatAtomic<uint32_t>(w, i, AtomicAddF32::For(w));
}
void exec_FLAT_ATOMIC_PK_ADD_F16(Wave& w, const Instruction& i) {
  FlatAtomic<uint32_t>(w, i, AtomicAddHalves::For(w));
}
void exec_FLAT_ATOMIC_PK_ADD_BF16(Wave& w, const Instruction& i) {
  FlatAtomic<uint32_t>(w, i, AtomicAddBf16::For(w));
}

void exec_FLAT_ATOMIC_ADD_F64(Wave& w, const Instruction& i) {
  FlatAtomic<uint64_t>(w, i, AddF64::For(w));
}
void exec_FLAT_ATOMIC_MIN_F64(Wave& w, const Instruction& i) {
  FlatAtomic<uint64_t, AtomicFmin>(w, i);
}
void exec_FLAT_ATOMIC_MAX_F64(Wave& w, const Instruction& i) {
  FlatAtomic<uint64_t, AtomicFmax>(w, i);
}
void exec_GLOBAL_ATOMIC_ADD_F64(Wave& w, const Instruction& i) {
  GlobalAtomic<uint64_t>(w, i, AddF64::For(w));
}
void exec_GLOBAL_ATOMIC_MIN_F64(Wave& w, const Instruction& i) {
  GlobalAtomic<uint64_t, AtomicFmin>(w, i);
}
void exec_GLOBAL_ATOMIC_MAX_F64(Wave& w, const Instruction& i) {
  GlobalAtomic<uint64_t, AtomicFmax>(w, i);
}

}  // namespace gcnjit::runtime
