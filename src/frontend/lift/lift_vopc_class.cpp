// v_cmp_class, v_cmpx_class: bit n of src1 asks for class n. No denormal is flushed.
#include <array>

#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {
namespace {

// Kinds of numbers by ascending magnitude, and the bits that ask for them.
struct NumberKind {
  uint8_t positive;
  uint8_t negative;
  uint64_t first;  // least magnitude
};
using Kinds = std::array<NumberKind, 6>;

Kinds KindsOf(FloatType type) {
  return {{{6, 5, 0},                                 // zero
           {7, 4, 1},                                 // denormal
           {8, 3, type.SmallestNormal()},             // normal
           {9, 2, type.Infinity()},                   // infinity
           {0, 0, type.Infinity() + 1},               // signalling NaN
           {1, 1, type.Infinity() | type.Quiet()}}};  // quiet NaN
}

// first <= v < end, unsigned.
Value InRange(ir::Builder& b, FloatType type, Value v, uint64_t first, uint64_t end) {
  const Value offset = b.Sub(v, Pattern(b, type, first));
  return Mask(b, Op::kLtU, offset, Pattern(b, type, end - first));
}

// The lanes whose pattern, with `base` added to the bounds, is of one of the kinds in the set.
Value OfKinds(ir::Builder& b, FloatType type, Value v, uint64_t base, uint32_t set) {
  const Kinds kinds = KindsOf(type);
  Value result = b.U64(0);
  for (size_t n = 0; n < kinds.size(); ++n) {
    if ((set >> n & 1) == 0) continue;
    const size_t first = n;
    while (n + 1 < kinds.size() && (set >> (n + 1) & 1) != 0) ++n;
    const uint64_t end = n + 1 < kinds.size() ? kinds[n + 1].first : type.Sign();
    const Value run = InRange(b, type, v, base + kinds[first].first, base + end);
    result = b.Or(result, run);
  }
  return result;
}

// A known set: ranges of magnitudes for the kinds wanted of both signs, of patterns for the others.
Value IsOfKnownClass(ir::Builder& b, FloatType type, Value v, uint32_t wanted) {
  const Kinds kinds = KindsOf(type);
  uint32_t both = 0;
  uint32_t positive = 0;
  uint32_t negative = 0;
  for (size_t n = 0; n < kinds.size(); ++n) {
    const uint32_t plus = wanted >> kinds[n].positive & 1;
    const uint32_t minus = wanted >> kinds[n].negative & 1;
    both |= (plus & minus) << n;
    positive |= (plus & ~minus) << n;
    negative |= (minus & ~plus) << n;
  }
  Value result = b.U64(0);
  if (both != 0) result = OfKinds(b, type, Abs(b, type, v), 0, both);
  if (positive != 0) result = b.Or(result, OfKinds(b, type, v, 0, positive));
  if (negative != 0) result = b.Or(result, OfKinds(b, type, v, type.Sign(), negative));
  return result;
}

Value IsOfClass(ir::Builder& b, FloatType type, Value v, Value wanted) {
  const Kinds kinds = KindsOf(type);
  const Value magnitude = Abs(b, type, v);
  const Value sign_bit = b.U32(TopOf(type, type.Sign()));
  const Value is_negative = Mask(b, Op::kNe, b.And(Top(b, type, v), sign_bit), b.U32(0));
  Value number = b.Select(is_negative, b.U32(kinds[0].negative), b.U32(kinds[0].positive));
  for (size_t n = 1; n < kinds.size(); ++n) {
    const NumberKind& kind = kinds[n];
    const Value of_kind = kind.positive == kind.negative
                              ? b.U32(kind.positive)
                              : b.Select(is_negative, b.U32(kind.negative), b.U32(kind.positive));
    const Value reached = Mask(b, Op::kLeU, Pattern(b, type, kind.first), magnitude);
    number = b.Select(reached, of_kind, number);
  }
  const Value bit = b.And(b.Lshr(wanted, number), b.U32(1));
  return Mask(b, Op::kNe, bit, b.U32(0));
}

void Classify(Lifter& l, const Instruction& i, FloatType type, bool to_exec) {
  ir::Builder& b = l.b;
  const Value v = type.bits == 16   ? l.SrcF16(i, 0)
                  : type.bits == 32 ? l.SrcF32(i, 0)
                                    : l.SrcF64(i, 0);
  const Value wanted = l.Src32(i, 1);
  uint64_t known = 0;
  const Value mask = b.IsConst(wanted, &known)
                         ? IsOfKnownClass(b, type, v, static_cast<uint32_t>(known))
                         : IsOfClass(b, type, v, wanted);
  WriteCompare(l, i, mask, to_exec);
}

}  // namespace

void lift_V_CMP_CLASS_F16(Lifter& l, const Instruction& i) { Classify(l, i, kF16, false); }
void lift_V_CMPX_CLASS_F16(Lifter& l, const Instruction& i) { Classify(l, i, kF16, true); }
void lift_V_CMP_CLASS_F32(Lifter& l, const Instruction& i) { Classify(l, i, kF32, false); }
void lift_V_CMPX_CLASS_F32(Lifter& l, const Instruction& i) { Classify(l, i, kF32, true); }
void lift_V_CMP_CLASS_F64(Lifter& l, const Instruction& i) { Classify(l, i, kF64, false); }
void lift_V_CMPX_CLASS_F64(Lifter& l, const Instruction& i) { Classify(l, i, kF64, true); }

}  // namespace gcnjit::frontend
