// Sums with carry masks. Under clamp (gfx8-9) the sum saturates; the carry is that of the unclamped
// sum.
#include "frontend/lift/integer_ops.h"
#include "frontend/lift/modifiers.h"

namespace gcnjit::frontend {
namespace {

// The mask has 0 for lanes that are not written.
void WriteCarry(Lifter& l, const Instruction& i, Value carry) {
  l.WriteScalar64(i.sdst, l.b.And(LaneMask(l.b, carry), WrittenLanes(l, i)));
}

// 1 in the lanes of the mask.
Value CarryIn(Lifter& l, const Instruction& i) {
  return l.b.Select(l.ActiveMask(i.src[2]), l.b.U32(1), l.b.U32(0));
}

// The carry is computed before the result is written: both see EXEC as it was.
void Finish(Lifter& l, const Instruction& i, Value sum, Value carry, uint32_t saturated) {
  l.Write32(i, l.Clamps(i) ? l.b.Select(carry, l.b.U32(saturated), sum) : sum);
  WriteCarry(l, i, carry);
}

void Add(Lifter& l, const Instruction& i, bool carries_in) {
  ir::Builder& b = l.b;
  const Value x = l.Src32(i, 0);
  const Value y = l.Src32(i, 1);
  const Value partial = b.Add(x, y);
  const Value carry = b.Compare(Op::kLtU, partial, x);
  if (!carries_in) return Finish(l, i, partial, carry, ~0u);
  const Value sum = b.Add(partial, CarryIn(l, i));
  const Value second = b.Compare(Op::kLtU, sum, partial);
  Finish(l, i, sum, b.Or(LaneMask(b, carry), LaneMask(b, second)), ~0u);
}

void Sub(Lifter& l, const Instruction& i, bool borrows_in, bool reversed) {
  ir::Builder& b = l.b;
  const Value x = l.Src32(i, reversed ? 1 : 0);
  const Value y = l.Src32(i, reversed ? 0 : 1);
  const Value partial = b.Sub(x, y);
  const Value borrow = b.Compare(Op::kLtU, x, y);
  if (!borrows_in) return Finish(l, i, partial, borrow, 0);
  const Value borrow_in = CarryIn(l, i);
  const Value second = b.Compare(Op::kLtU, partial, borrow_in);
  Finish(l, i, b.Sub(partial, borrow_in), b.Or(LaneMask(b, borrow), LaneMask(b, second)), 0);
}

}  // namespace

void lift_V_ADD_CO_U32(Lifter& l, const Instruction& i) { Add(l, i, false); }
void lift_V_SUB_CO_U32(Lifter& l, const Instruction& i) { Sub(l, i, false, false); }
void lift_V_SUBREV_CO_U32(Lifter& l, const Instruction& i) { Sub(l, i, false, true); }
void lift_V_ADDC_CO_U32(Lifter& l, const Instruction& i) { Add(l, i, true); }
void lift_V_SUBB_CO_U32(Lifter& l, const Instruction& i) { Sub(l, i, true, false); }
void lift_V_SUBBREV_CO_U32(Lifter& l, const Instruction& i) { Sub(l, i, true, true); }

// ---- {sdst, dst} = src0 * src1 + src2, where sdst is bit 64 of the sum

void lift_V_MAD_U64_U32(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = l.Src32(i, 0);
  const Value product = b.Binary(Op::kMulWideU, x, l.Src32(i, 1));
  const Value addend = l.Src64(i, 2);
  const Value sum = b.Add(product, addend);
  const Value carry = b.Compare(Op::kLtU, sum, addend);
  l.Write64(i, l.Clamps(i) ? b.Select(carry, b.U64(~uint64_t{0}), sum) : sum);
  WriteCarry(l, i, carry);
}

// The sum overflows if its sign differs from that of both terms; bit 64 is the sign of the exact
// sum.
void lift_V_MAD_I64_I32(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = l.Src32(i, 0);
  const Value product = b.Binary(Op::kMulWideS, x, l.Src32(i, 1));
  const Value addend = l.Src64(i, 2);
  const Value sum = b.Add(product, addend);
  const Value overflow = b.And(b.Xor(product, sum), b.Xor(addend, sum));
  const Value zero = b.U64(0);
  const Value bit64 = b.Compare(Op::kLtS, b.Xor(sum, overflow), zero);
  Value result = sum;
  if (l.Clamps(i)) {
    const Value limit = b.Xor(b.Ashr(addend, 63), b.U64(0x7FFFFFFFFFFFFFFF));
    result = b.Select(b.Compare(Op::kLtS, overflow, zero), limit, sum);
  }
  l.Write64(i, result);
  WriteCarry(l, i, bit64);
}

}  // namespace gcnjit::frontend
