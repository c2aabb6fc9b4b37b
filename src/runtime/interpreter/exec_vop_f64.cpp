// Double-precision arithmetic. MODE's f64 fields govern MXCSR here (row flag FP64).
//
// Sources: Vega manual via the CDNA manual's VOP1 and VOP3 chapters; CLRX GcnInstrsVop1,
// GcnInstrsVop3.
#include <immintrin.h>

#include "runtime/interpreter/float_bits.h"
#include "runtime/interpreter/lanes.h"
#include "runtime/interpreter/min_max.h"
#include "runtime/interpreter/scale.h"
#include "runtime/interpreter/trig_preop.h"

namespace gcnjit::runtime {
namespace {

using D = Format<double>;

template <typename F>
void MapMinMax(Wave& w, const Instruction& i, F f) {
  const auto m = MinMaxOf<double>(w);
  MapLanes2<double, double, double>(
      w, i, [&m, f](double a, double b) { return m.Finish(f(m, m.Prepare(a), m.Prepare(b))); });
}

// GCC does not vectorise loops of rounding functions under -frounding-math.
template <int kImmediate>
void RoundLanes(Wave& w, const Instruction& i) {
  alignas(64) double values[kLanes];
  ReadLanes<double>(w, i, 0, values);
  for (int lane = 0; lane < kLanes; lane += 4) {
    const __m256d x = _mm256_load_pd(values + lane);
    _mm256_store_pd(values + lane, _mm256_round_pd(x, kImmediate | _MM_FROUND_NO_EXC));
  }
  WriteLanes<double>(w, i, values);
}

void MultiplyAdd(Wave& w, const Instruction& i, const double (&c)[kLanes]) {
  alignas(64) double a[kLanes];
  alignas(64) double b[kLanes];
  alignas(64) double result[kLanes];
  ReadLanes<double>(w, i, 0, a);
  ReadLanes<double>(w, i, 1, b);
  for (int lane = 0; lane < kLanes; lane += 4) {
    _mm256_store_pd(result + lane,
                    _mm256_fmadd_pd(_mm256_load_pd(a + lane), _mm256_load_pd(b + lane),
                                    _mm256_load_pd(c + lane)));
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    result[lane] = FirstNan(a[lane], b[lane], c[lane], result[lane]);
  }
  WriteLanes<double>(w, i, result);
}

}  // namespace

void exec_V_ADD_F64(Wave& w, const Instruction& i) {
  MapLanes2<double, double, double>(w, i, [](double a, double b) { return FirstNan(a, b, a + b); });
}

void exec_V_MUL_F64(Wave& w, const Instruction& i) {
  MapLanes2<double, double, double>(w, i, [](double a, double b) { return FirstNan(a, b, a * b); });
}

void exec_V_FMA_F64(Wave& w, const Instruction& i) {
  alignas(64) double c[kLanes];
  ReadLanes<double>(w, i, 2, c);
  MultiplyAdd(w, i, c);
}

// To what the destination has.
void exec_V_FMAC_F64(Wave& w, const Instruction& i) {
  const uint32_t(*const registers)[kLanes] = &w.state.vgpr[VgprIndex(w, i.dst, 3)];
  alignas(64) double c[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    c[lane] = D::From(registers[0][lane] | static_cast<uint64_t>(registers[1][lane]) << 32);
  }
  MultiplyAdd(w, i, c);
}

void exec_V_MIN_F64(Wave& w, const Instruction& i) {
  MapMinMax(w, i, [](auto& m, double a, double b) { return m.Min(a, b); });
}

void exec_V_MAX_F64(Wave& w, const Instruction& i) {
  MapMinMax(w, i, [](auto& m, double a, double b) { return m.Max(a, b); });
}

void exec_V_TRUNC_F64(Wave& w, const Instruction& i) { RoundLanes<_MM_FROUND_TO_ZERO>(w, i); }
void exec_V_CEIL_F64(Wave& w, const Instruction& i) { RoundLanes<_MM_FROUND_TO_POS_INF>(w, i); }
void exec_V_FLOOR_F64(Wave& w, const Instruction& i) { RoundLanes<_MM_FROUND_TO_NEG_INF>(w, i); }
void exec_V_RNDNE_F64(Wave& w, const Instruction& i) {
  RoundLanes<_MM_FROUND_TO_NEAREST_INT>(w, i);
}

void exec_V_FRACT_F64(Wave& w, const Instruction& i) {
  // x - floor(x), which may round up to 1: "result clamped to 0x3fefffffffffffff". gfx6 lacks that
  // (LLVM and Mesa's ACO take the minimum after it).
  const bool is_below_one = frontend::Has(w.generation(), frontend::kFractBelowOne);
  const double largest = is_below_one ? 0x1.fffffffffffffp-1 : 1.0;
  MapLanes1<double, double>(w, i, [largest](double x) {
    const double fraction = x - __builtin_floor(x);
    return FirstNan(x, fraction > largest ? largest : fraction);
  });
}

void exec_V_LDEXP_F64(Wave& w, const Instruction& i) {
  MapLanes2<double, double, int32_t>(w, i,
                                     [](double x, int32_t n) { return ScaleByPowerOfTwo(x, n); });
}

void exec_V_FREXP_MANT_F64(Wave& w, const Instruction& i) {
  // gfx6 answers infinities with NaN (CLRX; LLVM avoids the instruction there).
  const bool infinity_is_nan = !frontend::Has(w.generation(), frontend::kFrexpOfInfinity);
  MapLanes1<double, double>(w, i, [=](double x) {
    const double infinite = infinity_is_nan ? D::From(D::kDefaultNan) : x;
    return FirstNan(x, (D::Of(x) & ~D::kSign) == D::kInfinity ? infinite : Significand(x));
  });
}

void exec_V_FREXP_EXP_I32_F64(Wave& w, const Instruction& i) {
  const int32_t of_infinity = frontend::Has(w.generation(), frontend::kFrexpOfInfinity) ? 0 : -1;
  MapLanes1<int32_t, double>(w, i, [=](double x) {
    return (D::Of(x) & ~D::kSign) >= D::kInfinity ? of_infinity : ExponentOf(x);
  });
}

void exec_V_TRIG_PREOP_F64(Wave& w, const Instruction& i) {
  const bool flush = Denormals64(w).flush_outputs;
  MapLanes2<double, double, uint32_t>(w, i, [=](double x, uint32_t segment) {
    const double bits_of_two_over_pi = TrigPreop(x, segment);
    return flush ? D::From(D::FlushDenormal(D::Of(bits_of_two_over_pi))) : bits_of_two_over_pi;
  });
}

}  // namespace gcnjit::runtime
