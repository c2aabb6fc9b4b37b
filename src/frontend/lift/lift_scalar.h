// What the scalar lift_* functions share: sources that may be refused, and SCC's usual rules.
#pragma once

#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

// The sources of an instruction. Usable only if ok(): reading some operands refuses.
struct Sources {
  Value a;
  Value b;
  bool ok = false;
};

inline Sources Sources32(Lifter& l, const Instruction& i) {
  const Value a = l.Scalar32(i.src[0]);
  const Value b = i.src[1].kind == OperandKind::kNone ? a : l.Scalar32(i.src[1]);
  return {a, b, l.refusal().empty()};
}
inline Sources Sources64(Lifter& l, const Instruction& i) {
  const Value a = l.Scalar64(i.src[0]);
  const Value b = i.src[1].kind == OperandKind::kNone ? a : l.Scalar64(i.src[1]);
  return {a, b, l.refusal().empty()};
}
// 64-bit value, 32-bit count or field.
inline Sources Sources64And32(Lifter& l, const Instruction& i) {
  const Value a = l.Scalar64(i.src[0]);
  const Value b = l.Scalar32(i.src[1]);
  return {a, b, l.refusal().empty()};
}

inline Value NonZero(Lifter& l, Value v) {
  return l.b.Compare(Op::kNe, v, l.b.Const(l.b.TypeOf(v), 0));
}
inline Value Negative(Lifter& l, Value v) {
  return l.b.Compare(Op::kLtS, v, l.b.Const(l.b.TypeOf(v), 0));
}

// A u32 or u64 result; SCC = it is not 0.
inline void WriteNonZero(Lifter& l, const Instruction& i, Value v) {
  l.SetScc(NonZero(l, v));
  if (ir::Is64(l.b.TypeOf(v))) {
    l.WriteScalar64(i.dst, v);
  } else {
    l.WriteScalar32(i.dst, v);
  }
}

// MODE := u32. What follows is another compilation's, unless only fields of floats change, to what
// is known: compilers keep denormals for a few steps of a division.
inline void WriteMode(Lifter& l, Value mode) {
  uint64_t known = 0;
  if (l.b.IsConst(mode, &known)) {
    const uint32_t changed = static_cast<uint32_t>(known) ^ l.mode();
    if (changed == 0) return;
    if ((changed & ~kModeFloatFields) == 0 && !l.has_matrices()) {
      return l.ChangeMode(static_cast<uint32_t>(known));
    }
  }
  l.SetMode(mode);
  l.Exit(ir::ExitReason::kNext, l.next_pc());
}

// Target of a LABEL operand: signed dwords from the next instruction.
inline uint64_t LabelTarget(const Lifter& l, const Instruction& i) {
  return l.next_pc() + static_cast<uint64_t>(int64_t{i.imm} * 4);
}

}  // namespace gcnjit::frontend
