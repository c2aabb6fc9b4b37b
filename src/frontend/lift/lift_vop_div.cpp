// v_div_scale, v_div_fmas, v_div_fixup: the rules are those of the interpreter's division.h, which
// names their sources.
#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {
namespace {

bool FlushesInputs(const Lifter& l, FloatType type) {
  return type.bits == 32 ? FlushesF32Inputs(l) : FlushesF64Inputs(l);
}
bool FlushesResults(const Lifter& l, FloatType type) {
  return type.bits == 32 ? FlushesF32Results(l) : FlushesF64Results(l);
}
FloatEnv EnvOf(const Lifter& l, FloatType type) {
  return type.bits == 32 ? l.EnvF32() : l.EnvF64();
}
Value Source(Lifter& l, const Instruction& i, FloatType type, int n) {
  return type.bits == 64 ? l.SrcF64(i, n) : type.bits == 32 ? l.SrcF32(i, n) : l.SrcF16(i, n);
}
void Write(Lifter& l, const Instruction& i, FloatType type, Value v) {
  type.bits == 64 ? l.WriteF64(i, v) : l.WriteF32(i, v);
}

// The biased exponent; 0 for zeros and denormals.
Value Exponent(ir::Builder& b, FloatType type, Value v) {
  const int shift = type.fraction_bits - (type.bits == 64 ? 32 : 0);
  return b.And(b.Lshr(Top(b, type, v), static_cast<uint32_t>(shift)),
               b.U32(static_cast<uint32_t>(2 * type.bias + 1)));
}
Value PowerOfTwo(ir::Builder& b, FloatType type, int exponent) {
  return Pattern(b, type, static_cast<uint64_t>(exponent + type.bias) << type.fraction_bits);
}
Value Int(ir::Builder& b, int n) { return b.U32(static_cast<uint32_t>(n)); }

struct DivisionRules {
  int far_apart;  // difference of exponents that asks for a post-scale
  int scale;
  int tiny;  // biased exponent of a numerator without room for residuals
};
constexpr DivisionRules RulesOf(FloatType type) {
  return type.bits == 32 ? DivisionRules{96, 64, 24} : DivisionRules{768, 128, 53};
}

void DivScale(Lifter& l, const Instruction& i, FloatType type) {
  ir::Builder& b = l.b;
  const DivisionRules rules = RulesOf(type);
  const auto prepared = [&](int n) {
    const Value v = Source(l, i, type, n);
    return FlushesInputs(l, type) ? FlushDenormals(b, type, v) : v;
  };
  const Value v = prepared(0);
  const Value d = prepared(1);
  const Value n = prepared(2);
  const Value d_exponent = Exponent(b, type, d);
  const Value n_exponent = Exponent(b, type, n);
  const Value apart = b.Sub(n_exponent, d_exponent);
  const Value is_denominator = Mask(b, Op::kEq, v, d);
  const Value is_large = Mask(b, Op::kLeS, Int(b, rules.far_apart), apart);
  const Value is_small = Mask(b, Op::kLeS, apart, Int(b, -rules.far_apart));
  const Value d_is_denormal = Mask(b, Op::kEq, d_exponent, b.U32(0));
  const Value d_is_huge = Mask(b, Op::kLeU, Int(b, 2 * type.bias - 1), d_exponent);
  const Value n_is_tiny = Mask(b, Op::kLeU, n_exponent, Int(b, rules.tiny));

  // The factor, lowest priority first.
  const Value one = PowerOfTwo(b, type, 0);
  const Value up = PowerOfTwo(b, type, rules.scale);
  const Value down = PowerOfTwo(b, type, -rules.scale);
  Value factor = b.Select(n_is_tiny, up, one);
  factor = b.Select(is_small, b.Select(is_denominator, one, up), factor);
  const Value small_numerator = b.AndNot(is_small, is_denominator);
  factor = b.Select(d_is_huge, b.Select(small_numerator, one, down), factor);
  factor = b.Select(d_is_denormal, up, factor);
  factor = b.Select(is_large, b.Select(is_denominator, up, one), factor);
  const Value post_scale = Either(b, is_large, b.AndNot(is_small, d_is_denormal));

  const Value zero = Pattern(b, type, 0);
  const Value has_zero =
      Either(b, b.FCmp(kEqual, l.EnvNearest(), d, zero), b.FCmp(kEqual, l.EnvNearest(), n, zero));
  const Value scaled = b.Float(Op::kFMul, EnvOf(l, type), type.bits, {v, factor});
  Write(l, i, type, b.Select(has_zero, Pattern(b, type, type.DefaultNan()), scaled));
  l.WriteMask(i.sdst, post_scale);
}

// Denormal operands always count; MODE says what becomes of denormal results.
FloatEnv FmasEnv(const Lifter& l, FloatType type) {
  FloatEnv env = EnvOf(l, type);
  env.bits = static_cast<uint16_t>(env.bits & ~FloatEnv::kFlushInputs);
  return env;
}

FloatEnv Directed(uint16_t host_rounding) {
  return {static_cast<uint16_t>(host_rounding << FloatEnv::kRoundShift)};
}

// (x * y + z) * 2^+-64 of f32 numbers, rounded once: up where |z| >= 2. The sum is formed in f64
// and rounded to odd, of which any further rounding is one of the exact sum. Infinity or NaN if an
// operand is no number.
Value ScaledFma32(Lifter& l, Value x, Value y, Value z, Value* sum) {
  ir::Builder& b = l.b;
  const auto widen = [&b](Value v) { return b.Float(Op::kF32ToF64, {}, 64, {v}); };
  const Value product = b.Float(Op::kFMul, {}, 64, {widen(x), widen(y)});  // exact
  const Value addend = widen(z);
  const Value below = b.Float(Op::kFAdd, Directed(1), 64, {product, addend});
  const Value above = b.Float(Op::kFAdd, Directed(2), 64, {product, addend});
  // The two are neighbours, of which one is odd, or the same. Zeros of different signs: that of
  // MODE's rounding.
  const bool down = RoundF32(l) == Round::kDown;
  const Value odd = down ? above : below;
  const Value even = down ? below : above;
  const Value is_odd = Mask(b, Op::kNe, b.And(b.Low(odd), b.U32(1)), b.U32(0));
  *sum = b.Select(is_odd, odd, even);
  const Value is_large = Mask(b, Op::kLtU, b.U32(127), Exponent(b, kF32, z));
  const Value factor = b.Select(is_large, PowerOfTwo(b, kF64, 64), PowerOfTwo(b, kF64, -64));
  const Value scaled = b.Float(Op::kFMul, {}, 64, {*sum, factor});
  return b.Float(Op::kF64ToF32, FmasEnv(l, kF32), 32, {scaled});
}

// The quotient with its sign, unless the operands ask for something special.
Value DivFixup(Lifter& l, const Instruction& i, FloatType type, Round round) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvNearest();
  const bool flush = FlushesInputs(l, type);
  const Value quotient = Source(l, i, type, 0);
  const Value denominator = Source(l, i, type, 1);
  const Value numerator = Source(l, i, type, 2);
  // Compares see halves as f32.
  const auto number = [&](Value v) { return type.bits == 16 ? WidenHalf(b, v, false) : v; };
  const FloatType wide = type.bits == 16 ? kF32 : type;
  const Value d = number(denominator);
  const Value n = number(numerator);
  const auto is_zero = [&](Value pattern, Value v) {
    return flush ? HasExponent(b, type, pattern, 0) : b.FCmp(kEqual, env, v, Pattern(b, wide, 0));
  };
  const auto is_infinite = [&](Value v) {
    return b.FCmp(kEqual, env, Abs(b, wide, v), Pattern(b, wide, wide.Infinity()));
  };
  const auto is_nan = [&](Value v) { return b.FCmp(kUnordered, env, v, v); };
  const auto quieted = [&](Value pattern) {
    const Value quiet = b.U32(TopOf(type, type.Quiet()));
    return WithTop(b, type, pattern, b.Or(Top(b, type, pattern), quiet));
  };

  const Value top_sign = b.And(b.Xor(Top(b, type, denominator), Top(b, type, numerator)),
                               b.U32(TopOf(type, type.Sign())));
  const auto with_sign = [&](uint64_t magnitude) {
    const Value top = b.Or(top_sign, b.U32(TopOf(type, magnitude)));
    return type.bits == 64 ? b.Pack(b.U32(static_cast<uint32_t>(magnitude)), top) : top;
  };
  const auto by_sign = [&](uint64_t positive, uint64_t negative) {
    if (positive == negative) return with_sign(positive);
    const Value is_negative = Mask(b, Op::kNe, top_sign, b.U32(0));
    return b.Select(is_negative, with_sign(negative), with_sign(positive));
  };
  const uint64_t infinity = type.Infinity();
  const uint64_t largest = infinity - 1;
  const bool all_to_infinity = round == Round::kNearest;
  const Value overflow = by_sign(all_to_infinity || round == Round::kUp ? infinity : largest,
                                 all_to_infinity || round == Round::kDown ? infinity : largest);

  // Lowest priority first.
  const Value q = number(quotient);
  const Value q_abs = Abs(b, type, quotient);
  Value result = WithTop(b, type, q_abs, b.Or(Top(b, type, q_abs), top_sign));
  const Value q_is_finite = b.FCmp(kLess, env, Abs(b, wide, q), Pattern(b, wide, wide.Infinity()));
  result = b.Select(q_is_finite, result, overflow);
  if (type.bits != 16) {  // the quotient of halves comes from f32
    const bool smallest = !FlushesResults(l, type);
    const Value underflow =
        by_sign(smallest && round == Round::kUp ? 1 : 0, smallest && round == Round::kDown ? 1 : 0);
    const Value apart = b.Sub(Exponent(b, type, numerator), Exponent(b, type, denominator));
    const Value limit = Int(b, -(type.bias + type.fraction_bits));
    result = b.Select(Mask(b, Op::kLtS, apart, limit), underflow, result);
  }
  const Value d_is_zero = is_zero(denominator, d);
  const Value n_is_zero = is_zero(numerator, n);
  const Value d_is_infinite = is_infinite(d);
  const Value n_is_infinite = is_infinite(n);
  result = b.Select(Either(b, d_is_infinite, n_is_zero), with_sign(0), result);
  result = b.Select(Either(b, d_is_zero, n_is_infinite), with_sign(infinity), result);
  const Value invalid =
      Either(b, Both(b, d_is_zero, n_is_zero), Both(b, d_is_infinite, n_is_infinite));
  result = b.Select(invalid, Pattern(b, type, type.DefaultNan()), result);
  result = b.Select(is_nan(d), quieted(denominator), result);
  return b.Select(is_nan(n), quieted(numerator), result);
}

void DivFixupF16(Lifter& l, const Instruction& i, bool preserves) {
  // MODE.FP16_OVFL makes an overflow the largest number, as rounding toward zero does.
  const Round round = HalfNarrowingOf(l).saturate ? Round::kZero : RoundF64(l);
  StoreHalf(l, i, DivFixup(l, i, kF16, round), preserves);
}

}  // namespace

void lift_V_DIV_SCALE_F32(Lifter& l, const Instruction& i) { DivScale(l, i, kF32); }
void lift_V_DIV_SCALE_F64(Lifter& l, const Instruction& i) { DivScale(l, i, kF64); }

void lift_V_DIV_FMAS_F32(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value x = l.SrcF32(i, 0);
  const Value y = l.SrcF32(i, 1);
  const Value z = l.SrcF32(i, 2);
  const Value unscaled = b.Float(Op::kFFma, FmasEnv(l, kF32), 32, {x, y, z});
  Value sum;
  const Value scaled = ScaledFma32(l, x, y, z, &sum);
  // Infinities and NaNs are not scaled: v - v is no NaN only if v is a number.
  const Value rest = b.Float(Op::kFSub, {}, 64, {sum, sum});
  const Value is_finite = b.FCmp(kOrdered, {}, rest, rest);
  const Value post_scale = Both(b, l.Sgpr64(kCodeVccLo), is_finite);
  l.WriteF32(i, b.Select(post_scale, scaled, unscaled));
}

// A lane that VCC selects needs (a * b + c) * 2^-128 with one rounding and a range beyond f64's.
void lift_V_DIV_FMAS_F64(Lifter& l, const Instruction&) {
  l.Refuse("v_div_fmas_f64 scales before it rounds");
}

void lift_V_DIV_FIXUP_F32(Lifter& l, const Instruction& i) {
  Write(l, i, kF32, DivFixup(l, i, kF32, RoundF32(l)));
}
void lift_V_DIV_FIXUP_F64(Lifter& l, const Instruction& i) {
  Write(l, i, kF64, DivFixup(l, i, kF64, RoundF64(l)));
}
void lift_V_DIV_FIXUP_F16(Lifter& l, const Instruction& i) { DivFixupF16(l, i, true); }
void lift_V_DIV_FIXUP_LEGACY_F16(Lifter& l, const Instruction& i) { DivFixupF16(l, i, false); }

}  // namespace gcnjit::frontend
