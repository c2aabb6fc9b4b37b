// v_cvt_*: between integers and floats, and between float widths.
#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {
namespace {

constexpr ir::Type kV32 = ir::Type::kV32;
constexpr ir::Type kV64 = ir::Type::kV64;

Value Convert(Lifter& l, Op op, ir::Type type, Value v, FloatEnv env = {}) {
  return l.b.Emit(op, type, {v}, 0, env.bits);
}

// To the nearest integer below, or with `halves` to the nearest, ties upwards; NaN gives the limit
// of its sign.
void FloorToI32(Lifter& l, const Instruction& i, bool halves) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvF32();
  const Value x = l.SrcF32(i, 0);
  Value whole = RoundToWhole(b, kF32, env, x, Whole::kFloor);
  if (halves) {
    const Value rest = b.Float(Op::kFSub, env, 32, {x, whole});
    const Value up = b.FCmp(kGreaterOrEqual, env, rest, b.U32(0x3F000000));
    const Value above = b.Float(Op::kFAdd, env, 32, {whole, b.U32(0x3F800000)});
    whole = b.Select(up, above, whole);
  }
  const Value limit = b.Xor(b.Ashr(x, 31), b.U32(0x7FFFFFFF));
  const Value is_nan = b.FCmp(kUnordered, env, x, x);
  l.Write32(i, b.Select(is_nan, limit, Convert(l, Op::kF32ToI32, kV32, whole)));
}

void ByteToF32(Lifter& l, const Instruction& i, uint32_t n) {
  ir::Builder& b = l.b;
  const Value byte = b.And(b.Lshr(l.Src32(i, 0), 8 * n), b.U32(0xFF));
  l.WriteF32(i, Convert(l, Op::kI32ToF32, kV32, byte));
}

// Truncated, limited to [low, high].
void HalfToI16(Lifter& l, const Instruction& i, int32_t low, int32_t high) {
  const Value wide = WidenHalf(l.b, l.SrcF16(i, 0), false);  // a denormal is 0 in any case
  l.Write16(i, ClampS(l.b, Convert(l, Op::kF32ToI32, kV32, wide), low, high));
}

}  // namespace

void lift_V_CVT_I32_F32(Lifter& l, const Instruction& i) {
  l.Write32(i, Convert(l, Op::kF32ToI32, kV32, l.SrcF32(i, 0)));
}
void lift_V_CVT_U32_F32(Lifter& l, const Instruction& i) {
  l.Write32(i, Convert(l, Op::kF32ToU32, kV32, l.SrcF32(i, 0)));
}
void lift_V_CVT_I32_F64(Lifter& l, const Instruction& i) {
  l.Write32(i, Convert(l, Op::kF64ToI32, kV32, l.SrcF64(i, 0)));
}
void lift_V_CVT_U32_F64(Lifter& l, const Instruction& i) {
  l.Write32(i, Convert(l, Op::kF64ToU32, kV32, l.SrcF64(i, 0)));
}
void lift_V_CVT_RPI_I32_F32(Lifter& l, const Instruction& i) { FloorToI32(l, i, true); }
void lift_V_CVT_FLR_I32_F32(Lifter& l, const Instruction& i) { FloorToI32(l, i, false); }

void lift_V_CVT_F32_I32(Lifter& l, const Instruction& i) {
  l.WriteF32(i, Convert(l, Op::kI32ToF32, kV32, l.Src32(i, 0), l.EnvF32()));
}
void lift_V_CVT_F32_U32(Lifter& l, const Instruction& i) {
  l.WriteF32(i, Convert(l, Op::kU32ToF32, kV32, l.Src32(i, 0), l.EnvF32()));
}
void lift_V_CVT_F64_I32(Lifter& l, const Instruction& i) {
  l.WriteF64(i, Convert(l, Op::kI32ToF64, kV64, l.Src32(i, 0)));
}
void lift_V_CVT_F64_U32(Lifter& l, const Instruction& i) {
  l.WriteF64(i, Convert(l, Op::kU32ToF64, kV64, l.Src32(i, 0)));
}
void lift_V_CVT_F32_UBYTE0(Lifter& l, const Instruction& i) { ByteToF32(l, i, 0); }
void lift_V_CVT_F32_UBYTE1(Lifter& l, const Instruction& i) { ByteToF32(l, i, 1); }
void lift_V_CVT_F32_UBYTE2(Lifter& l, const Instruction& i) { ByteToF32(l, i, 2); }
void lift_V_CVT_F32_UBYTE3(Lifter& l, const Instruction& i) { ByteToF32(l, i, 3); }

// Sixteenths: -1/2 to 7/16.
void lift_V_CVT_OFF_F32_I4(Lifter& l, const Instruction& i) {
  ir::Builder& b = l.b;
  const Value number = b.Ashr(b.Shl(l.Src32(i, 0), 28), 28);
  const Value wide = Convert(l, Op::kI32ToF32, kV32, number);
  l.WriteF32(i, b.Float(Op::kFMul, l.EnvNearest(), 32, {wide, b.U32(0x3D800000)}));
}

void lift_V_CVT_F64_F32(Lifter& l, const Instruction& i) {
  l.WriteF64(i, Convert(l, Op::kF32ToF64, kV64, l.SrcF32(i, 0), l.EnvF32()));
}

// Denormal doubles obey the f64 field, everything else the f32 ones.
void lift_V_CVT_F32_F64(Lifter& l, const Instruction& i) {
  FloatEnv env = l.EnvF32();
  env.bits = static_cast<uint16_t>((env.bits & ~FloatEnv::kFlushInputs) |
                                   (FlushesF64Inputs(l) ? FloatEnv::kFlushInputs : 0));
  l.WriteF32(i, Convert(l, Op::kF64ToF32, kV32, l.SrcF64(i, 0), env));
}

// gfx6-7 know no MODE fields of f16: its denormals count, and f32's rounding applies.
void lift_V_CVT_F32_F16(Lifter& l, const Instruction& i) {
  const bool flush = IsGfx8Plus(l.generation()) && FlushesF64Inputs(l);
  l.WriteF32(i, WidenHalf(l.b, l.SrcF16(i, 0), flush));
}
void lift_V_CVT_F16_F32(Lifter& l, const Instruction& i) {
  HalfNarrowing narrowing = HalfNarrowingOf(l);
  if (!IsGfx8Plus(l.generation())) narrowing = {false, false, l.mode() & 3};
  Value x = l.SrcF32(i, 0);
  // An f32 denormal that counts is seen only where it is rounded away from zero.
  const auto round = static_cast<Round>(narrowing.round);
  const bool is_directed = round == Round::kUp || round == Round::kDown;
  if (FlushesF32Inputs(l) && is_directed) x = FlushDenormals(l.b, kF32, x);
  StoreHalf(l, i, NarrowToF16(l, x, narrowing));
}

void lift_V_CVT_F16_U16(Lifter& l, const Instruction& i) {
  WriteHalf(l, i, Convert(l, Op::kI32ToF32, kV32, l.Src16(i, 0)));
}
void lift_V_CVT_F16_I16(Lifter& l, const Instruction& i) {
  WriteHalf(l, i, Convert(l, Op::kI32ToF32, kV32, l.SrcI16(i, 0)));
}
void lift_V_CVT_U16_F16(Lifter& l, const Instruction& i) { HalfToI16(l, i, 0, 65535); }
void lift_V_CVT_I16_F16(Lifter& l, const Instruction& i) { HalfToI16(l, i, -32768, 32767); }

}  // namespace gcnjit::frontend
