// Bit fields and counts, and lanes counted in masks.
#include "frontend/lift/integer_ops.h"

namespace gcnjit::frontend {
namespace {

// `count` of a number, ~0 where it has no bit.
Value CountOrOnes(ir::Builder& b, Op op, Value v) {
  return b.Select(IsZero(b, v), b.U32(~0u), b.Unary(op, v));
}

// A field whose position and width are constants: two shifts at most.
Value ConstantField(ir::Builder& b, Value v, uint32_t offset, uint32_t width, bool is_signed) {
  if (width == 0) return b.U32(0);
  if (offset + width < 32) {
    v = b.Shl(v, 32 - offset - width);
    offset = 32 - width;
  }
  return is_signed ? b.Ashr(v, offset) : b.Lshr(v, offset);
}

void Bfe(Lifter& l, const Instruction& i, bool is_signed) {
  ir::Builder& b = l.b;
  const Value v = l.Src32(i, 0);
  const Value offset = l.Src32(i, 1);
  const Value width = l.Src32(i, 2);
  uint64_t o = 0;
  uint64_t w = 0;
  if (b.IsConst(offset, &o) && b.IsConst(width, &w)) {
    const auto field = ConstantField(b, v, static_cast<uint32_t>(o & 31),
                                     static_cast<uint32_t>(w & 31), is_signed);
    return l.Write32(i, field);
  }
  if (!is_signed) return l.Write32(i, b.And(b.Lshr(v, offset), LowBits(b, width)));
  // To the top and back; counts are modulo 32. A field beyond bit 31 has bit 31 as its sign.
  const Value unused = b.Sub(b.U32(0), width);
  const Value field = b.Ashr(b.Shl(b.Ashr(v, offset), unused), unused);
  const Value is_empty = IsZero(b, b.And(width, b.U32(31)));
  l.Write32(i, b.Select(is_empty, b.U32(0), field));
}

// src1 + the set bits of src0 that stand for lanes before this one; src0 is the `half` of a mask.
void CountLanesBelow(Lifter& l, const Instruction& i, int half) {
  ir::Builder& b = l.b;
  const Value bits = l.Src32(i, 0);
  const Value addend = l.Src32(i, 1);
  Value count;
  if (b.TypeOf(bits) == ir::Type::kU32) {
    const ir::Inst inst = b.function()[bits];
    const bool is_half_of_mask =
        inst.op == (half == 0 ? Op::kLow : Op::kHigh) && b.TypeOf(inst.args[0]) == ir::Type::kU64;
    const Value mask = is_half_of_mask ? inst.args[0]
                       : half == 0     ? b.Pack(bits, b.U32(0))
                                       : b.Pack(b.U32(0), bits);
    count = b.Emit(Op::kMaskBelow, ir::Type::kV32, {mask}, half);
  } else {
    // Each lane has a mask of its own.
    const Value lane = b.LaneId();
    const Value below = LowBits(b, lane);
    const Value in_low = b.Compare(Op::kLtU, lane, b.U32(32));
    const Value counted =
        half == 0 ? b.Select(in_low, below, b.U32(~0u)) : b.Select(in_low, b.U32(0), below);
    count = b.Unary(Op::kPopcount, b.And(bits, counted));
  }
  l.Write32(i, b.Add(count, addend));
}

}  // namespace

// ---- Fields

void lift_V_BFE_U32(Lifter& l, const Instruction& i) { Bfe(l, i, false); }
void lift_V_BFE_I32(Lifter& l, const Instruction& i) { Bfe(l, i, true); }
void lift_V_BFM_B32(Lifter& l, const Instruction& i) {
  const Value ones = LowBits(l.b, l.Src32(i, 0));
  l.Write32(i, l.b.Shl(ones, l.Src32(i, 1)));
}
void lift_V_BFREV_B32(Lifter& l, const Instruction& i) {
  l.Write32(i, l.b.Unary(Op::kBitReverse, l.Src32(i, 0)));
}
void lift_V_ALIGNBIT_B32(Lifter& l, const Instruction& i) {
  const Value high = l.Src32(i, 0);
  const Value low = l.Src32(i, 1);
  l.Write32(i, Ternary(l.b, Op::kFshr, high, low, l.Src32(i, 2)));
}
// Bytes 0 to 3 of src2: 8 times that modulo 32.
void lift_V_ALIGNBYTE_B32(Lifter& l, const Instruction& i) {
  const Value high = l.Src32(i, 0);
  const Value low = l.Src32(i, 1);
  l.Write32(i, Ternary(l.b, Op::kFshr, high, low, l.b.Shl(l.Src32(i, 2), 3)));
}

// ---- Counts

void lift_V_FFBH_U32(Lifter& l, const Instruction& i) {
  l.Write32(i, CountOrOnes(l.b, Op::kClz, l.Src32(i, 0)));
}
void lift_V_FFBL_B32(Lifter& l, const Instruction& i) {
  l.Write32(i, CountOrOnes(l.b, Op::kCtz, l.Src32(i, 0)));
}
// Leading bits that equal the sign; ~0 if all do.
void lift_V_FFBH_I32(Lifter& l, const Instruction& i) {
  const Value v = l.Src32(i, 0);
  l.Write32(i, CountOrOnes(l.b, Op::kClz, l.b.Xor(v, l.b.Ashr(v, 31))));
}
void lift_V_BCNT_U32_B32(Lifter& l, const Instruction& i) {
  const Value count = l.b.Unary(Op::kPopcount, l.Src32(i, 0));
  l.Write32(i, l.b.Add(count, l.Src32(i, 1)));
}
void lift_V_MBCNT_LO_U32_B32(Lifter& l, const Instruction& i) { CountLanesBelow(l, i, 0); }
void lift_V_MBCNT_HI_U32_B32(Lifter& l, const Instruction& i) { CountLanesBelow(l, i, 1); }

}  // namespace gcnjit::frontend
