// v_exp, v_log, v_rcp, v_rsq, v_sqrt, v_sin, v_cos: frontend/arith/approximate.h as IR. f32 forms
// flush denormals whatever MODE says, f64 and f16 forms as MODE says; its rounding does not matter.
#include "frontend/arith/approximate.h"
#include "frontend/lift/lift_approximate_ops.h"

namespace gcnjit::frontend {
namespace {

using Ops = ApproximateOps;
using F32 = Ops::F32;
using F64 = Ops::F64;

F32 Exp2(Ops& o, F32 x) { return arith::Exp2(o, x); }
F32 Log2(Ops& o, F32 x) { return arith::Log2(o, x); }
// Where the host flushes denormals, one operation is all that arith::Rcp and arith::Sqrt come to
// (tried on every f32).
F32 Rcp(Ops& o, F32 x) { return o.FlushesDenormals() ? o.Div(o.Const(1.0f), x) : arith::Rcp(o, x); }
F32 Sqrt(Ops& o, F32 x) { return o.FlushesDenormals() ? o.Sqrt(x) : arith::Sqrt(o, x); }
F32 Rsq(Ops& o, F32 x) { return arith::Rsq(o, x); }
F32 Sin(Ops& o, F32 x) { return arith::Sin(o, x, false); }
F32 Cos(Ops& o, F32 x) { return arith::Cos(o, x, false); }
F32 SinAnyRange(Ops& o, F32 x) { return arith::Sin(o, x, true); }
F32 CosAnyRange(Ops& o, F32 x) { return arith::Cos(o, x, true); }
F32 LogClamp(Ops& o, F32 x) { return arith::ClampNegativeInfinity(o, Log2(o, x)); }
F32 RcpClamp(Ops& o, F32 x) { return arith::ClampInfinity(o, Rcp(o, x)); }
F32 RcpLegacy(Ops& o, F32 x) { return arith::ZeroForInfinity(o, Rcp(o, x)); }
F32 RsqClamp(Ops& o, F32 x) { return arith::ClampInfinity(o, Rsq(o, x)); }
F32 RsqLegacy(Ops& o, F32 x) { return arith::ZeroForInfinity(o, Rsq(o, x)); }
F64 Rcp64(Ops& o, F64 x) { return arith::Rcp(o, x); }
F64 Rsq64(Ops& o, F64 x) { return arith::Rsq(o, x); }
F64 Sqrt64(Ops& o, F64 x) { return arith::Sqrt(o, x); }
F64 RcpClamp64(Ops& o, F64 x) { return arith::ClampInfinity(o, Rcp64(o, x)); }
F64 RsqClamp64(Ops& o, F64 x) { return arith::ClampInfinity(o, Rsq64(o, x)); }

using Function32 = F32 (*)(Ops&, F32);
using Function64 = F64 (*)(Ops&, F64);

constexpr FloatEnv kKeepsDenormals = {};

// What becomes of denormals is MODE's choice: then the host need not change its ways for the few
// operations of a function, whose result does not depend on it.
FloatEnv EnvOf(const Lifter& l) {
  FloatEnv env = l.EnvF32();
  env.bits &= FloatEnv::kFlushInputs | FloatEnv::kFlushResults;
  return env;
}

void Map32(Lifter& l, const Instruction& i, Function32 f, FloatEnv env) {
  Ops ops(l.b, env);
  l.WriteF32(i, f(ops, {l.SrcF32(i, 0)}).v);
}
void Map32(Lifter& l, const Instruction& i, Function32 f) { Map32(l, i, f, EnvOf(l)); }

void Map64(Lifter& l, const Instruction& i, Function64 f) {
  Ops ops(l.b, kKeepsDenormals);
  Value x = l.SrcF64(i, 0);
  if (FlushesF64Inputs(l)) x = FlushDenormals(l.b, kF64, x);
  Value result = f(ops, {x}).v;
  if (FlushesF64Results(l)) result = FlushDenormals(l.b, kF64, result);
  l.WriteF64(i, result);
}

// Neither are reciprocals of integers denormal, nor the integers: the quotient is all that
// arith::Rcp comes to. Divisions of integers begin so.
bool IsInteger(Lifter& l, Value x) {
  const Op op = l.b.function()[x].op;
  return op == Op::kU32ToF32 || op == Op::kI32ToF32;
}

// v_rcp may be the first step of a division.
void Reciprocal32(Lifter& l, const Instruction& i) {
  Ops ops(l.b, EnvOf(l));
  const Value x = l.SrcF32(i, 0);
  const Value result = IsInteger(l, x) ? ops.Div(ops.Const(1.0f), {x}).v : Rcp(ops, {x}).v;
  l.WriteF32(i, result);
  l.divisions.AddReciprocal(result, x);
}

// Where denormals are flushed, it is none.
void Reciprocal64(Lifter& l, const Instruction& i) {
  if (FlushesF64Inputs(l) || FlushesF64Results(l)) return Map64(l, i, Rcp64);
  Ops ops(l.b, kKeepsDenormals);
  const Value x = l.SrcF64(i, 0);
  const Value result = Rcp64(ops, {x}).v;
  l.WriteF64(i, result);
  l.divisions.AddReciprocal(result, x);
}

// The f32 function of the widened half, rounded to nearest. No half is so small that its function
// would be denormal as f32.
void Map16(Lifter& l, const Instruction& i, Function32 f) {
  Ops ops(l.b, EnvOf(l));
  HalfNarrowing narrowing = HalfNarrowingOf(l);
  narrowing.round = static_cast<uint32_t>(Round::kNearest);
  StoreHalf(l, i, NarrowToF16(l, f(ops, {ReadHalf(l, i, 0)}).v, narrowing));
}

}  // namespace

void lift_V_EXP_F32(Lifter& l, const Instruction& i) { Map32(l, i, Exp2); }
// The legacy forms may be less accurate than v_exp_f32 and v_log_f32; so they may as well be the
// same.
void lift_V_EXP_LEGACY_F32(Lifter& l, const Instruction& i) { Map32(l, i, Exp2); }
void lift_V_LOG_F32(Lifter& l, const Instruction& i) { Map32(l, i, Log2); }
void lift_V_LOG_LEGACY_F32(Lifter& l, const Instruction& i) { Map32(l, i, Log2); }
void lift_V_LOG_CLAMP_F32(Lifter& l, const Instruction& i) { Map32(l, i, LogClamp); }
void lift_V_RCP_F32(Lifter& l, const Instruction& i) { Reciprocal32(l, i); }
// Differs from v_rcp_f32 in the exceptions it raises, which a wave does not see.
void lift_V_RCP_IFLAG_F32(Lifter& l, const Instruction& i) { Reciprocal32(l, i); }
void lift_V_RCP_CLAMP_F32(Lifter& l, const Instruction& i) { Map32(l, i, RcpClamp); }
void lift_V_RCP_LEGACY_F32(Lifter& l, const Instruction& i) { Map32(l, i, RcpLegacy); }
void lift_V_RSQ_F32(Lifter& l, const Instruction& i) { Map32(l, i, Rsq); }
void lift_V_RSQ_CLAMP_F32(Lifter& l, const Instruction& i) { Map32(l, i, RsqClamp); }
void lift_V_RSQ_LEGACY_F32(Lifter& l, const Instruction& i) { Map32(l, i, RsqLegacy); }
void lift_V_SQRT_F32(Lifter& l, const Instruction& i) { Map32(l, i, Sqrt); }
void lift_V_SIN_F32(Lifter& l, const Instruction& i) { Map32(l, i, Sin, kKeepsDenormals); }
void lift_V_COS_F32(Lifter& l, const Instruction& i) { Map32(l, i, Cos, kKeepsDenormals); }
void lift_V_RCP_F64(Lifter& l, const Instruction& i) { Reciprocal64(l, i); }
void lift_V_RCP_CLAMP_F64(Lifter& l, const Instruction& i) { Map64(l, i, RcpClamp64); }
void lift_V_RSQ_F64(Lifter& l, const Instruction& i) { Map64(l, i, Rsq64); }
void lift_V_RSQ_CLAMP_F64(Lifter& l, const Instruction& i) { Map64(l, i, RsqClamp64); }
void lift_V_SQRT_F64(Lifter& l, const Instruction& i) { Map64(l, i, Sqrt64); }
void lift_V_EXP_F16(Lifter& l, const Instruction& i) { Map16(l, i, Exp2); }
void lift_V_LOG_F16(Lifter& l, const Instruction& i) { Map16(l, i, Log2); }
void lift_V_RCP_F16(Lifter& l, const Instruction& i) { Map16(l, i, Rcp); }
void lift_V_RSQ_F16(Lifter& l, const Instruction& i) { Map16(l, i, Rsq); }
void lift_V_SQRT_F16(Lifter& l, const Instruction& i) { Map16(l, i, Sqrt); }
void lift_V_SIN_F16(Lifter& l, const Instruction& i) { Map16(l, i, SinAnyRange); }
void lift_V_COS_F16(Lifter& l, const Instruction& i) { Map16(l, i, CosAnyRange); }

}  // namespace gcnjit::frontend
