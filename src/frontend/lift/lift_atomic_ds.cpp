// DS atomics, with and without return. Semantics: CLRX GcnInstrsDs; Vega manual as quoted in gem5
// ds.cc; CDNA3 ISA 9.2 "Float memory atomics". The two-address and conditional exchanges are the
// interpreter's.
#include "frontend/lift/lds_address.h"
#include "frontend/lift/lift_memory.h"

namespace gcnjit::frontend {
namespace {

// by_mode: denormals are as MODE says.
void Atomic(Lifter& l, const Instruction& i, AtomicOp op, bool is_64, bool by_mode) {
  if (!IsLds(l, i)) return;
  MemoryAccess access = AtomicForm{op, is_64}.Access();
  if (by_mode) {
    const FloatEnv env = is_64 ? l.EnvF64() : l.EnvF32();
    access.flush_inputs = (env.bits & FloatEnv::kFlushInputs) != 0;
    access.flush_results = (env.bits & FloatEnv::kFlushResults) != 0;
  }
  const LdsAddress at =
      LdsAddressOf(l, i.src[0].index, static_cast<uint32_t>(i.offset), access.bytes);
  const std::array<Value, 3> lead = {at.address, at.mask, at.limit};
  const int data = i.src[1].index;
  const int dwords = access.Dwords();
  // ds_cmpst has the compared value first, as IR has.
  if (i.src[2].kind == OperandKind::kVector) {
    EmitAtomic(l, i, Op::kAtomicLds, lead, {data, i.src[2].index}, dwords, at.imm, access);
  } else {
    EmitAtomic(l, i, Op::kAtomicLds, lead, {data}, dwords, at.imm, access);
  }
}

}  // namespace

// clang-format off
#define ATOMIC(id, op, is_64, by_mode) \
  void lift_##id(Lifter& l, const Instruction& i) { Atomic(l, i, AtomicOp::op, is_64, by_mode); }
#define INTEGER(name, type, op)               \
  ATOMIC(DS_##name##_##type##32, op, false, false)      \
  ATOMIC(DS_##name##_RTN_##type##32, op, false, false)  \
  ATOMIC(DS_##name##_##type##64, op, true, false)       \
  ATOMIC(DS_##name##_RTN_##type##64, op, true, false)
#define FLOATING(name, op)                    \
  ATOMIC(DS_##name##_F32, op, false, true)              \
  ATOMIC(DS_##name##_RTN_F32, op, false, true)          \
  ATOMIC(DS_##name##_F64, op, true, true)               \
  ATOMIC(DS_##name##_RTN_F64, op, true, true)

INTEGER(ADD,   U, kAdd)
INTEGER(SUB,   U, kSub)
INTEGER(RSUB,  U, kRevSub)
INTEGER(INC,   U, kInc)
INTEGER(DEC,   U, kDec)
INTEGER(MIN,   I, kMinS)
INTEGER(MAX,   I, kMaxS)
INTEGER(MIN,   U, kMinU)
INTEGER(MAX,   U, kMaxU)
INTEGER(AND,   B, kAnd)
INTEGER(OR,    B, kOr)
INTEGER(XOR,   B, kXor)
INTEGER(MSKOR, B, kMaskedOr)
INTEGER(CMPST, B, kCmpSwap)
FLOATING(CMPST, kFCmpSwap)
FLOATING(MIN,   kFMin)
FLOATING(MAX,   kFMax)
ATOMIC(DS_WRXCHG_RTN_B32, kSwap, false, false)
ATOMIC(DS_WRXCHG_RTN_B64, kSwap, true,  false)
ATOMIC(DS_WRAP_RTN_B32,   kWrap, false, false)
ATOMIC(DS_ADD_F32,        kFAdd, false, true)
ATOMIC(DS_ADD_RTN_F32,    kFAdd, false, true)
// Denormals of f64 are kept.
ATOMIC(DS_ADD_F64,        kFAdd, true,  false)
ATOMIC(DS_ADD_RTN_F64,    kFAdd, true,  false)

#undef ATOMIC
#undef INTEGER
#undef FLOATING
// clang-format on

}  // namespace gcnjit::frontend
