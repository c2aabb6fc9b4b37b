// f32 rounding to integers, fraction, exponent and significand, and scaling by powers of two.
#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {
namespace {

void ToWholeF32(Lifter& l, const Instruction& i, Whole how) {
  l.WriteF32(i, RoundToWhole(l.b, kF32, l.EnvF32(), l.SrcF32(i, 0), how));
}

// |x| as frexp sees it: a normal number's pattern, and by how much its exponent field is too large.
// Zero and denormals that MODE flushes remain what they are.
struct NormalF32 {
  Value pattern;
  Value bias;
};

NormalF32 NormalizeF32(Lifter& l, Value magnitude) {
  ir::Builder& b = l.b;
  if (FlushesF32Inputs(l)) return {magnitude, b.U32(126)};
  // A denormal is an integer count of 2^-149, which conversion to float normalises.
  const Value denormal = Mask(b, Op::kLtU, magnitude, b.U32(0x00800000));
  const Value lifted = b.Float(Op::kI32ToF32, l.EnvNearest(), 32, {magnitude});
  return {b.Select(denormal, lifted, magnitude), b.Select(denormal, b.U32(126 + 149), b.U32(126))};
}

Value CountsAsZero(Lifter& l, Value magnitude) {
  const uint32_t first_number = FlushesF32Inputs(l) ? 0x00800000 : 1;
  return Mask(l.b, Op::kLtU, magnitude, l.b.U32(first_number));
}
Value IsFinite(Lifter& l, Value magnitude) {
  return Mask(l.b, Op::kLtU, magnitude, l.b.U32(0x7F800000));
}

}  // namespace

void lift_V_TRUNC_F32(Lifter& l, const Instruction& i) { ToWholeF32(l, i, Whole::kTrunc); }
void lift_V_CEIL_F32(Lifter& l, const Instruction& i) { ToWholeF32(l, i, Whole::kCeil); }
void lift_V_FLOOR_F32(Lifter& l, const Instruction& i) { ToWholeF32(l, i, Whole::kFloor); }
void lift_V_RNDNE_F32(Lifter& l, const Instruction& i) { ToWholeF32(l, i, Whole::kNearest); }

// x - floor(x) stays below 1 although the difference of a small negative x rounds to it; gfx6 lacks
// that.
void lift_V_FRACT_F32(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvF32();
  const Value x = l.SrcF32(i, 0);
  const Value floor = RoundToWhole(b, kF32, env, x, Whole::kFloor);
  Value fraction = b.Float(Op::kFSub, env, 32, {x, floor});
  if (Has(l.generation(), kFractBelowOne)) {
    const Value below_one = b.U32(0x3F7FFFFF);
    const Value too_large = b.FCmp(kGreater, l.EnvNearest(), fraction, below_one);
    fraction = b.Select(too_large, below_one, fraction);
  }
  l.WriteF32(i, fraction);
}

// gfx6 gives -1 for infinities and NaNs, and the default NaN as the significand of an infinity.
void lift_V_FREXP_EXP_I32_F32(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value magnitude = Abs(b, kF32, l.SrcF32(i, 0));
  const NormalF32 number = NormalizeF32(l, magnitude);
  const Value exponent = b.Sub(b.Lshr(number.pattern, 23), number.bias);
  const Value of_finite = b.Select(CountsAsZero(l, magnitude), b.U32(0), exponent);
  const Value not_finite = b.U32(Has(l.generation(), kFrexpOfInfinity) ? 0 : ~0u);
  l.Write32(i, b.Select(IsFinite(l, magnitude), of_finite, not_finite));
}

void lift_V_FREXP_MANT_F32(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = l.SrcF32(i, 0);
  const Value magnitude = Abs(b, kF32, x);
  const Value fraction = b.And(NormalizeF32(l, magnitude).pattern, b.U32(0x007FFFFF));
  const Value number = b.Or(fraction, b.U32(0x3F000000));
  const Value unsigned_result = b.Select(CountsAsZero(l, magnitude), b.U32(0), number);
  const Value of_finite = b.Or(unsigned_result, SignOnly(b, kF32, x));
  // inf - inf is the default NaN; a NaN is quieted either way.
  const Value not_finite = Has(l.generation(), kFrexpOfInfinity)
                               ? Canonical(b, kF32, x)
                               : b.Float(Op::kFSub, l.EnvNearest(), 32, {x, x});
  l.WriteF32(i, b.Select(IsFinite(l, magnitude), of_finite, not_finite));
}

void lift_V_LDEXP_F32(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvF32();
  const Value x = l.SrcF32(i, 0);
  const Value exponent = l.Src32(i, 1);
  uint64_t known = 0;
  const int32_t n = b.IsConst(exponent, &known) ? static_cast<int32_t>(known) : INT32_MAX;
  if (n >= -126 && n <= 127) {
    const Value power = b.U32(static_cast<uint32_t>(n + 127) << 23);
    return l.WriteF32(i, b.Float(Op::kFMul, env, 32, {x, power}));
  }
  // The product is exact in f64, so that it is rounded (and flushed) once.
  const Value bounded = ClampS(b, exponent, -400, 400);
  const Value power = b.Pack(b.U32(0), b.Shl(b.Add(bounded, b.U32(1023)), 20));
  const Value wide = b.Float(Op::kF32ToF64, env, 64, {x});
  const Value scaled = b.Float(Op::kFMul, l.EnvNearest(), 64, {wide, power});
  l.WriteF32(i, b.Float(Op::kF64ToF32, env, 32, {scaled}));
}

}  // namespace gcnjit::frontend
