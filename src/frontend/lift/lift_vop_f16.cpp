// f16 arithmetic (gfx8-9), in f32, under MODE's f64/f16 fields.
//
// v_mad_f16 and its kin round the product to f16 and flush denormals always.
#include "frontend/lift/min_max.h"

namespace gcnjit::frontend {
namespace {

void ArithmeticF16(Lifter& l, const Instruction& i, Op op) {
  const Value x = ReadHalf(l, i, 0);
  WriteHalf(l, i, l.b.Float(op, l.EnvF64(), 32, {x, ReadHalf(l, i, 1)}));
}

// x * y + z of halves.
void MultiplyAdd(Lifter& l, const Instruction& i, Value x, Value y, Value z, bool preserves) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvF64();
  HalfNarrowing narrowing = HalfNarrowingOf(l);
  narrowing.flush_denormals = true;
  const auto widen = [&b](Value half) { return WidenHalf(b, half, true); };
  const Value product = b.Float(Op::kFMul, env, 32, {widen(x), widen(y)});
  const Value rounded = WidenHalf(b, NarrowToF16(l, product, narrowing), false);
  const Value sum = b.Float(Op::kFAdd, env, 32, {rounded, widen(z)});
  StoreHalf(l, i, NarrowToF16(l, sum, narrowing), preserves);
}
void Mad(Lifter& l, const Instruction& i, bool preserves) {
  const Value x = l.SrcF16(i, 0);
  const Value y = l.SrcF16(i, 1);
  MultiplyAdd(l, i, x, y, l.SrcF16(i, 2), preserves);
}

void Fma(Lifter& l, const Instruction& i, bool preserves) {
  const Value x = ReadHalf(l, i, 0);
  const Value y = ReadHalf(l, i, 1);
  WriteHalf(l, i, FusedHalf(l, x, y, ReadHalf(l, i, 2)), preserves);
}

using Wanted = MinMax::Wanted;

void ChooseF16(Lifter& l, const Instruction& i, Wanted wanted) {
  MinMax choose(l, kF16);
  const Value x = l.SrcF16(i, 0);
  const Value y = SameSources(i) ? x : l.SrcF16(i, 1);
  StoreHalf(l, i, choose.Finish(choose.Of(wanted, x, y)));
}
void Choose3F16(Lifter& l, const Instruction& i, Wanted wanted) {
  MinMax choose(l, kF16);
  const Value x = l.SrcF16(i, 0);
  const Value y = l.SrcF16(i, 1);
  const Value z = l.SrcF16(i, 2);
  StoreHalf(l, i, choose.Finish(choose.Of(wanted, choose.Of(wanted, x, y), z)), true);
}

void ToWholeF16(Lifter& l, const Instruction& i, Whole how) {
  WriteHalf(l, i, RoundToWhole(l.b, kF32, l.EnvNearest(), ReadHalf(l, i, 0), how));
}

}  // namespace

// To nearest, the f32 sum is rounded to odd: the error of a sum (Knuth) tells whether it is exact,
// and which way the other neighbour is. Directed roundings may be repeated.
Value FusedHalf(Lifter& l, Value x, Value y, Value z) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvF64();
  if (RoundF64(l) != Round::kNearest) {
    return b.Float(Op::kFFma, env, 32, {x, y, z});  // the product is exact
  }
  const auto sub = [&](Value p, Value q) { return b.Float(Op::kFSub, env, 32, {p, q}); };
  const Value product = b.Float(Op::kFMul, env, 32, {x, y});
  const Value sum = b.Float(Op::kFFma, env, 32, {x, y, z});
  const Value of_z = sub(sum, product);
  const Value lost = b.Float(Op::kFAdd, env, 32, {sub(product, sub(sum, of_z)), sub(z, of_z)});
  const Value is_inexact = b.FCmp(kNotEqualOrdered, env, lost, b.U32(0));
  const Value away = b.Or(b.Ashr(b.Xor(lost, sum), 31), b.U32(1));  // 1 if away from zero, else -1
  const Value is_even = Mask(b, Op::kEq, b.And(sum, b.U32(1)), b.U32(0));
  return b.Select(Both(b, is_inexact, is_even), b.Add(sum, away), sum);
}

void lift_V_ADD_F16(Lifter& l, const Instruction& i) { ArithmeticF16(l, i, Op::kFAdd); }
void lift_V_SUB_F16(Lifter& l, const Instruction& i) { ArithmeticF16(l, i, Op::kFSub); }
void lift_V_SUBREV_F16(Lifter& l, const Instruction& i) {
  const Value subtrahend = ReadHalf(l, i, 0);
  WriteHalf(l, i, l.b.Float(Op::kFSub, l.EnvF64(), 32, {ReadHalf(l, i, 1), subtrahend}));
}
void lift_V_MUL_F16(Lifter& l, const Instruction& i) { ArithmeticF16(l, i, Op::kFMul); }

void lift_V_MAC_F16(Lifter& l, const Instruction& i) {
  const Value x = l.SrcF16(i, 0);
  const Value y = l.SrcF16(i, 1);
  MultiplyAdd(l, i, x, y, LowHalf(l.b, l.Dst32(i)), true);
}
// The literal stands in the place of its operand.
void lift_V_MADMK_F16(Lifter& l, const Instruction& i) { Mad(l, i, true); }
void lift_V_MADAK_F16(Lifter& l, const Instruction& i) { Mad(l, i, true); }
void lift_V_MAD_F16(Lifter& l, const Instruction& i) { Mad(l, i, true); }
void lift_V_MAD_LEGACY_F16(Lifter& l, const Instruction& i) { Mad(l, i, false); }
void lift_V_FMA_F16(Lifter& l, const Instruction& i) { Fma(l, i, true); }
void lift_V_FMA_LEGACY_F16(Lifter& l, const Instruction& i) { Fma(l, i, false); }

void lift_V_MIN_F16(Lifter& l, const Instruction& i) { ChooseF16(l, i, Wanted::kMin); }
void lift_V_MAX_F16(Lifter& l, const Instruction& i) { ChooseF16(l, i, Wanted::kMax); }
void lift_V_MIN3_F16(Lifter& l, const Instruction& i) { Choose3F16(l, i, Wanted::kMin); }
void lift_V_MAX3_F16(Lifter& l, const Instruction& i) { Choose3F16(l, i, Wanted::kMax); }
void lift_V_MED3_F16(Lifter& l, const Instruction& i) {
  MinMax choose(l, kF16);
  const Value x = l.SrcF16(i, 0);
  const Value y = l.SrcF16(i, 1);
  StoreHalf(l, i, choose.Finish(choose.Median(x, y, l.SrcF16(i, 2))), true);
}

void lift_V_TRUNC_F16(Lifter& l, const Instruction& i) { ToWholeF16(l, i, Whole::kTrunc); }
void lift_V_CEIL_F16(Lifter& l, const Instruction& i) { ToWholeF16(l, i, Whole::kCeil); }
void lift_V_FLOOR_F16(Lifter& l, const Instruction& i) { ToWholeF16(l, i, Whole::kFloor); }
void lift_V_RNDNE_F16(Lifter& l, const Instruction& i) { ToWholeF16(l, i, Whole::kNearest); }

// Exact in f32. What would round up to 1 becomes the largest half below it.
void lift_V_FRACT_F16(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = ReadHalf(l, i, 0);
  const Value floor = RoundToWhole(b, kF32, l.EnvNearest(), x, Whole::kFloor);
  const Value fraction = b.Float(Op::kFSub, l.EnvF64(), 32, {x, floor});
  const Value below_one = b.U32(0x3F7FE000);
  const Value too_large = b.FCmp(kGreater, l.EnvNearest(), fraction, below_one);
  WriteHalf(l, i, b.Select(too_large, below_one, fraction));
}

// Beyond +-50 every half overflows or vanishes. The product is exact in f32.
void lift_V_LDEXP_F16(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = ReadHalf(l, i, 0);
  const Value exponent = ClampS(b, l.SrcI16(i, 1), -50, 50);
  const Value power = b.Shl(b.Add(exponent, b.U32(127)), 23);
  WriteHalf(l, i, b.Float(Op::kFMul, l.EnvNearest(), 32, {x, power}));
}

namespace {

// Zeros, infinities and NaNs have no parts.
Value HasParts(ir::Builder& b, Value x) {
  const Value magnitude = Abs(b, kF32, x);
  return Mask(b, Op::kLtU, b.Sub(magnitude, b.U32(1)), b.U32(0x7F800000 - 1));
}

}  // namespace

void lift_V_FREXP_MANT_F16(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = ReadHalf(l, i, 0);
  const Value number = b.Or(b.And(x, b.U32(0x807FFFFF)), b.U32(0x3F000000));
  WriteHalf(l, i, b.Select(HasParts(b, x), number, x));
}
void lift_V_FREXP_EXP_I16_F16(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = ReadHalf(l, i, 0);
  const Value exponent = b.Sub(b.Lshr(Abs(b, kF32, x), 23), b.U32(126));
  l.Write16(i, b.Select(HasParts(b, x), exponent, b.U32(0)));
}

}  // namespace gcnjit::frontend
