// Half-precision arithmetic (gfx8-9), in f32 (half.h). MODE's f64/f16 fields govern it (row flag
// FP64).
//
// Sources: Vega manual (VOP1, VOP2, VOP3) and its CDNA successor; CLRX GcnInstrsVop1,
// GcnInstrsVop2, GcnInstrsVop3. v_mad_f16 and its kin round the product to f16 and flush denormals
// whatever MODE says (CDNA: "denormals are flushed"; LLVM selects them only where denormals are
// off).
#include <immintrin.h>

#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"
#include "runtime/interpreter/min_max.h"

namespace gcnjit::runtime {
namespace {

constexpr float Power(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

template <int kImmediate>
void RoundLanes(Wave& w, const Instruction& i) {
  alignas(64) float values[kLanes];
  ReadHalves(w, i, 0, values);
  for (int lane = 0; lane < kLanes; lane += 8) {
    const __m256 x = _mm256_load_ps(values + lane);
    _mm256_store_ps(values + lane, _mm256_round_ps(x, kImmediate | _MM_FROUND_NO_EXC));
  }
  WriteHalves(w, i, values);
}

// Unfused a * b + c of halves without denormals. The product's NaN (also that of an invalid
// product) comes before c's, as in v_mad_f32.
void MultiplyAdd(Wave& w, const Instruction& i, const Half* a_halves, const Half* b_halves,
                 const Half* c_halves, bool preserves) {
  alignas(64) float a[kLanes];
  alignas(64) float b[kLanes];
  alignas(64) float c[kLanes];
  alignas(64) float product[kLanes];
  alignas(64) Half rounded[kLanes];
  Widen(a_halves, a, true);
  Widen(b_halves, b, true);
  Widen(c_halves, c, true);
  const HalfRounding rounding = {Round64(w), true, SaturatesHalf(w)};
  for (int lane = 0; lane < kLanes; ++lane) {
    product[lane] = FirstNan(a[lane], b[lane], a[lane] * b[lane]);
  }
  Narrow(product, rounded, rounding);
  Widen(rounded, product, false);
  for (int lane = 0; lane < kLanes; ++lane) {
    product[lane] = FirstNan(product[lane], c[lane], product[lane] + c[lane]);
  }
  Narrow(product, rounded, rounding);
  StoreHalves(w, i, rounded, preserves);
}

void Mad(Wave& w, const Instruction& i, bool preserves) {
  alignas(64) Half a[kLanes];
  alignas(64) Half b[kLanes];
  alignas(64) Half c[kLanes];
  MultiplyAdd(w, i, ReadLanes<Half>(w, i, 0, a), ReadLanes<Half>(w, i, 1, b),
              ReadLanes<Half>(w, i, 2, c), preserves);
}

void Fma(Wave& w, const Instruction& i, bool preserves) {
  MapHalves3(w, i, FusedHalf{Round64(w) == Round::kNearest}, preserves);
}

template <typename F>
void MapMinMax2(Wave& w, const Instruction& i, F f) {
  const auto m = MinMaxOf<Half>(w);
  alignas(64) Half a[kLanes];
  alignas(64) Half b[kLanes];
  ReadLanes<Half>(w, i, 0, a);
  ReadLanes<Half>(w, i, 1, b);
  for (int lane = 0; lane < kLanes; ++lane) {
    a[lane] = m.Finish(f(m, m.Prepare(a[lane]), m.Prepare(b[lane])));
  }
  StoreHalves(w, i, a);
}

template <typename F>
void MapMinMax3(Wave& w, const Instruction& i, F f) {
  const auto m = MinMaxOf<Half>(w);
  alignas(64) Half a[kLanes];
  alignas(64) Half b[kLanes];
  alignas(64) Half c[kLanes];
  ReadLanes<Half>(w, i, 0, a);
  ReadLanes<Half>(w, i, 1, b);
  ReadLanes<Half>(w, i, 2, c);
  for (int lane = 0; lane < kLanes; ++lane) {
    a[lane] = m.Finish(f(m, m.Prepare(a[lane]), m.Prepare(b[lane]), m.Prepare(c[lane])));
  }
  StoreHalves(w, i, a, true);
}

}  // namespace

void exec_V_ADD_F16(Wave& w, const Instruction& i) {
  MapHalves2(w, i, [](float a, float b) { return FirstNan(a, b, a + b); });
}
void exec_V_SUB_F16(Wave& w, const Instruction& i) {
  MapHalves2(w, i, [](float a, float b) { return FirstNan(a, b, a - b); });
}
// src1 - src0 in every respect: the minuend's NaN comes first.
void exec_V_SUBREV_F16(Wave& w, const Instruction& i) {
  MapHalves2(w, i, [](float a, float b) { return FirstNan(b, a, b - a); });
}
void exec_V_MUL_F16(Wave& w, const Instruction& i) {
  MapHalves2(w, i, [](float a, float b) { return FirstNan(a, b, a * b); });
}

void exec_V_MAC_F16(Wave& w, const Instruction& i) {
  alignas(64) Half a[kLanes];
  alignas(64) Half b[kLanes];
  alignas(64) Half old[kLanes];
  const uint32_t* dst = w.state.vgpr[VgprIndex(w, i.dst, 3)];
  for (int lane = 0; lane < kLanes; ++lane) old[lane] = {static_cast<uint16_t>(dst[lane])};
  MultiplyAdd(w, i, ReadLanes<Half>(w, i, 0, a), ReadLanes<Half>(w, i, 1, b), old, true);
}
// The literal stands in the place of its operand.
void exec_V_MADMK_F16(Wave& w, const Instruction& i) { Mad(w, i, true); }
void exec_V_MADAK_F16(Wave& w, const Instruction& i) { Mad(w, i, true); }
void exec_V_MAD_F16(Wave& w, const Instruction& i) { Mad(w, i, true); }
void exec_V_MAD_LEGACY_F16(Wave& w, const Instruction& i) { Mad(w, i, false); }
void exec_V_FMA_F16(Wave& w, const Instruction& i) { Fma(w, i, true); }
void exec_V_FMA_LEGACY_F16(Wave& w, const Instruction& i) { Fma(w, i, false); }

void exec_V_MIN_F16(Wave& w, const Instruction& i) {
  MapMinMax2(w, i, [](auto& m, Half a, Half b) { return m.Min(a, b); });
}
void exec_V_MAX_F16(Wave& w, const Instruction& i) {
  MapMinMax2(w, i, [](auto& m, Half a, Half b) { return m.Max(a, b); });
}
void exec_V_MIN3_F16(Wave& w, const Instruction& i) {
  MapMinMax3(w, i, [](auto& m, Half a, Half b, Half c) { return m.Min3(a, b, c); });
}
void exec_V_MAX3_F16(Wave& w, const Instruction& i) {
  MapMinMax3(w, i, [](auto& m, Half a, Half b, Half c) { return m.Max3(a, b, c); });
}
void exec_V_MED3_F16(Wave& w, const Instruction& i) {
  MapMinMax3(w, i, [](auto& m, Half a, Half b, Half c) { return m.Med3(a, b, c); });
}

void exec_V_TRUNC_F16(Wave& w, const Instruction& i) { RoundLanes<_MM_FROUND_TO_ZERO>(w, i); }
void exec_V_CEIL_F16(Wave& w, const Instruction& i) { RoundLanes<_MM_FROUND_TO_POS_INF>(w, i); }
void exec_V_FLOOR_F16(Wave& w, const Instruction& i) { RoundLanes<_MM_FROUND_TO_NEG_INF>(w, i); }
void exec_V_RNDNE_F16(Wave& w, const Instruction& i) {
  RoundLanes<_MM_FROUND_TO_NEAREST_INT>(w, i);
}

void exec_V_FRACT_F16(Wave& w, const Instruction& i) {
  // Exact in f32. What would round up to 1 becomes the largest half below it, as in v_fract_f32.
  MapHalves1(w, i, [](float x) {
    constexpr float kBelowOne = 0x1.ffcp-1f;
    const float fraction = x - __builtin_floorf(x);
    return FirstNan(x, fraction > kBelowOne ? kBelowOne : fraction);
  });
}

void exec_V_LDEXP_F16(Wave& w, const Instruction& i) {
  alignas(64) float x[kLanes];
  alignas(64) int16_t n[kLanes];
  ReadHalves(w, i, 0, x);
  ReadLanes<int16_t>(w, i, 1, n);
  for (int lane = 0; lane < kLanes; ++lane) {
    // Beyond +-50 every half overflows or vanishes. The product is exact in f32.
    const int exponent = n[lane] < -50 ? -50 : n[lane] > 50 ? 50 : n[lane];
    x[lane] = FirstNan(x[lane], x[lane] * Power(exponent));
  }
  WriteHalves(w, i, x);
}

void exec_V_FREXP_MANT_F16(Wave& w, const Instruction& i) {
  using F = Format<float>;
  MapHalves1(w, i, [](float x) {
    const uint32_t bits = F::Of(x);
    const uint32_t magnitude = bits & ~F::kSign;
    const uint32_t significand = (bits & ~F::kInfinity) | F::Of(0.5f);
    const bool as_is = magnitude == 0 || magnitude >= F::kInfinity;
    return F::From(as_is ? bits : significand);
  });
}

void exec_V_FREXP_EXP_I16_F16(Wave& w, const Instruction& i) {
  using F = Format<float>;
  alignas(64) float x[kLanes];
  alignas(64) int16_t result[kLanes];
  ReadHalves(w, i, 0, x);
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t magnitude = F::Of(x[lane]) & ~F::kSign;
    const int exponent = F::Exponent(magnitude) - F::kBias + 1;
    const bool has_none = magnitude == 0 || magnitude >= F::kInfinity;
    result[lane] = static_cast<int16_t>(has_none ? 0 : exponent);
  }
  WriteLanes<int16_t>(w, i, result);
}

}  // namespace gcnjit::runtime
