// The Ops of frontend/arith/approximate.h that build IR.
#pragma once

#include <bit>

#include "frontend/lift/float_ops.h"

namespace gcnjit::frontend {

// The types tell overloads apart. `env` rounds to nearest, as those definitions assume.
class ApproximateOps {
 public:
  // clang-format off
  struct F32 { Value v; };
  struct F64 { Value v; };
  struct I32 { Value v; };
  struct Mask32 { Value v; };
  struct Mask64 { Value v; };
  // clang-format on

  ApproximateOps(ir::Builder& b, FloatEnv env) : b_(b), env_(env) {}

  // Denormals are zeros, before and after each operation.
  bool FlushesDenormals() const {
    constexpr uint16_t kFlush = FloatEnv::kFlushInputs | FloatEnv::kFlushResults;
    return (env_.bits & kFlush) == kFlush;
  }

  F32 Const(float x) { return {b_.U32(std::bit_cast<uint32_t>(x))}; }
  F64 Const(double x) { return {b_.U64(std::bit_cast<uint64_t>(x))}; }
  I32 Const(int32_t x) { return {b_.U32(static_cast<uint32_t>(x))}; }

  F32 Add(F32 x, F32 y) { return {Float(Op::kFAdd, 32, x.v, y.v)}; }
  F32 Sub(F32 x, F32 y) { return {Float(Op::kFSub, 32, x.v, y.v)}; }
  F32 Mul(F32 x, F32 y) { return {Float(Op::kFMul, 32, x.v, y.v)}; }
  F32 Div(F32 x, F32 y) { return {Float(Op::kFDiv, 32, x.v, y.v)}; }
  F64 Div(F64 x, F64 y) { return {Float(Op::kFDiv, 64, x.v, y.v)}; }
  F32 Fma(F32 x, F32 y, F32 z) { return {b_.Float(Op::kFFma, env_, 32, {x.v, y.v, z.v})}; }
  F32 Sqrt(F32 x) { return {b_.Float(Op::kFSqrt, env_, 32, {x.v})}; }
  F64 Sqrt(F64 x) { return {b_.Float(Op::kFSqrt, env_, 64, {x.v})}; }
  F32 Abs(F32 x) { return {frontend::Abs(b_, kF32, x.v)}; }
  F64 Abs(F64 x) { return {frontend::Abs(b_, kF64, x.v)}; }
  F32 RoundToInt(F32 x) { return {RoundToWhole(b_, kF32, env_, x.v, Whole::kNearest)}; }

  F32 ToFloat(I32 x) { return {b_.Float(Op::kI32ToF32, env_, 32, {x.v})}; }
  I32 Bits(F32 x) { return {x.v}; }
  F32 FromBits(I32 x) { return {x.v}; }

  I32 Add(I32 x, I32 y) { return {b_.Add(x.v, y.v)}; }
  I32 Sub(I32 x, I32 y) { return {b_.Sub(x.v, y.v)}; }
  I32 And(I32 x, I32 y) { return {b_.And(x.v, y.v)}; }
  I32 Or(I32 x, I32 y) { return {b_.Or(x.v, y.v)}; }
  I32 ShiftLeft(I32 x, int count) { return {b_.Shl(x.v, static_cast<uint32_t>(count))}; }
  I32 ShiftRight(I32 x, int count) { return {b_.Ashr(x.v, static_cast<uint32_t>(count))}; }

  Mask32 Less(F32 x, F32 y) { return {b_.FCmp(kLess, env_, x.v, y.v)}; }
  Mask32 LessOrEqual(F32 x, F32 y) { return {b_.FCmp(kLessOrEqual, env_, x.v, y.v)}; }
  Mask64 Less(F64 x, F64 y) { return {b_.FCmp(kLess, env_, x.v, y.v)}; }
  Mask32 Equal(F32 x, F32 y) { return {b_.FCmp(kEqual, env_, x.v, y.v)}; }
  Mask64 Equal(F64 x, F64 y) { return {b_.FCmp(kEqual, env_, x.v, y.v)}; }
  F32 Select(Mask32 mask, F32 x, F32 y) { return {b_.Select(mask.v, x.v, y.v)}; }
  F64 Select(Mask64 mask, F64 x, F64 y) { return {b_.Select(mask.v, x.v, y.v)}; }

 private:
  Value Float(Op op, int bits, Value x, Value y) { return b_.Float(op, env_, bits, {x, y}); }

  ir::Builder& b_;
  FloatEnv env_;
};

}  // namespace gcnjit::frontend
