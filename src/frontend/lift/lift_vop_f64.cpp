// f64 arithmetic, under MODE's f64 fields.
#include "frontend/lift/min_max.h"

namespace gcnjit::frontend {
namespace {

void ArithmeticF64(Lifter& l, const Instruction& i, Op op) {
  const Value x = l.SrcF64(i, 0);
  l.WriteF64(i, l.b.Float(op, l.EnvF64(), 64, {x, l.SrcF64(i, 1)}));
}

void ChooseF64(Lifter& l, const Instruction& i, MinMax::Wanted wanted) {
  MinMax choose(l, kF64);
  const Value x = l.SrcF64(i, 0);
  const Value y = SameSources(i) ? x : l.SrcF64(i, 1);
  l.WriteF64(i, choose.Finish(choose.Of(wanted, x, y)));
}

void ToWholeF64(Lifter& l, const Instruction& i, Whole how) {
  l.WriteF64(i, RoundToWhole(l.b, kF64, l.EnvF64(), l.SrcF64(i, 0), how));
}

// x with denormals made normal, unless MODE flushes them (fields of zeros and non-numbers mean
// nothing).
struct NormalF64 {
  Value number;
  Value bias;     // that of the exponent field
  Value is_zero;  // lane mask
};

constexpr int kLift = 100;  // 2^kLift makes any denormal normal

NormalF64 NormalizeF64(Lifter& l, Value x, uint32_t bias) {
  ir::Builder& b = l.b;
  const Value is_zero = b.FCmp(kEqual, l.EnvF64(), x, b.U64(0));
  if (FlushesF64Inputs(l)) return {x, b.U32(bias), is_zero};
  const Value power = b.U64(uint64_t{1023 + kLift} << 52);
  const Value lifted = b.Float(Op::kFMul, l.EnvNearest(), 64, {x, power});
  const Value denormal = HasExponent(b, kF64, x, 0);
  return {b.Select(denormal, lifted, x), b.Select(denormal, b.U32(bias + kLift), b.U32(bias)),
          is_zero};
}

Value ExponentField(ir::Builder& b, Value v) { return b.And(b.Lshr(b.High(v), 20), b.U32(0x7FF)); }
// The pattern with the given (biased) exponent in place of its own.
Value WithExponent(ir::Builder& b, Value v, uint32_t biased) {
  const Value rest = b.And(b.High(v), b.U32(0x800FFFFF));
  return b.Pack(b.Low(v), b.Or(rest, b.U32(biased << 20)));
}
Value PowerOfTwo(ir::Builder& b, Value exponent) {
  return b.Pack(b.U32(0), b.Shl(b.Add(exponent, b.U32(1023)), 20));
}

// x * 2^n with one rounding: the first of two products is exact.
Value Scale(Lifter& l, Value x, Value n) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvF64();
  const NormalF64 x_parts = NormalizeF64(l, x, 1023);
  const Value significand = WithExponent(b, x_parts.number, 1023);
  const Value own = b.Sub(ExponentField(b, x_parts.number), x_parts.bias);
  // Beyond +-2040 the result overflows or vanishes anyway.
  const Value exponent = ClampS(b, b.Add(own, ClampS(b, n, -5000, 5000)), -2040, 2040);
  const Value half = b.Ashr(exponent, 1);
  const Value exact = b.Float(Op::kFMul, l.EnvNearest(), 64, {significand, PowerOfTwo(b, half)});
  const Value scaled = b.Float(Op::kFMul, env, 64, {exact, PowerOfTwo(b, b.Sub(exponent, half))});
  const Value finite = b.Select(x_parts.is_zero, SignOnly(b, kF64, x), scaled);
  return b.Select(HasExponent(b, kF64, x, kF64.Infinity()), Canonical(b, kF64, x), finite);
}

}  // namespace

void lift_V_ADD_F64(Lifter& l, const Instruction& i) { ArithmeticF64(l, i, Op::kFAdd); }
void lift_V_MUL_F64(Lifter& l, const Instruction& i) { ArithmeticF64(l, i, Op::kFMul); }
void lift_V_FMA_F64(Lifter& l, const Instruction& i) {
  const Value x = l.SrcF64(i, 0);
  const Value y = l.SrcF64(i, 1);
  l.WriteF64(i, l.b.Float(Op::kFFma, l.EnvF64(), 64, {x, y, l.SrcF64(i, 2)}));
}
// To what the destination has.
void lift_V_FMAC_F64(Lifter& l, const Instruction& i) {
  const Value x = l.SrcF64(i, 0);
  const Value y = l.SrcF64(i, 1);
  const Value addend = l.b.Pack(l.Vgpr(i.dst.index), l.Vgpr(i.dst.index + 1));
  l.WriteF64(i, l.b.Float(Op::kFFma, l.EnvF64(), 64, {x, y, addend}));
}
void lift_V_MIN_F64(Lifter& l, const Instruction& i) { ChooseF64(l, i, MinMax::Wanted::kMin); }
void lift_V_MAX_F64(Lifter& l, const Instruction& i) { ChooseF64(l, i, MinMax::Wanted::kMax); }

void lift_V_TRUNC_F64(Lifter& l, const Instruction& i) { ToWholeF64(l, i, Whole::kTrunc); }
void lift_V_CEIL_F64(Lifter& l, const Instruction& i) { ToWholeF64(l, i, Whole::kCeil); }
void lift_V_FLOOR_F64(Lifter& l, const Instruction& i) { ToWholeF64(l, i, Whole::kFloor); }
void lift_V_RNDNE_F64(Lifter& l, const Instruction& i) { ToWholeF64(l, i, Whole::kNearest); }

void lift_V_FRACT_F64(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvF64();
  const Value x = l.SrcF64(i, 0);
  const Value floor = RoundToWhole(b, kF64, env, x, Whole::kFloor);
  Value fraction = b.Float(Op::kFSub, env, 64, {x, floor});
  if (Has(l.generation(), kFractBelowOne)) {
    const Value below_one = b.U64(0x3FEFFFFFFFFFFFFF);
    const Value too_large = b.FCmp(kGreater, l.EnvNearest(), fraction, below_one);
    fraction = b.Select(too_large, below_one, fraction);
  }
  l.WriteF64(i, fraction);
}

void lift_V_LDEXP_F64(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = l.SrcF64(i, 0);
  const Value exponent = l.Src32(i, 1);
  uint64_t known = 0;
  const int32_t n = b.IsConst(exponent, &known) ? static_cast<int32_t>(known) : INT32_MAX;
  if (n >= -1022 && n <= 1023) {
    const Value power = b.U64(static_cast<uint64_t>(n + 1023) << 52);
    return l.WriteF64(i, b.Float(Op::kFMul, l.EnvF64(), 64, {x, power}));
  }
  l.WriteF64(i, Scale(l, x, exponent));
}

// gfx6 answers infinities with the default NaN, and with -1.
void lift_V_FREXP_MANT_F64(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = l.SrcF64(i, 0);
  const NormalF64 parts = NormalizeF64(l, x, 1022);
  const Value number = WithExponent(b, parts.number, 1022);
  const Value finite = b.Select(parts.is_zero, SignOnly(b, kF64, x), number);
  const Value not_finite = Has(l.generation(), kFrexpOfInfinity)
                               ? Canonical(b, kF64, x)
                               : b.Float(Op::kFSub, l.EnvNearest(), 64, {x, x});
  l.WriteF64(i, b.Select(HasExponent(b, kF64, x, kF64.Infinity()), not_finite, finite));
}
void lift_V_FREXP_EXP_I32_F64(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = l.SrcF64(i, 0);
  const NormalF64 parts = NormalizeF64(l, x, 1022);
  const Value exponent = b.Sub(ExponentField(b, parts.number), parts.bias);
  const Value finite = b.Select(parts.is_zero, b.U32(0), exponent);
  const Value not_finite = b.U32(Has(l.generation(), kFrexpOfInfinity) ? 0 : ~0u);
  l.Write32(i, b.Select(HasExponent(b, kF64, x, kF64.Infinity()), not_finite, finite));
}

// Its table of 1184 bits is indexed by each lane's exponent, for which the IR has no operation.
void lift_V_TRIG_PREOP_F64(Lifter& l, const Instruction&) {
  l.Refuse("v_trig_preop_f64 looks up a table for each lane");
}

}  // namespace gcnjit::frontend
