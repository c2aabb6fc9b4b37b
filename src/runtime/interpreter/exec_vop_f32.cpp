// f32 arithmetic: add, multiply, multiply-add, and the cube map helpers.
//
// v_mad_f32 and what the hardware turns into it (mac, madmk, madak) round the product and flush
// denormals always; v_fma_f32 does neither.
#include <bit>
#include <cmath>

#include "runtime/interpreter/f32_rules.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

float Add(float a, float b) { return OrNan(a + b, a, b); }
float Sub(float a, float b) { return OrNan(a - b, a, b); }
float Mul(float a, float b) { return OrNan(a * b, a, b); }
float Mad(float a, float b, float c) { return OrNan(a * b + c, a, b, c); }
float Fma(float a, float b, float c) { return OrNan(std::fma(a, b, c), a, b, c); }

// Zero times anything is +0, even NaN and infinity; operands that are flushed count as zero.
bool HasZero(float a, float b) { return a == 0.0f || b == 0.0f; }
float MulLegacy(float a, float b) { return HasZero(a, b) ? 0.0f : Mul(a, b); }
float MadLegacy(float a, float b, float c) {
  const float product = MulLegacy(a, b);
  return OrNan(product + c, product, c);
}

template <typename F>
void Binary(Wave& w, const Instruction& i, F f) {
  MapLanes2<float, float, float>(w, i, f);
}

template <typename F>
void Ternary(Wave& w, const Instruction& i, F f) {
  MapLanes3<float, float, float, float>(w, i, f);
}

// f(src0, src1, old destination)
template <typename F>
void Accumulate(Wave& w, const Instruction& i, F f) {
  alignas(64) float a_buffer[kLanes];
  alignas(64) float b_buffer[kLanes];
  alignas(64) float result[kLanes];
  const float* a = ReadLanes<float>(w, i, 0, a_buffer);
  const float* b = ReadLanes<float>(w, i, 1, b_buffer);
  const float* c = DstLanes<float>(w, i);
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = f(a[lane], b[lane], c[lane]);
  WriteLanes<float>(w, i, result);
}

}  // namespace

void exec_V_ADD_F32(Wave& w, const Instruction& i) { Binary(w, i, Add); }
void exec_V_SUB_F32(Wave& w, const Instruction& i) { Binary(w, i, Sub); }
void exec_V_SUBREV_F32(Wave& w, const Instruction& i) {
  Binary(w, i, [](float a, float b) { return OrNan(b - a, a, b); });
}
void exec_V_MUL_F32(Wave& w, const Instruction& i) { Binary(w, i, Mul); }
void exec_V_MUL_LEGACY_F32(Wave& w, const Instruction& i) { Binary(w, i, MulLegacy); }

void exec_V_FMA_F32(Wave& w, const Instruction& i) { Ternary(w, i, Fma); }
void exec_V_FMAC_F32(Wave& w, const Instruction& i) { Accumulate(w, i, Fma); }

void exec_V_MAD_F32(Wave& w, const Instruction& i) {
  FlushF32Denormals(w);
  Ternary(w, i, Mad);
}
void exec_V_MADMK_F32(Wave& w, const Instruction& i) { exec_V_MAD_F32(w, i); }  // K is src1
void exec_V_MADAK_F32(Wave& w, const Instruction& i) { exec_V_MAD_F32(w, i); }  // K is src2
void exec_V_MAC_F32(Wave& w, const Instruction& i) {
  FlushF32Denormals(w);
  Accumulate(w, i, Mad);
}
void exec_V_MAD_LEGACY_F32(Wave& w, const Instruction& i) {
  FlushF32Denormals(w);
  Ternary(w, i, MadLegacy);
}
void exec_V_MAC_LEGACY_F32(Wave& w, const Instruction& i) {
  FlushF32Denormals(w);
  Accumulate(w, i, MadLegacy);
}

// The specular term of a lighting equation: legacy product, or -FLT_MAX unless src2 is positive.
void exec_V_MULLIT_F32(Wave& w, const Instruction& i) {
  Ternary(w, i, [](float a, float b, float c) {
    return c > 0.0f ? MulLegacy(a, b) : F32Value(0xFF7FFFFF);
  });
}

// ---- Cube maps: (src0, src1, src2) is a direction (x, y, z); its major axis chooses the face.

namespace {

bool IsMajorZ(float x, float y, float z) {
  return std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y);
}
bool IsMajorY(float x, float y) { return std::fabs(y) >= std::fabs(x); }

float CubeFace(float x, float y, float z) {
  const float face_x = x < 0.0f ? 1.0f : 0.0f;
  const float face_y = y < 0.0f ? 3.0f : 2.0f;
  const float face_z = z < 0.0f ? 5.0f : 4.0f;
  return IsMajorZ(x, y, z) ? face_z : IsMajorY(x, y) ? face_y : face_x;
}
float CubeS(float x, float y, float z) {
  const float s_x = x < 0.0f ? z : -z;
  const float s_z = z < 0.0f ? -x : x;
  return IsMajorZ(x, y, z) ? s_z : IsMajorY(x, y) ? x : s_x;
}
float CubeT(float x, float y, float z) {
  const float t_y = y < 0.0f ? -z : z;
  return IsMajorZ(x, y, z) ? -y : IsMajorY(x, y) ? t_y : -y;
}
float CubeMajor(float x, float y, float z) {
  const float major = IsMajorZ(x, y, z) ? z : IsMajorY(x, y) ? y : x;
  return OrNan(2.0f * major, major);
}

// For functions that choose an operand: the host's denormal mode acts on arithmetic only.
template <typename F>
void TernaryFlushing(Wave& w, const Instruction& i, F f) {
  const bool flush = !KeepsF32InputDenormals(w) || !KeepsF32OutputDenormals(w);
  Ternary(w, i, [f, flush](float a, float b, float c) {
    const float result = f(a, b, c);
    return OrNan(F32Value(FlushBits(F32Bits(result), flush)), result);
  });
}

}  // namespace

void exec_V_CUBEID_F32(Wave& w, const Instruction& i) { Ternary(w, i, CubeFace); }
void exec_V_CUBESC_F32(Wave& w, const Instruction& i) { TernaryFlushing(w, i, CubeS); }
void exec_V_CUBETC_F32(Wave& w, const Instruction& i) { TernaryFlushing(w, i, CubeT); }
void exec_V_CUBEMA_F32(Wave& w, const Instruction& i) { Ternary(w, i, CubeMajor); }

}  // namespace gcnjit::runtime
