// v_exp, v_log, v_rcp, v_rsq, v_sqrt, v_sin, v_cos: frontend/arith/approximate.h on lanes.
//
// Sources: Vega manual, VOP1; CDNA manual, VOP1 (accuracy, denormals, special values); CLRX
// GcnInstrsVop1 (clamp and legacy forms). The round mode does not matter. f32 forms flush denormals
// whatever MODE says, f64 and f16 forms as MODE says.
#include "frontend/arith/approximate.h"
#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"
#include "runtime/interpreter/native_ops.h"

namespace gcnjit::runtime {
namespace {

namespace arith = frontend::arith;

NativeOps ops;
using F32 = NativeOps::F32;
using F64 = NativeOps::F64;

// to[lane] = f(from[lane]), a vector at a time.
template <typename F>
void Apply(const float* from, float (&to)[kLanes], F f) {
  for (int lane = 0; lane < kLanes; lane += 8) {
    _mm256_store_ps(to + lane, f(_mm256_loadu_ps(from + lane)));
  }
}
template <typename F>
void Apply(const double* from, double (&to)[kLanes], F f) {
  for (int lane = 0; lane < kLanes; lane += 4) {
    _mm256_store_pd(to + lane, f(_mm256_loadu_pd(from + lane)));
  }
}

template <typename F>
void Map32(Wave& w, const Instruction& i, F f) {
  w.UseFloatClass(FloatClass::kNearest);
  alignas(64) float buffer[kLanes];
  alignas(64) float result[kLanes];
  Apply(ReadLanes<float>(w, i, 0, buffer), result, f);
  WriteLanes<float>(w, i, result);
}

void FlushDenormals(double (&values)[kLanes]) {
  using D = Format<double>;
  for (double& value : values) value = D::From(D::FlushDenormal(D::Of(value)));
}

template <typename F>
void Map64(Wave& w, const Instruction& i, F f) {
  w.UseFloatClass(FloatClass::kNearest);
  const Denormals denormals = Denormals64(w);
  alignas(64) double values[kLanes];
  alignas(64) double result[kLanes];
  ReadLanes<double>(w, i, 0, values);  // pairs are always copied
  if (denormals.flush_inputs) FlushDenormals(values);
  Apply(values, result, f);
  if (denormals.flush_outputs) FlushDenormals(result);
  WriteLanes<double>(w, i, result);
}

// The f32 function of the widened half, rounded to nearest.
template <typename F>
void Map16(Wave& w, const Instruction& i, F f) {
  w.UseFloatClass(FloatClass::kNearest);
  alignas(64) float values[kLanes];
  alignas(64) Half halves[kLanes];
  ReadHalves(w, i, 0, values);
  Apply(values, values, f);
  HalfRounding rounding = HalfRoundingOf(w);
  rounding.round = Round::kNearest;
  Narrow(values, halves, rounding);
  StoreHalves(w, i, halves);
}

F32 Exp2(F32 x) { return arith::Exp2(ops, x); }
F32 Log2(F32 x) { return arith::Log2(ops, x); }
F32 Rcp(F32 x) { return arith::Rcp(ops, x); }
F32 Rsq(F32 x) { return arith::Rsq(ops, x); }
F32 Sqrt(F32 x) { return arith::Sqrt(ops, x); }
F32 Sin(F32 x) { return arith::Sin(ops, x, false); }
F32 Cos(F32 x) { return arith::Cos(ops, x, false); }
F32 LogClamp(F32 x) { return arith::ClampNegativeInfinity(ops, Log2(x)); }
F32 RcpClamp(F32 x) { return arith::ClampInfinity(ops, Rcp(x)); }
F32 RcpLegacy(F32 x) { return arith::ZeroForInfinity(ops, Rcp(x)); }
F32 RsqClamp(F32 x) { return arith::ClampInfinity(ops, Rsq(x)); }
F32 RsqLegacy(F32 x) { return arith::ZeroForInfinity(ops, Rsq(x)); }
F32 SinAnyRange(F32 x) { return arith::Sin(ops, x, true); }
F32 CosAnyRange(F32 x) { return arith::Cos(ops, x, true); }
F64 Rcp64(F64 x) { return arith::Rcp(ops, x); }
F64 Rsq64(F64 x) { return arith::Rsq(ops, x); }
F64 Sqrt64(F64 x) { return arith::Sqrt(ops, x); }
F64 RcpClamp64(F64 x) { return arith::ClampInfinity(ops, Rcp64(x)); }
F64 RsqClamp64(F64 x) { return arith::ClampInfinity(ops, Rsq64(x)); }

}  // namespace

void exec_V_EXP_F32(Wave& w, const Instruction& i) { Map32(w, i, Exp2); }
// The legacy forms may be less accurate than v_exp_f32 and v_log_f32; so they may as well be the
// same.
void exec_V_EXP_LEGACY_F32(Wave& w, const Instruction& i) { Map32(w, i, Exp2); }
void exec_V_LOG_F32(Wave& w, const Instruction& i) { Map32(w, i, Log2); }
void exec_V_LOG_LEGACY_F32(Wave& w, const Instruction& i) { Map32(w, i, Log2); }
void exec_V_LOG_CLAMP_F32(Wave& w, const Instruction& i) { Map32(w, i, LogClamp); }
void exec_V_RCP_F32(Wave& w, const Instruction& i) { Map32(w, i, Rcp); }
// Differs from v_rcp_f32 in the exceptions it raises, which a wave does not see.
void exec_V_RCP_IFLAG_F32(Wave& w, const Instruction& i) { Map32(w, i, Rcp); }
void exec_V_RCP_CLAMP_F32(Wave& w, const Instruction& i) { Map32(w, i, RcpClamp); }
void exec_V_RCP_LEGACY_F32(Wave& w, const Instruction& i) { Map32(w, i, RcpLegacy); }
void exec_V_RSQ_F32(Wave& w, const Instruction& i) { Map32(w, i, Rsq); }
void exec_V_RSQ_CLAMP_F32(Wave& w, const Instruction& i) { Map32(w, i, RsqClamp); }
void exec_V_RSQ_LEGACY_F32(Wave& w, const Instruction& i) { Map32(w, i, RsqLegacy); }
void exec_V_SQRT_F32(Wave& w, const Instruction& i) { Map32(w, i, Sqrt); }
void exec_V_SIN_F32(Wave& w, const Instruction& i) { Map32(w, i, Sin); }
void exec_V_COS_F32(Wave& w, const Instruction& i) { Map32(w, i, Cos); }
void exec_V_RCP_F64(Wave& w, const Instruction& i) { Map64(w, i, Rcp64); }
void exec_V_RCP_CLAMP_F64(Wave& w, const Instruction& i) { Map64(w, i, RcpClamp64); }
void exec_V_RSQ_F64(Wave& w, const Instruction& i) { Map64(w, i, Rsq64); }
void exec_V_RSQ_CLAMP_F64(Wave& w, const Instruction& i) { Map64(w, i, RsqClamp64); }
void exec_V_SQRT_F64(Wave& w, const Instruction& i) { Map64(w, i, Sqrt64); }
void exec_V_EXP_F16(Wave& w, const Instruction& i) { Map16(w, i, Exp2); }
void exec_V_LOG_F16(Wave& w, const Instruction& i) { Map16(w, i, Log2); }
void exec_V_RCP_F16(Wave& w, const Instruction& i) { Map16(w, i, Rcp); }
void exec_V_RSQ_F16(Wave& w, const Instruction& i) { Map16(w, i, Rsq); }
void exec_V_SQRT_F16(Wave& w, const Instruction& i) { Map16(w, i, Sqrt); }
void exec_V_SIN_F16(Wave& w, const Instruction& i) { Map16(w, i, SinAnyRange); }
void exec_V_COS_F16(Wave& w, const Instruction& i) { Map16(w, i, CosAnyRange); }

}  // namespace gcnjit::runtime
