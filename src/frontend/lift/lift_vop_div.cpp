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
Round RoundOf(const Lifter& l, FloatType type) {
  return type.bits == 32 ? RoundF32(l) : RoundF64(l);
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
  const Value sources[] = {Source(l, i, type, 0), Source(l, i, type, 1), Source(l, i, type, 2)};
  const auto prepared = [&](Value source) {
    return FlushesInputs(l, type) ? FlushDenormals(b, type, source) : source;
  };
  const Value v = prepared(sources[0]);
  const Value d = prepared(sources[1]);
  const Value n = prepared(sources[2]);
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
  const Value result = b.Select(has_zero, Pattern(b, type, type.DefaultNan()), scaled);
  Write(l, i, type, result);
  l.WriteMask(i.sdst, post_scale);
  l.divisions.Add(Divisions::Scale{result, sources[0], sources[1], sources[2], l.Mask(i.sdst)});
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

// What to multiply by 2^-scale instead of `near`, the nearest number to s = x * y + z, such that a
// denormal product is s * 2^-scale rounded once, to nearest. s lies between two neighbours, unless
// it is one of them. The product has less precision than they. If it lacks two bits or more, take
// the odd neighbour (no further rounding then mistakes s for a tie, or a number); if it lacks one,
// the even neighbour is the product's nearest number, for the odd one is a tie on the far side of
// s.
Value ToScaleDown(Lifter& l, FloatType type, Value x, Value y, Value z, Value near) {
  ir::Builder& b = l.b;
  const int scale = RulesOf(type).scale;
  const Value below = b.Float(Op::kFFma, Directed(1), type.bits, {x, y, z});
  const Value above = b.Float(Op::kFFma, Directed(2), type.bits, {x, y, z});
  const Value low = type.bits == 64 ? b.Low(below) : below;
  const Value is_odd = Mask(b, Op::kNe, b.And(low, b.U32(1)), b.U32(0));
  const Value odd = b.Select(is_odd, below, above);  // +0 of zeros that differ
  const Value even = b.Select(is_odd, above, below);
  const Value exponent = Exponent(b, type, odd);
  const Value lacks_one_bit = Mask(b, Op::kEq, exponent, Int(b, scale));
  const Value lacks_none = Mask(b, Op::kLtS, Int(b, scale), exponent);
  return b.Select(lacks_none, near, b.Select(lacks_one_bit, even, odd));
}

// x * y + z, in the lanes that VCC selects times 2^scale where |z| >= 2, else times 2^-scale; all
// rounded once.
void DivFmas(Lifter& l, const Instruction& i, FloatType type) {
  ir::Builder& b = l.b;
  const int scale = RulesOf(type).scale;
  const FloatEnv env = FmasEnv(l, type);
  const Value x = Source(l, i, type, 0);
  const Value y = Source(l, i, type, 1);
  const Value z = Source(l, i, type, 2);
  const auto times = [&](Value v, Value w) { return b.Float(Op::kFMul, env, type.bits, {v, w}); };
  const Value sum = b.Float(Op::kFFma, env, type.bits, {x, y, z});

  // Upwards the second rounding is exact: beside a z of 2 or more, a sum is 0 or a normal number.
  // Downwards it is if the result is normal. Directed roundings may be repeated, and what MODE
  // flushes need not be right.
  Value unscaled = sum;
  if (RoundOf(l, type) == Round::kNearest && !FlushesResults(l, type)) {
    unscaled = ToScaleDown(l, type, x, y, z, sum);
  }
  const Value is_up = Mask(b, Op::kLtU, Int(b, type.bias), Exponent(b, type, z));
  const Value factor = b.Select(is_up, PowerOfTwo(b, type, scale), PowerOfTwo(b, type, -scale));
  Value scaled = times(unscaled, factor);

  // A sum that overflows before it is scaled down: its product is so large that z, scaled or not,
  // can only tell on which side of a number it is, and both factors have room below.
  const Value half = PowerOfTwo(b, type, -scale / 2);
  const Value large = b.Float(Op::kFFma, env, type.bits, {times(x, half), times(y, half), z});
  const Value overflows = Mask(b, Op::kLeS, Int(b, 2 * type.bias), Exponent(b, type, sum));
  // Of infinite factors `large` may be NaN: then the sum, an infinity or NaN itself, is right.
  const Value is_large = Both(b, b.AndNot(overflows, is_up), b.FCmp(kOrdered, env, large, large));
  scaled = b.Select(is_large, large, scaled);
  const Value mask = l.Sgpr64(kCodeVccLo);
  const Value result = b.Select(mask, scaled, sum);
  Write(l, i, type, result);
  l.divisions.Add(Divisions::Fmas{result, x, y, z, mask});
}

// Is the quotient what v_div_scale and so on make of these? As IEEE has it, then, which is what
// v_div_fixup leaves of it: of NaNs the numerator's, quieted, else the denominator's; the default
// NaN is the host's, too.
bool IsWholeDivision(const Lifter& l, FloatType type, Value quotient, Value denominator,
                     Value numerator) {
  if (type.bits == 16 || RoundOf(l, type) != Round::kNearest) return false;
  if (FlushesInputs(l, type) || FlushesResults(l, type)) return false;
  return l.divisions.IsQuotient(l.b.function(), quotient, denominator, numerator, EnvOf(l, type));
}

// The quotient with its sign, unless the operands ask for something special.
Value DivFixup(Lifter& l, const Instruction& i, FloatType type, Round round) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvNearest();
  const bool flush = FlushesInputs(l, type);
  const Value quotient = Source(l, i, type, 0);
  const Value denominator = Source(l, i, type, 1);
  const Value numerator = Source(l, i, type, 2);
  if (IsWholeDivision(l, type, quotient, denominator, numerator)) {
    return b.Float(Op::kFDiv, env, type.bits, {numerator, denominator});
  }
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

void lift_V_DIV_FMAS_F32(Lifter& l, const Instruction& i) { DivFmas(l, i, kF32); }
void lift_V_DIV_FMAS_F64(Lifter& l, const Instruction& i) { DivFmas(l, i, kF64); }

void lift_V_DIV_FIXUP_F32(Lifter& l, const Instruction& i) {
  Write(l, i, kF32, DivFixup(l, i, kF32, RoundF32(l)));
}
void lift_V_DIV_FIXUP_F64(Lifter& l, const Instruction& i) {
  Write(l, i, kF64, DivFixup(l, i, kF64, RoundF64(l)));
}
void lift_V_DIV_FIXUP_F16(Lifter& l, const Instruction& i) { DivFixupF16(l, i, true); }
void lift_V_DIV_FIXUP_LEGACY_F16(Lifter& l, const Instruction& i) { DivFixupF16(l, i, false); }

}  // namespace gcnjit::frontend
