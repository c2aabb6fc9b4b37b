// f32 arithmetic: add, multiply, multiply-add, and the cube map helpers.
//
// v_mad_f32 and what the hardware turns into it (mac, madmk, madak) round the product and flush
// denormals always; v_fma_f32 does neither.
#include <immintrin.h>

#include <cmath>

#include "runtime/interpreter/f32_rules.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

using F32x8 = __m256;
constexpr int kStep = 8;

F32x8 Select(F32x8 condition, F32x8 then, F32x8 otherwise) {
  return _mm256_blendv_ps(otherwise, then, condition);
}
F32x8 IsNan(F32x8 a) { return _mm256_cmp_ps(a, a, _CMP_UNORD_Q); }
F32x8 Quiet(F32x8 a) { return _mm256_or_ps(a, _mm256_set1_ps(F32Value(kF32QuietBit))); }

// `result`, or the first operand that is a NaN, quieted (see OrNan). A NaN operand makes the result
// of IEEE arithmetic NaN, so there is rarely anything to do.
template <typename... Operands>
F32x8 OrNan8(F32x8 result, F32x8 first, Operands... rest) {
  if (_mm256_movemask_ps(IsNan(result)) == 0) [[likely]]
    return result;
  if constexpr (sizeof...(rest) > 0) result = OrNan8(result, rest...);
  return Select(IsNan(first), Quiet(first), result);
}

// Function objects rather than functions: each gives its lane loop a type of its own, into which it
// is inlined.
constexpr auto kAdd = [](F32x8 a, F32x8 b) { return OrNan8(a + b, a, b); };
constexpr auto kSub = [](F32x8 a, F32x8 b) { return OrNan8(a - b, a, b); };
constexpr auto kMul = [](F32x8 a, F32x8 b) { return OrNan8(a * b, a, b); };
// The product rounds by itself, and its NaN (also that of an invalid product) comes before c's.
constexpr auto kMad = [](F32x8 a, F32x8 b, F32x8 c) { return kAdd(kMul(a, b), c); };
constexpr auto kFma = [](F32x8 a, F32x8 b, F32x8 c) {
  return OrNan8(_mm256_fmadd_ps(a, b, c), a, b, c);
};

// Zero times anything is +0, even NaN and infinity; operands that are flushed count as zero.
constexpr auto kMulLegacy = [](F32x8 a, F32x8 b) {
  const F32x8 zero = _mm256_setzero_ps();
  const F32x8 has_zero = _mm256_or_ps(_mm256_cmp_ps(a, zero, _CMP_EQ_OQ),  //
                                      _mm256_cmp_ps(b, zero, _CMP_EQ_OQ));
  return Select(has_zero, zero, kMul(a, b));
};
constexpr auto kMadLegacy = [](F32x8 a, F32x8 b, F32x8 c) { return kAdd(kMulLegacy(a, b), c); };

template <typename F>
void Binary(Wave& w, const Instruction& i, F f) {
  alignas(64) float a_buffer[kLanes];
  alignas(64) float b_buffer[kLanes];
  alignas(64) float d_buffer[kLanes];
  const float* a = ReadLanes<float>(w, i, 0, a_buffer);
  const float* b = ReadLanes<float>(w, i, 1, b_buffer);
  float* result = ResultLanes<float>(w, i, d_buffer);
  for (int lane = 0; lane < kLanes; lane += kStep) {
    _mm256_store_ps(result + lane, f(_mm256_load_ps(a + lane), _mm256_load_ps(b + lane)));
  }
  FinishLanes<float>(w, i, result, d_buffer);
}

// dst = f(src0, src1, c)
template <typename F>
void WithThird(Wave& w, const Instruction& i, const float* c, F f) {
  alignas(64) float a_buffer[kLanes];
  alignas(64) float b_buffer[kLanes];
  alignas(64) float d_buffer[kLanes];
  const float* a = ReadLanes<float>(w, i, 0, a_buffer);
  const float* b = ReadLanes<float>(w, i, 1, b_buffer);
  float* result = ResultLanes<float>(w, i, d_buffer);
  for (int lane = 0; lane < kLanes; lane += kStep) {
    _mm256_store_ps(result + lane, f(_mm256_load_ps(a + lane), _mm256_load_ps(b + lane),
                                     _mm256_load_ps(c + lane)));
  }
  FinishLanes<float>(w, i, result, d_buffer);
}

template <typename F>
void Ternary(Wave& w, const Instruction& i, F f) {
  alignas(64) float c_buffer[kLanes];
  WithThird(w, i, ReadLanes<float>(w, i, 2, c_buffer), f);
}

// f(src0, src1, old destination)
template <typename F>
void Accumulate(Wave& w, const Instruction& i, F f) {
  WithThird(w, i, DstLanes<float>(w, i), f);
}

}  // namespace

void exec_V_ADD_F32(Wave& w, const Instruction& i) { Binary(w, i, kAdd); }
void exec_V_SUB_F32(Wave& w, const Instruction& i) { Binary(w, i, kSub); }
// src1 - src0 in every respect: if both are NaN, the minuend's comes first.
void exec_V_SUBREV_F32(Wave& w, const Instruction& i) {
  Binary(w, i, [](F32x8 a, F32x8 b) { return kSub(b, a); });
}
void exec_V_MUL_F32(Wave& w, const Instruction& i) { Binary(w, i, kMul); }
void exec_V_MUL_LEGACY_F32(Wave& w, const Instruction& i) { Binary(w, i, kMulLegacy); }

void exec_V_FMA_F32(Wave& w, const Instruction& i) { Ternary(w, i, kFma); }
void exec_V_FMAC_F32(Wave& w, const Instruction& i) { Accumulate(w, i, kFma); }

void exec_V_MAD_F32(Wave& w, const Instruction& i) {
  FlushF32Denormals(w);
  Ternary(w, i, kMad);
}
void exec_V_FMAMK_F32(Wave& w, const Instruction& i) { exec_V_FMA_F32(w, i); }  // K is src1
void exec_V_FMAAK_F32(Wave& w, const Instruction& i) { exec_V_FMA_F32(w, i); }  // K is src2
void exec_V_MADMK_F32(Wave& w, const Instruction& i) { exec_V_MAD_F32(w, i); }  // K is src1
void exec_V_MADAK_F32(Wave& w, const Instruction& i) { exec_V_MAD_F32(w, i); }  // K is src2
void exec_V_MAC_F32(Wave& w, const Instruction& i) {
  FlushF32Denormals(w);
  Accumulate(w, i, kMad);
}
void exec_V_MAD_LEGACY_F32(Wave& w, const Instruction& i) {
  FlushF32Denormals(w);
  Ternary(w, i, kMadLegacy);
}
void exec_V_MAC_LEGACY_F32(Wave& w, const Instruction& i) {
  FlushF32Denormals(w);
  Accumulate(w, i, kMadLegacy);
}

// The specular term of a lighting equation: legacy product, or -FLT_MAX unless src2 is positive.
void exec_V_MULLIT_F32(Wave& w, const Instruction& i) {
  Ternary(w, i, [](F32x8 a, F32x8 b, F32x8 c) {
    const F32x8 positive = _mm256_cmp_ps(c, _mm256_setzero_ps(), _CMP_GT_OQ);
    return Select(positive, kMulLegacy(a, b), _mm256_set1_ps(F32Value(0xFF7FFFFF)));
  });
}

// ---- Cube maps: (src0, src1, src2) is a direction (x, y, z); its major axis chooses the face.

namespace {

bool IsMajorZ(float x, float y, float z) {
  return std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y);
}
bool IsMajorY(float x, float y) { return std::fabs(y) >= std::fabs(x); }

constexpr auto kCubeFace = [](float x, float y, float z) {
  const float face_x = x < 0.0f ? 1.0f : 0.0f;
  const float face_y = y < 0.0f ? 3.0f : 2.0f;
  const float face_z = z < 0.0f ? 5.0f : 4.0f;
  return IsMajorZ(x, y, z) ? face_z : IsMajorY(x, y) ? face_y : face_x;
};
constexpr auto kCubeS = [](float x, float y, float z) {
  const float s_x = x < 0.0f ? z : -z;
  const float s_z = z < 0.0f ? -x : x;
  return IsMajorZ(x, y, z) ? s_z : IsMajorY(x, y) ? x : s_x;
};
constexpr auto kCubeT = [](float x, float y, float z) {
  const float t_y = y < 0.0f ? -z : z;
  return IsMajorZ(x, y, z) ? -y : IsMajorY(x, y) ? t_y : -y;
};
constexpr auto kCubeMajor = [](float x, float y, float z) {
  const float major = IsMajorZ(x, y, z) ? z : IsMajorY(x, y) ? y : x;
  return OrNan(2.0f * major, major);
};

// For functions that choose an operand: the host's denormal mode acts on arithmetic only.
template <typename F>
void TernaryFlushing(Wave& w, const Instruction& i, F f) {
  const bool flush = !KeepsF32InputDenormals(w) || !KeepsF32OutputDenormals(w);
  MapLanes3<float, float, float, float>(w, i, [f, flush](float a, float b, float c) {
    const float result = f(a, b, c);
    return OrNan(F32Value(FlushBits(F32Bits(result), flush)), result);
  });
}

}  // namespace

void exec_V_CUBEID_F32(Wave& w, const Instruction& i) {
  MapLanes3<float, float, float, float>(w, i, kCubeFace);
}
void exec_V_CUBESC_F32(Wave& w, const Instruction& i) { TernaryFlushing(w, i, kCubeS); }
void exec_V_CUBETC_F32(Wave& w, const Instruction& i) { TernaryFlushing(w, i, kCubeT); }
void exec_V_CUBEMA_F32(Wave& w, const Instruction& i) {
  MapLanes3<float, float, float, float>(w, i, kCubeMajor);
}

}  // namespace gcnjit::runtime
