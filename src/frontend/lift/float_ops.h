// Floating-point building blocks that several families of lift_* functions share.
#pragma once

#include "frontend/lift/integer_ops.h"
#include "frontend/lift/modifiers.h"

namespace gcnjit::frontend {

// Fields of MODE, as in runtime/state/wave_state.h.
inline bool FlushesF32Inputs(const Lifter& l) { return (l.mode() >> 4 & 1) == 0; }
inline bool FlushesF32Results(const Lifter& l) { return (l.mode() >> 4 & 2) == 0; }
inline bool FlushesF64Inputs(const Lifter& l) { return (l.mode() >> 6 & 1) == 0; }  // and f16
inline bool FlushesF64Results(const Lifter& l) { return (l.mode() >> 6 & 2) == 0; }
inline bool IsIeee(const Lifter& l) { return (l.mode() >> 9 & 1) != 0; }
// Rounding, as MODE counts it.
enum class Round : uint8_t { kNearest, kUp, kDown, kZero };
inline Round RoundF32(const Lifter& l) { return static_cast<Round>(l.mode() & 3); }
inline Round RoundF64(const Lifter& l) { return static_cast<Round>(l.mode() >> 2 & 3); }
// `imm` of kFRound.
enum class Whole : int8_t { kNearest, kFloor, kCeil, kTrunc };
inline Whole WholeOf(Round round) {
  constexpr Whole kOf[] = {Whole::kNearest, Whole::kCeil, Whole::kFloor, Whole::kTrunc};
  return kOf[static_cast<int>(round)];
}

// Predicates of FCmp.
enum Predicate : uint8_t {
  kEqual = 0,
  kLess = 1,
  kLessOrEqual = 2,
  kUnordered = 3,
  kOrdered = 7,
  kNotEqualOrdered = 12,
  kNotGreaterOrEqual = 9,  // less or unordered
  kNotLessOrEqual = 6,     // greater or unordered
  kGreaterOrEqual = 13,
  kGreater = 14,
};

// An IEEE format. f16 values are held in 32 bits.
struct FloatType {
  int bits;
  int fraction_bits;
  int bias;

  constexpr uint64_t Sign() const { return uint64_t{1} << (bits - 1); }
  constexpr uint64_t One() const { return static_cast<uint64_t>(bias) << fraction_bits; }
  constexpr uint64_t Infinity() const {
    return static_cast<uint64_t>(2 * bias + 1) << fraction_bits;
  }
  constexpr uint64_t Quiet() const { return uint64_t{1} << (fraction_bits - 1); }
  constexpr uint64_t SmallestNormal() const { return uint64_t{1} << fraction_bits; }
  constexpr uint64_t DefaultNan() const { return Sign() | Infinity() | Quiet(); }
  constexpr bool IsNan(uint64_t pattern) const { return (pattern & ~Sign()) > Infinity(); }
};
inline constexpr FloatType kF16 = {16, 10, 15};
inline constexpr FloatType kF32 = {32, 23, 127};
inline constexpr FloatType kF64 = {64, 52, 1023};

inline Value Pattern(ir::Builder& b, FloatType type, uint64_t pattern) {
  return type.bits == 64 ? b.U64(pattern) : b.U32(static_cast<uint32_t>(pattern));
}

// A lane mask, also of arguments that are the same for all lanes.
inline Value Mask(ir::Builder& b, Op compare, Value x, Value y) {
  return b.Emit(compare, ir::Type::kU64, {x, y});
}
inline Value Both(ir::Builder& b, Value mask, Value other) { return b.And(mask, other); }
inline Value Either(ir::Builder& b, Value mask, Value other) { return b.Or(mask, other); }

// The dword that holds sign and exponent.
inline Value Top(ir::Builder& b, FloatType type, Value v) {
  return type.bits == 64 ? b.High(v) : v;
}
// The same v with another top dword.
inline Value WithTop(ir::Builder& b, FloatType type, Value v, Value top) {
  return type.bits == 64 ? b.Pack(b.Low(v), top) : top;
}
// Of a constant: its part in the top dword.
inline uint32_t TopOf(FloatType type, uint64_t pattern) {
  return static_cast<uint32_t>(type.bits == 64 ? pattern >> 32 : pattern);
}

inline Value Abs(ir::Builder& b, FloatType type, Value v) {
  return b.And(v, Pattern(b, type, ~type.Sign()));
}
inline Value Negate(ir::Builder& b, FloatType type, Value v) {
  return b.Xor(v, Pattern(b, type, type.Sign()));
}
inline Value SignOnly(ir::Builder& b, FloatType type, Value v) {
  const Value sign = b.And(Top(b, type, v), b.U32(TopOf(type, type.Sign())));
  return type.bits == 64 ? b.Pack(b.U32(0), sign) : sign;
}
inline Value HasExponent(ir::Builder& b, FloatType type, Value v, uint64_t exponent_bits) {
  const Value field = b.And(Top(b, type, v), b.U32(TopOf(type, type.Infinity())));
  return Mask(b, Op::kEq, field, b.U32(TopOf(type, exponent_bits)));
}
// Denormals become zeros of their sign.
inline Value FlushDenormals(ir::Builder& b, FloatType type, Value v) {
  return b.Select(HasExponent(b, type, v, 0), SignOnly(b, type, v), v);
}

// v, NaNs quieted; denormals flushed as `env` says.
inline Value Canonical(ir::Builder& b, FloatType type, Value v, FloatEnv env = {}) {
  return b.Float(Op::kFMul, env, type.bits, {v, Pattern(b, type, type.One())});
}
inline Value RoundToWhole(ir::Builder& b, FloatType type, FloatEnv env, Value v, Whole how) {
  return b.Float(Op::kFRound, env, type.bits, {v}, static_cast<int64_t>(how));
}

// ---- f16, as f32: every half is a normal f32. See the interpreter's half.h for why rounding twice
// is right.
// v without an `and` that concerns its high half only.
inline Value IgnoringHighHalf(ir::Builder& b, Value v) {
  const ir::Inst& inst = b.function()[v];
  if (inst.op != Op::kAnd || ir::Is64(inst.type)) return v;
  for (int n = 0; n < 2; ++n) {
    uint64_t kept = 0;
    if (b.IsConst(inst.args[n], &kept) && (kept & 0xFFFF) == 0xFFFF) return inst.args[1 - n];
  }
  return v;
}
inline Value WidenHalf(ir::Builder& b, Value half, bool flush) {
  half = IgnoringHighHalf(b, half);
  const Value wide = b.Emit(Op::kF16ToF32, ir::Type::kV32, {half});
  if (!flush) return wide;
  return b.Select(HasExponent(b, kF16, half, 0), SignOnly(b, kF32, wide), wide);
}
inline Value ReadHalf(Lifter& l, const Instruction& i, int n) {
  return WidenHalf(l.b, l.SrcF16(i, n), FlushesF64Inputs(l));
}
// `preserves`: gfx9 keeps the other half of the register.
inline void StoreHalf(Lifter& l, const Instruction& i, Value half, bool preserves = false) {
  l.WriteF16(i, half, preserves && IsGfx9(l.generation()));
}
inline void WriteHalf(Lifter& l, const Instruction& i, Value f32, bool preserves = false) {
  StoreHalf(l, i, NarrowToF16(l, f32, HalfNarrowingOf(l)), preserves);
}

// a * b + c of widened halves, fused, such that rounding it to f16 is the only rounding.
Value FusedHalf(Lifter& l, Value x, Value y, Value z);

}  // namespace gcnjit::frontend
