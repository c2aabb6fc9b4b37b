// Results: OMOD and clamp of floats, then the store under EXEC with what the encoding says of the
// destination.
#include "frontend/lift/float_ops.h"
#include "frontend/lift/modifiers.h"
#include "frontend/lift/signalling_nans.h"

namespace gcnjit::frontend {
namespace {

constexpr uint32_t kModeAllowF32ResultDenormals = 2u << kModeDenorm32Shift;
constexpr uint32_t kModeAllowF64ResultDenormals = 2u << kModeDenorm64Shift;

// OMOD is not IEEE: it is ignored where MODE asks for IEEE or for result denormals, and it turns -0
// and denormals into +0; NaNs stay. What it makes denormal is a zero of its sign.
bool Scales(const Lifter& l, const Instruction& i, uint32_t allow_denormals) {
  return i.omod != 0 && (l.mode() & (kModeIeee | allow_denormals)) == 0;
}

// Of OMOD 1, 2, 3: 2.0, 4.0, 0.5.
uint32_t Factor32(int omod) { return omod == 1 ? 0x40000000 : omod == 2 ? 0x40800000 : 0x3F000000; }
uint64_t Factor64(int omod) {
  return uint64_t{omod == 1 ? 0x40000000u : omod == 2 ? 0x40100000u : 0x3FE00000u} << 32;
}

// `scaled`, but 0 where v is less than the least normal number, and v where it is a NaN, which
// arithmetic would quiet.
Value Scaled(ir::Builder& b, FloatType type, Value v, Value scaled) {
  const Value size = Abs(b, type, v);
  const Value is_tiny = Mask(b, Op::kLtU, size, Pattern(b, type, type.SmallestNormal()));
  const Value is_nan = Mask(b, Op::kLtU, Pattern(b, type, type.Infinity()), size);
  return b.Select(is_nan, v, b.Select(is_tiny, Pattern(b, type, 0), scaled));
}

// What clamp makes of NaNs: 0 under DX10_CLAMP, else they stay.
Value ClampedNan(Lifter& l, Value nan, Value zero) {
  return (l.mode() & kModeDx10Clamp) != 0 ? zero : nan;
}

// To [0, 1]: as integers, positive floats are ordered and negative ones are negative.
Value ClampF32(Lifter& l, Value v) {
  ir::Builder& b = l.b;
  const Value zero = b.U32(0);
  const Value limited = b.Binary(Op::kMinS, b.Binary(Op::kMaxS, v, zero), b.U32(0x3F800000));
  const Value is_nan = b.FCmp(kUnordered, l.EnvNearest(), v, v);
  return b.Select(is_nan, ClampedNan(l, v, zero), limited);
}

Value ClampF64(Lifter& l, Value v) {
  ir::Builder& b = l.b;
  const Value zero = b.U64(0);
  const Value one = b.U64(0x3FF0000000000000);
  const Value not_above = b.Select(b.Compare(Op::kLtS, one, v), one, v);
  const Value limited = b.Select(b.Compare(Op::kLtS, v, zero), zero, not_above);
  const Value is_nan = b.FCmp(kUnordered, l.EnvNearest(), v, v);
  return b.Select(is_nan, ClampedNan(l, v, zero), limited);
}

Value ScaleF16(Lifter& l, Value v, int omod) {
  ir::Builder& b = l.b;
  // Exact in f32: no half is a denormal there.
  const Value wide = b.Emit(Op::kF16ToF32, ir::Type::kV32, {LowHalf(b, v)});
  const Value scaled = b.Float(Op::kFMul, l.EnvNearest(), 32, {wide, b.U32(Factor32(omod))});
  const Value half = NarrowToF16(l, scaled, HalfNarrowingOf(l));
  return Scaled(b, kF16, b.And(v, b.U32(0xFFFF)), half);
}

}  // namespace

Value ClampF16(Lifter& l, Value v) {
  ir::Builder& b = l.b;
  const Value zero = b.U32(0);
  const Value wide = b.Unary(Op::kSext16, v);
  const Value limited = b.Binary(Op::kMinS, b.Binary(Op::kMaxS, wide, zero), b.U32(0x3C00));
  const Value is_nan = b.Compare(Op::kLtU, b.U32(0x7C00), b.And(v, b.U32(0x7FFF)));
  return b.Select(is_nan, ClampedNan(l, v, zero), limited);
}

Value LowHalf(ir::Builder& b, Value v) {
  const ir::Inst& inst = b.function()[v];
  uint64_t n = 0;
  const auto is_const = [&b, &inst, &n](int arg) { return b.IsConst(inst.args[arg], &n); };
  switch (inst.op) {
    case Op::kF32ToF16: return v;
    case Op::kLshr:
      if (!ir::Is64(inst.type) && is_const(1) && n % 32 >= 16) return v;
      break;
    case Op::kAnd:
      if ((is_const(1) && n <= 0xFFFF) || (is_const(0) && n <= 0xFFFF)) return v;
      break;
    default: break;
  }
  return b.And(v, b.U32(0xFFFF));
}

HalfNarrowing HalfNarrowingOf(const Lifter& l) {
  return {(l.mode() & kModeAllowF64ResultDenormals) == 0,
          Has(l.generation(), kFp16Overflow) && (l.mode() & kModeFp16Overflow) != 0,
          l.mode() >> 2 & 3};
}

namespace {

// The bits of the least |f32| that is no less than the least normal half if rounded to 11 bits.
Value LeastNormalHalf(ir::Builder& b, Value f32, Round round) {
  const Value kept = b.U32(0x38800000);
  const Value rounded_away = b.U32(0x387FE001);
  switch (round) {
    case Round::kNearest: return b.U32(0x387FF000);
    case Round::kUp: return b.Select(b.Compare(Op::kLtS, f32, b.U32(0)), kept, rounded_away);
    case Round::kDown: return b.Select(b.Compare(Op::kLtS, f32, b.U32(0)), rounded_away, kept);
    case Round::kZero: break;
  }
  return kept;
}

}  // namespace

Value NarrowToF16(Lifter& l, Value f32, const HalfNarrowing& how) {
  ir::Builder& b = l.b;
  Value half = b.Emit(Op::kF32ToF16, ir::Type::kV32, {f32}, how.round);
  if (how.flush_denormals) {
    const Value least = LeastNormalHalf(b, f32, static_cast<Round>(how.round));
    const Value is_tiny = b.Compare(Op::kLtU, b.And(f32, b.U32(0x7FFFFFFF)), least);
    half = b.Select(is_tiny, b.And(half, b.U32(0x8000)), half);
  }
  if (how.saturate) {
    const Value is_infinite = b.Compare(Op::kEq, b.And(half, b.U32(0x7FFF)), b.U32(0x7C00));
    // A lane mask also of a scalar.
    const Value was_finite =
        b.Emit(Op::kLtU, ir::Type::kU64, {b.And(f32, b.U32(0x7FFFFFFF)), b.U32(0x7F800000)});
    // 0x7c00 becomes 0x7bff, 0xfc00 becomes 0xfbff.
    half = b.Select(b.And(is_infinite, was_finite), b.Sub(half, b.U32(1)), half);
  }
  return half;
}

void Lifter::Write32(const Instruction& i, Value v) {
  if (i.encoding == Encoding::kSdwa) v = PlaceSubDword(b, v, Dst32(i), i.sdwa);
  SetVgpr(i.dst.index, v, WrittenLanes(*this, i));
}

void Lifter::Write64(const Instruction& i, Value v) {
  const Value low = b.Low(v);
  SetVgpr(i.dst.index, low, WrittenLanes(*this, i));
  const Value high = b.High(v);
  SetVgpr(i.dst.index + 1, high, WrittenLanes(*this, i));
}

// The other half becomes 0, unless op_sel[3] (gfx9) sends the result to the upper half or the
// instruction keeps it.
void Lifter::Write16(const Instruction& i, Value v, bool keep_other_half) {
  if (i.encoding == Encoding::kSdwa) return Write32(i, LowHalf(b, v));
  Value dword;
  if (i.encoding == Encoding::kVop3a && (i.op_sel & 8) != 0) {
    dword = b.Or(b.And(Dst32(i), b.U32(0xFFFF)), b.Shl(v, 16));
  } else {
    dword = LowHalf(b, v);
    if (keep_other_half) dword = b.Or(dword, b.And(Dst32(i), b.U32(0xFFFF0000)));
  }
  SetVgpr(i.dst.index, dword, WrittenLanes(*this, i));
}

void Lifter::WriteF32(const Instruction& i, Value v) {
  v = KeepSignallingNans(*this, i, kF32, v);
  if (Scales(*this, i, kModeAllowF32ResultDenormals)) {
    const Value scaled = b.Float(Op::kFMul, EnvF32(), 32, {v, b.U32(Factor32(i.omod))});
    v = Scaled(b, kF32, v, scaled);
  }
  Write32(i, i.clamp ? ClampF32(*this, v) : v);
}

void Lifter::WriteF64(const Instruction& i, Value v) {
  v = KeepSignallingNans(*this, i, kF64, v);
  if (Scales(*this, i, kModeAllowF64ResultDenormals)) {
    const Value scaled = b.Float(Op::kFMul, EnvF64(), 64, {v, b.U64(Factor64(i.omod))});
    v = Scaled(b, kF64, v, scaled);
  }
  Write64(i, i.clamp ? ClampF64(*this, v) : v);
}

void Lifter::WriteF16(const Instruction& i, Value v, bool keep_other_half) {
  v = KeepSignallingNans(*this, i, kF16, v);
  if (Scales(*this, i, kModeAllowF64ResultDenormals)) v = ScaleF16(*this, v, i.omod);
  Write16(i, i.clamp ? ClampF16(*this, v) : v, keep_other_half);
}

void Lifter::WriteMask(const Operand& operand, Value mask) {
  // A compare of two scalars is a u1.
  const bool for_all = b.TypeOf(mask) == ir::Type::kU1;
  WriteScalar64(operand, for_all ? b.Select(mask, Exec(), b.U64(0)) : b.And(mask, Exec()));
}

}  // namespace gcnjit::frontend
