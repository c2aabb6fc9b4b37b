// f32 arithmetic: add, multiply, multiply-add, and the cube map helpers.
//
// v_mad_f32 and what the hardware turns into it (mac, madmk, madak) round the product and flush
// denormals always; v_fma_f32 does neither.
#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {
namespace {

Value Binary(Lifter& l, Op op, FloatEnv env, Value x, Value y) {
  return l.b.Float(op, env, 32, {x, y});
}

void ArithmeticF32(Lifter& l, const Instruction& i, Op op) {
  const Value x = l.SrcF32(i, 0);
  l.WriteF32(i, Binary(l, op, l.EnvF32(), x, l.SrcF32(i, 1)));
}

// Zero times anything is +0, even NaN and infinity; operands that are flushed count as zero.
Value MulLegacy(Lifter& l, FloatEnv env, Value x, Value y) {
  ir::Builder& b = l.b;
  const Value zero = b.U32(0);
  const Value has_zero = Either(b, b.FCmp(kEqual, env, x, zero), b.FCmp(kEqual, env, y, zero));
  return b.Select(has_zero, zero, Binary(l, Op::kFMul, env, x, y));
}

Value Mad(Lifter& l, Value x, Value y, Value z) {
  const FloatEnv env = l.EnvF32Flush();
  return Binary(l, Op::kFAdd, env, Binary(l, Op::kFMul, env, x, y), z);
}
Value MadLegacy(Lifter& l, Value x, Value y, Value z) {
  const FloatEnv env = l.EnvF32Flush();
  return Binary(l, Op::kFAdd, env, MulLegacy(l, env, x, y), z);
}
Value Fma(Lifter& l, Value x, Value y, Value z) {
  return l.b.Float(Op::kFFma, l.EnvF32(), 32, {x, y, z});
}

using TernaryFn = Value (*)(Lifter&, Value, Value, Value);

void Ternary(Lifter& l, const Instruction& i, TernaryFn f) {
  const Value x = l.SrcF32(i, 0);
  const Value y = l.SrcF32(i, 1);
  l.WriteF32(i, f(l, x, y, l.SrcF32(i, 2)));
}
// f(src0, src1, old destination)
void Accumulate(Lifter& l, const Instruction& i, TernaryFn f) {
  const Value x = l.SrcF32(i, 0);
  const Value y = l.SrcF32(i, 1);
  l.WriteF32(i, f(l, x, y, l.Dst32(i)));
}

}  // namespace

void lift_V_ADD_F32(Lifter& l, const Instruction& i) { ArithmeticF32(l, i, Op::kFAdd); }
void lift_V_SUB_F32(Lifter& l, const Instruction& i) { ArithmeticF32(l, i, Op::kFSub); }
void lift_V_SUBREV_F32(Lifter& l, const Instruction& i) {
  const Value subtrahend = l.SrcF32(i, 0);
  l.WriteF32(i, Binary(l, Op::kFSub, l.EnvF32(), l.SrcF32(i, 1), subtrahend));
}
void lift_V_MUL_F32(Lifter& l, const Instruction& i) { ArithmeticF32(l, i, Op::kFMul); }
void lift_V_MUL_LEGACY_F32(Lifter& l, const Instruction& i) {
  const Value x = l.SrcF32(i, 0);
  l.WriteF32(i, MulLegacy(l, l.EnvF32(), x, l.SrcF32(i, 1)));
}

void lift_V_FMA_F32(Lifter& l, const Instruction& i) { Ternary(l, i, Fma); }
void lift_V_FMAC_F32(Lifter& l, const Instruction& i) { Accumulate(l, i, Fma); }
void lift_V_FMAMK_F32(Lifter& l, const Instruction& i) { Ternary(l, i, Fma); }  // K is src1
void lift_V_FMAAK_F32(Lifter& l, const Instruction& i) { Ternary(l, i, Fma); }  // K is src2
void lift_V_MAD_F32(Lifter& l, const Instruction& i) { Ternary(l, i, Mad); }
void lift_V_MADMK_F32(Lifter& l, const Instruction& i) { Ternary(l, i, Mad); }  // K is src1
void lift_V_MADAK_F32(Lifter& l, const Instruction& i) { Ternary(l, i, Mad); }  // K is src2
void lift_V_MAC_F32(Lifter& l, const Instruction& i) { Accumulate(l, i, Mad); }
void lift_V_MAD_LEGACY_F32(Lifter& l, const Instruction& i) { Ternary(l, i, MadLegacy); }
void lift_V_MAC_LEGACY_F32(Lifter& l, const Instruction& i) { Accumulate(l, i, MadLegacy); }

// The specular term of a lighting equation: legacy product, or -FLT_MAX unless src2 is positive.
void lift_V_MULLIT_F32(Lifter& l, const Instruction& i) {
  Ternary(l, i, [](Lifter& m, Value x, Value y, Value z) {
    ir::Builder& b = m.b;
    const Value positive = b.FCmp(kGreater, m.EnvF32(), z, b.U32(0));
    return b.Select(positive, MulLegacy(m, m.EnvF32(), x, y), b.U32(0xFF7FFFFF));
  });
}

// ---- Cube maps: (src0, src1, src2) is a direction (x, y, z); its major axis chooses the face.

namespace {

struct Direction {
  Value x, y, z;
};

// Of three values the one that belongs to the major axis.
Value OfMajorAxis(Lifter& l, const Direction& d, Value of_x, Value of_y, Value of_z) {
  ir::Builder& b = l.b;
  const FloatEnv env = l.EnvF32();
  const Value x = Abs(b, kF32, d.x);
  const Value y = Abs(b, kF32, d.y);
  const Value z = Abs(b, kF32, d.z);
  const Value is_z =
      Both(b, b.FCmp(kGreaterOrEqual, env, z, x), b.FCmp(kGreaterOrEqual, env, z, y));
  const Value is_y = b.FCmp(kGreaterOrEqual, env, y, x);
  return b.Select(is_z, of_z, b.Select(is_y, of_y, of_x));
}

Value IfNegative(Lifter& l, Value v, Value then, Value otherwise) {
  return l.b.Select(l.b.FCmp(kLess, l.EnvF32(), v, l.b.U32(0)), then, otherwise);
}

Value CubeFace(Lifter& l, const Direction& d) {
  const auto face = [&l](Value v, float negative, float positive) {
    const auto constant = [&l](float f) { return l.b.U32(__builtin_bit_cast(uint32_t, f)); };
    return IfNegative(l, v, constant(negative), constant(positive));
  };
  return OfMajorAxis(l, d, face(d.x, 1, 0), face(d.y, 3, 2), face(d.z, 5, 4));
}

// An operand is chosen, without arithmetic that would flush it and quiet NaNs.
Value Chosen(Lifter& l, Value v) {
  FloatEnv env;
  if (FlushesF32Inputs(l) || FlushesF32Results(l)) {
    env.bits = FloatEnv::kFlushInputs | FloatEnv::kFlushResults;
  }
  return Canonical(l.b, kF32, v, env);
}
Value CubeS(Lifter& l, const Direction& d) {
  const Value of_x = IfNegative(l, d.x, d.z, Negate(l.b, kF32, d.z));
  const Value of_z = IfNegative(l, d.z, Negate(l.b, kF32, d.x), d.x);
  return Chosen(l, OfMajorAxis(l, d, of_x, d.x, of_z));
}
Value CubeT(Lifter& l, const Direction& d) {
  const Value of_xz = Negate(l.b, kF32, d.y);
  const Value of_y = IfNegative(l, d.y, Negate(l.b, kF32, d.z), d.z);
  return Chosen(l, OfMajorAxis(l, d, of_xz, of_y, of_xz));
}
Value CubeMajor(Lifter& l, const Direction& d) {
  const Value major = OfMajorAxis(l, d, d.x, d.y, d.z);
  return Binary(l, Op::kFMul, l.EnvF32(), major, l.b.U32(0x40000000));
}

void Cube(Lifter& l, const Instruction& i, Value (*f)(Lifter&, const Direction&)) {
  const Value x = l.SrcF32(i, 0);
  const Value y = l.SrcF32(i, 1);
  l.WriteF32(i, f(l, {x, y, l.SrcF32(i, 2)}));
}

}  // namespace

void lift_V_CUBEID_F32(Lifter& l, const Instruction& i) { Cube(l, i, CubeFace); }
void lift_V_CUBESC_F32(Lifter& l, const Instruction& i) { Cube(l, i, CubeS); }
void lift_V_CUBETC_F32(Lifter& l, const Instruction& i) { Cube(l, i, CubeT); }
void lift_V_CUBEMA_F32(Lifter& l, const Instruction& i) { Cube(l, i, CubeMajor); }

}  // namespace gcnjit::frontend
