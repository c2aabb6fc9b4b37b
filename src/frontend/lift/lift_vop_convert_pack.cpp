// v_cvt_pk*, v_cvt_norm_*, v_pack_b32_f16: conversions to several small values, and to normalised
// integers.
#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {
namespace {

// The exact product of x, limited to [-1, 1] or [0, 1], and the largest integer; rounded. NaN gives
// 0.
enum class Norm : uint8_t { kSigned, kUnsigned };
Value Normalize(Lifter& l, Norm norm, Value x, Whole how) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvNearest();
  const Value lowest = b.U32(norm == Norm::kSigned ? 0xBF800000 : 0);
  const Value highest = b.U32(0x3F800000);
  x = b.Select(b.FCmp(kLess, env, x, lowest), lowest, x);
  x = b.Select(b.FCmp(kGreater, env, x, highest), highest, x);
  // 32767.0 and 65535.0, to which an f32 product would not be exact.
  const Value scale = b.U64(norm == Norm::kSigned ? 0x40DFFFC000000000 : 0x40EFFFE000000000);
  const Value wide = b.Float(Op::kF32ToF64, env, 64, {x});
  const Value product = b.Float(Op::kFMul, env, 64, {wide, scale});
  return b.Emit(Op::kF64ToI32, ir::Type::kV32, {RoundToWhole(b, kF64, env, product, how)});
}

void PackNormF32(Lifter& l, const Instruction& i, Norm norm) {
  const Value low = Normalize(l, norm, l.SrcF32(i, 0), Whole::kNearest);
  const Value high = Normalize(l, norm, l.SrcF32(i, 1), Whole::kNearest);
  l.Write32(i, PackHalves(l.b, low, high));
}
void PackNormF16(Lifter& l, const Instruction& i, Norm norm) {
  const Value low = Normalize(l, norm, ReadHalf(l, i, 0), Whole::kNearest);
  const Value high = Normalize(l, norm, ReadHalf(l, i, 1), Whole::kNearest);
  l.Write32(i, PackHalves(l.b, low, high));
}
void NormF16(Lifter& l, const Instruction& i, Norm norm) {
  l.Write16(i, Normalize(l, norm, ReadHalf(l, i, 0), WholeOf(RoundF64(l))));
}

// src0 as an unsigned byte, put at byte src1[1:0] of `into`.
Value InsertByte(Lifter& l, const Instruction& i, Value x, Value into) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvF32();
  const Value position = b.Shl(b.And(l.Src32(i, 1), b.U32(3)), 3);
  const Value limit = b.U32(0x437F0000);  // 255.0
  x = b.Select(b.FCmp(kGreater, env, x, limit), limit, x);
  const Value whole = RoundToWhole(b, kF32, env, x, WholeOf(RoundF32(l)));
  // The conversion saturates what is negative, and NaN, to 0.
  const Value byte = b.Emit(Op::kF32ToU32, ir::Type::kV32, {whole});
  return b.Or(b.AndNot(into, b.Shl(b.U32(0xFF), position)), b.Shl(byte, position));
}

}  // namespace

void lift_V_CVT_PKNORM_I16_F32(Lifter& l, const Instruction& i) {
  PackNormF32(l, i, Norm::kSigned);
}
void lift_V_CVT_PKNORM_U16_F32(Lifter& l, const Instruction& i) {
  PackNormF32(l, i, Norm::kUnsigned);
}
void lift_V_CVT_PKNORM_I16_F16(Lifter& l, const Instruction& i) {
  PackNormF16(l, i, Norm::kSigned);
}
void lift_V_CVT_PKNORM_U16_F16(Lifter& l, const Instruction& i) {
  PackNormF16(l, i, Norm::kUnsigned);
}
void lift_V_CVT_NORM_I16_F16(Lifter& l, const Instruction& i) { NormF16(l, i, Norm::kSigned); }
void lift_V_CVT_NORM_U16_F16(Lifter& l, const Instruction& i) { NormF16(l, i, Norm::kUnsigned); }

void lift_V_CVT_PK_U8_F32(Lifter& l, const Instruction& i) {
  const Value x = l.SrcF32(i, 0);
  l.Write32(i, InsertByte(l, i, x, l.Src32(i, 2)));
}
void lift_V_CVT_PKACCUM_U8_F32(Lifter& l, const Instruction& i) {
  const Value x = l.SrcF32(i, 0);
  l.Write32(i, InsertByte(l, i, x, l.Dst32(i)));
}

void lift_V_CVT_PKRTZ_F16_F32(Lifter& l, const Instruction& i) {
  // Denormals as v_cvt_f16_f32 has them.
  const bool flush = IsGfx8Plus(l.generation()) && FlushesF64Results(l);
  const HalfNarrowing narrowing = {flush, false, static_cast<uint32_t>(Round::kZero)};
  const Value low = NarrowToF16(l, l.SrcF32(i, 0), narrowing);
  const Value high = NarrowToF16(l, l.SrcF32(i, 1), narrowing);
  l.Write32(i, l.b.Or(low, l.b.Shl(high, 16)));
}

// Makes its operands canonical.
void lift_V_PACK_B32_F16(Lifter& l, const Instruction& i) {
  const HalfNarrowing narrowing = HalfNarrowingOf(l);
  const Value low = NarrowToF16(l, ReadHalf(l, i, 0), narrowing);
  const Value high = NarrowToF16(l, ReadHalf(l, i, 1), narrowing);
  l.Write32(i, l.b.Or(low, l.b.Shl(high, 16)));
}

}  // namespace gcnjit::frontend
