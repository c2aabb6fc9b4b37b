// Integer arithmetic that several families of lift_* functions share.
#pragma once

#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

inline Value Ternary(ir::Builder& b, Op op, Value x, Value y, Value z) {
  const bool lanes =
      ir::IsLanes(b.TypeOf(x)) || ir::IsLanes(b.TypeOf(y)) || ir::IsLanes(b.TypeOf(z));
  return b.Emit(op, lanes ? ir::Type::kV32 : ir::Type::kU32, {x, y, z});
}

// A compare as a lane mask: that of two scalars is a u1.
inline Value LaneMask(ir::Builder& b, Value compare) {
  if (b.TypeOf(compare) != ir::Type::kU1) return compare;
  return b.Select(compare, b.U64(~uint64_t{0}), b.U64(0));
}

// What a vector compare leaves: the active lanes of a lane mask.
inline void WriteCompare(Lifter& l, const Instruction& i, Value mask, bool to_exec) {
  const Value active = l.b.And(mask, l.Exec());
  l.WriteScalar64(i.dst, active);
  if (to_exec) l.SetSgpr64(kCodeExecLo, active);
}

// How a source narrower than a dword is extended.
enum class Sign { kSigned, kUnsigned };

// (1 << (count & 31)) - 1
inline Value LowBits(ir::Builder& b, Value count) {
  uint64_t n = 0;
  if (b.IsConst(count, &n)) return b.U32((1u << (n & 31)) - 1);
  return b.Sub(b.Shl(b.U32(1), count), b.U32(1));
}

inline Value IsZero(ir::Builder& b, Value v) {
  return b.Compare(Op::kEq, v, ir::Is64(b.TypeOf(v)) ? b.U64(0) : b.U32(0));
}

// 32-bit sums and differences that saturate.
inline Value AddSaturatedU(ir::Builder& b, Value x, Value y) {
  const Value sum = b.Add(x, y);
  return b.Select(b.Compare(Op::kLtU, sum, x), b.U32(~0u), sum);
}
inline Value SubSaturatedU(ir::Builder& b, Value x, Value y) {
  return b.Select(b.Compare(Op::kLtU, x, y), b.U32(0), b.Sub(x, y));
}
// `wrapped` or, where the sign bit of `overflow` is set, the limit on the side of x, a term of the
// sum.
inline Value LimitIfNegative(ir::Builder& b, Value overflow, Value wrapped, Value x) {
  const Value limit = b.Xor(b.Ashr(x, 31), b.U32(0x7FFFFFFF));
  return b.Select(b.Compare(Op::kLtS, overflow, b.U32(0)), limit, wrapped);
}
inline Value AddSaturatedS(ir::Builder& b, Value x, Value y) {
  const Value sum = b.Add(x, y);
  return LimitIfNegative(b, b.And(b.Xor(x, sum), b.Xor(y, sum)), sum, x);
}
inline Value SubSaturatedS(ir::Builder& b, Value x, Value y) {
  const Value difference = b.Sub(x, y);
  return LimitIfNegative(b, b.And(b.Xor(x, y), b.Xor(x, difference)), difference, x);
}

// The low dword of a 64-bit number, limited to the range of 32 bits.
inline Value SaturateU(ir::Builder& b, Value wide) {
  return b.Select(IsZero(b, b.High(wide)), b.Low(wide), b.U32(~0u));
}
inline Value SaturateS(ir::Builder& b, Value wide) {
  const Value low = b.Low(wide);
  const Value high = b.High(wide);
  const Value limit = b.Xor(b.Ashr(high, 31), b.U32(0x7FFFFFFF));
  return b.Select(b.Compare(Op::kEq, high, b.Ashr(low, 31)), low, limit);
}

// A signed 32-bit number, limited to [low, high].
inline Value ClampS(ir::Builder& b, Value v, int32_t low, int32_t high) {
  const Value not_below = b.Binary(Op::kMaxS, v, b.U32(static_cast<uint32_t>(low)));
  return b.Binary(Op::kMinS, not_below, b.U32(static_cast<uint32_t>(high)));
}

// The halves of two dwords in one.
inline Value PackHalves(ir::Builder& b, Value low, Value high) {
  return b.Or(b.And(low, b.U32(0xFFFF)), b.Shl(high, 16));
}

}  // namespace gcnjit::frontend
