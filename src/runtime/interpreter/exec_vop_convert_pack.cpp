// v_cvt_pk*, v_cvt_norm_*, v_pack_b32_f16, v_sat_pk_u8_i16: conversions to several small values,
// and to normalised integers.
//
// Sources: Vega manual, VOP1 to VOP3; CLRX GcnInstrsVop1 to GcnInstrsVop3 (v_cvt_pk_u8_f32 and
// v_cvt_norm_* round as MODE says, v_cvt_pknorm_* to nearest). v_pack_b32_f16 canonicalises, which
// is why LLVM selects it for canonical operands only.
#include <immintrin.h>

#include <cstdint>

#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

enum class Norm { kSigned, kUnsigned };

// Rounds the exact product of a number in [-1, 1] and the largest integer. NaN gives 0.
template <Norm kNorm, int kImmediate>
void Normalize(const float* x, int32_t (&result)[kLanes]) {
  constexpr double kScale = kNorm == Norm::kSigned ? 32767 : 65535;
  constexpr double kLowest = kNorm == Norm::kSigned ? -1 : 0;
  for (int lane = 0; lane < kLanes; lane += 4) {
    // max first: it returns its second operand for NaN, and that is cleared below.
    __m256d value = _mm256_cvtps_pd(_mm_loadu_ps(x + lane));
    const __m256d is_number = _mm256_cmp_pd(value, value, _CMP_ORD_Q);
    value = _mm256_and_pd(value, is_number);
    value = _mm256_max_pd(value, _mm256_set1_pd(kLowest));
    value = _mm256_min_pd(value, _mm256_set1_pd(1));
    value = _mm256_mul_pd(value, _mm256_set1_pd(kScale));
    value = _mm256_round_pd(value, kImmediate | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(result + lane), _mm256_cvttpd_epi32(value));
  }
}

// Stores two 16-bit values a lane.
void WritePacked(Wave& w, const Instruction& i, const int32_t* low, const int32_t* high) {
  alignas(64) uint32_t result[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    result[lane] = (static_cast<uint32_t>(low[lane]) & 0xFFFF) | static_cast<uint32_t>(high[lane])
                                                                     << 16;
  }
  WriteLanes<uint32_t>(w, i, result);
}

template <Norm kNorm>
void PackNormF32(Wave& w, const Instruction& i) {
  alignas(64) float buffer[kLanes];
  alignas(64) int32_t low[kLanes];
  alignas(64) int32_t high[kLanes];
  Normalize<kNorm, _MM_FROUND_TO_NEAREST_INT>(ReadLanes<float>(w, i, 0, buffer), low);
  Normalize<kNorm, _MM_FROUND_TO_NEAREST_INT>(ReadLanes<float>(w, i, 1, buffer), high);
  WritePacked(w, i, low, high);
}

template <Norm kNorm>
void PackNormF16(Wave& w, const Instruction& i) {
  alignas(64) float x[kLanes];
  alignas(64) int32_t low[kLanes];
  alignas(64) int32_t high[kLanes];
  ReadHalves(w, i, 0, x);
  Normalize<kNorm, _MM_FROUND_TO_NEAREST_INT>(x, low);
  ReadHalves(w, i, 1, x);
  Normalize<kNorm, _MM_FROUND_TO_NEAREST_INT>(x, high);
  WritePacked(w, i, low, high);
}

template <Norm kNorm, typename T>
void NormF16(Wave& w, const Instruction& i) {
  alignas(64) float x[kLanes];
  alignas(64) int32_t wide[kLanes];
  alignas(64) T result[kLanes];
  ReadHalves(w, i, 0, x);
  Normalize<kNorm, _MM_FROUND_CUR_DIRECTION>(x, wide);
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = static_cast<T>(wide[lane]);
  WriteLanes<T>(w, i, result);
}

// src0 as an unsigned byte, put at byte src1[1:0] of `into`.
void InsertByte(Wave& w, const Instruction& i, const uint32_t* into) {
  alignas(64) float x_buffer[kLanes];
  alignas(64) uint32_t position_buffer[kLanes];
  alignas(64) int32_t byte[kLanes];
  alignas(64) uint32_t result[kLanes];
  const float* x = ReadLanes<float>(w, i, 0, x_buffer);
  const uint32_t* position = ReadLanes<uint32_t>(w, i, 1, position_buffer);
  for (int lane = 0; lane < kLanes; lane += 8) {
    __m256 value = _mm256_loadu_ps(x + lane);
    value = _mm256_and_ps(value, _mm256_cmp_ps(value, value, _CMP_ORD_Q));
    value = _mm256_max_ps(value, _mm256_setzero_ps());
    value = _mm256_min_ps(value, _mm256_set1_ps(255));
    value = _mm256_round_ps(value, _MM_FROUND_CUR_DIRECTION | _MM_FROUND_NO_EXC);
    _mm256_store_si256(reinterpret_cast<__m256i*>(byte + lane), _mm256_cvttps_epi32(value));
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t shift = (position[lane] & 3) * 8;
    result[lane] = (into[lane] & ~(0xFFu << shift)) | static_cast<uint32_t>(byte[lane]) << shift;
  }
  WriteLanes<uint32_t>(w, i, result);
}

uint32_t ClampToU16(uint32_t x) { return x > 0xFFFF ? 0xFFFF : x; }
int32_t ClampToI16(int32_t x) { return x > 32767 ? 32767 : x < -32768 ? -32768 : x; }

}  // namespace

void exec_V_CVT_PKNORM_I16_F32(Wave& w, const Instruction& i) { PackNormF32<Norm::kSigned>(w, i); }
void exec_V_CVT_PKNORM_U16_F32(Wave& w, const Instruction& i) {
  PackNormF32<Norm::kUnsigned>(w, i);
}
void exec_V_CVT_PKNORM_I16_F16(Wave& w, const Instruction& i) { PackNormF16<Norm::kSigned>(w, i); }
void exec_V_CVT_PKNORM_U16_F16(Wave& w, const Instruction& i) {
  PackNormF16<Norm::kUnsigned>(w, i);
}
void exec_V_CVT_NORM_I16_F16(Wave& w, const Instruction& i) {
  NormF16<Norm::kSigned, int16_t>(w, i);
}
void exec_V_CVT_NORM_U16_F16(Wave& w, const Instruction& i) {
  NormF16<Norm::kUnsigned, uint16_t>(w, i);
}

void exec_V_CVT_PK_U8_F32(Wave& w, const Instruction& i) {
  alignas(64) uint32_t buffer[kLanes];
  InsertByte(w, i, ReadLanes<uint32_t>(w, i, 2, buffer));
}
void exec_V_CVT_PKACCUM_U8_F32(Wave& w, const Instruction& i) {
  InsertByte(w, i, DstLanes<uint32_t>(w, i));
}

void exec_V_CVT_PKRTZ_F16_F32(Wave& w, const Instruction& i) {
  alignas(64) float buffer[kLanes];
  alignas(64) Half low[kLanes];
  alignas(64) Half high[kLanes];
  alignas(64) uint32_t result[kLanes];
  // Denormals as v_cvt_f16_f32 has them.
  const bool flush = frontend::IsGfx8Plus(w.generation()) && Denormals64(w).flush_outputs;
  const HalfRounding rounding = {Round::kZero, flush, false};
  Narrow(ReadLanes<float>(w, i, 0, buffer), low, rounding);
  Narrow(ReadLanes<float>(w, i, 1, buffer), high, rounding);
  for (int lane = 0; lane < kLanes; ++lane) {
    result[lane] = low[lane].bits | static_cast<uint32_t>(high[lane].bits) << 16;
  }
  WriteLanes<uint32_t>(w, i, result);
}

void exec_V_CVT_PK_U16_U32(Wave& w, const Instruction& i) {
  MapLanes2<uint32_t, uint32_t, uint32_t>(
      w, i, [](uint32_t a, uint32_t b) { return ClampToU16(a) | ClampToU16(b) << 16; });
}
void exec_V_CVT_PK_I16_I32(Wave& w, const Instruction& i) {
  MapLanes2<uint32_t, int32_t, int32_t>(w, i, [](int32_t a, int32_t b) {
    return (static_cast<uint32_t>(ClampToI16(a)) & 0xFFFF) | static_cast<uint32_t>(ClampToI16(b))
                                                                 << 16;
  });
}

void exec_V_PACK_B32_F16(Wave& w, const Instruction& i) {
  alignas(64) float values[kLanes];
  alignas(64) Half low[kLanes];
  alignas(64) Half high[kLanes];
  alignas(64) uint32_t result[kLanes];
  const HalfRounding rounding = HalfRoundingOf(w);
  ReadHalves(w, i, 0, values);
  Narrow(values, low, rounding);
  ReadHalves(w, i, 1, values);
  Narrow(values, high, rounding);
  for (int lane = 0; lane < kLanes; ++lane) {
    result[lane] = low[lane].bits | static_cast<uint32_t>(high[lane].bits) << 16;
  }
  WriteLanes<uint32_t>(w, i, result);
}

}  // namespace gcnjit::runtime
