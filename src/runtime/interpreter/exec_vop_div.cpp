// v_div_scale, v_div_fmas, v_div_fixup: division.h on lanes.
#include <immintrin.h>

#include "runtime/interpreter/division.h"
#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

template <typename T>
Denormals DenormalsOf(const Wave& w) {
  return sizeof(T) == 4 ? Denormals32(w) : Denormals64(w);
}
template <typename T>
Round RoundOf(const Wave& w) {
  return sizeof(T) == 4 ? Round32(w) : Round64(w);
}

template <typename T>
void ExecDivScale(Wave& w, const Instruction& i) {
  alignas(64) T value_buffer[kLanes];
  alignas(64) T denominator_buffer[kLanes];
  alignas(64) T numerator_buffer[kLanes];
  alignas(64) T result[kLanes];
  const T* value = ReadLanes<T>(w, i, 0, value_buffer);
  const T* denominator = ReadLanes<T>(w, i, 1, denominator_buffer);
  const T* numerator = ReadLanes<T>(w, i, 2, numerator_buffer);
  const bool flush = DenormalsOf<T>(w).flush_inputs;
  uint64_t post_scale = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const Scaled<T> scaled = DivScale(value[lane], denominator[lane], numerator[lane], flush);
    result[lane] = scaled.value;
    post_scale |= static_cast<uint64_t>(scaled.post_scale) << lane;
  }
  WriteLanes<T>(w, i, result);
  WriteLaneMask(w, i.sdst, post_scale & w.exec());
}

void FusedLanes(const float* a, const float* b, const float* c, float* result) {
  for (int lane = 0; lane < kLanes; lane += 8) {
    _mm256_store_ps(result + lane,
                    _mm256_fmadd_ps(_mm256_loadu_ps(a + lane), _mm256_loadu_ps(b + lane),
                                    _mm256_loadu_ps(c + lane)));
  }
}
void FusedLanes(const double* a, const double* b, const double* c, double* result) {
  for (int lane = 0; lane < kLanes; lane += 4) {
    _mm256_store_pd(result + lane,
                    _mm256_fmadd_pd(_mm256_loadu_pd(a + lane), _mm256_loadu_pd(b + lane),
                                    _mm256_loadu_pd(c + lane)));
  }
}

template <typename T>
bool IsDenormal(T value) {
  using F = Format<T>;
  // Zero wraps around to the largest integer.
  return (F::Of(value) & ~F::kSign) - 1 < F::kImplicitOne - 1;
}

template <typename T>
void ExecDivFmas(Wave& w, const Instruction& i) {
  alignas(64) T a_buffer[kLanes];
  alignas(64) T b_buffer[kLanes];
  alignas(64) T c_buffer[kLanes];
  alignas(64) T result[kLanes];
  const T* a = ReadLanes<T>(w, i, 0, a_buffer);
  const T* b = ReadLanes<T>(w, i, 1, b_buffer);
  const T* c = ReadLanes<T>(w, i, 2, c_buffer);
  const uint64_t post_scale = w.state.vcc();
  const Denormals denormals = DenormalsOf<T>(w);
  // The host's instruction does for nearly all lanes: those that are not scaled, and have no
  // denormal operand that MXCSR would flush.
  FusedLanes(a, b, c, result);
  alignas(64) uint8_t is_special[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool denormal_a = IsDenormal(a[lane]);
    const bool denormal_b = IsDenormal(b[lane]);
    const bool denormal_c = IsDenormal(c[lane]);
    const bool has_denormal = denormal_a | denormal_b | denormal_c;
    const bool is_nan = result[lane] != result[lane];
    is_special[lane] = static_cast<uint8_t>(is_nan | (has_denormal & denormals.flush_inputs));
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool scaled = ((post_scale >> lane) & 1) != 0;
    if (scaled || is_special[lane] != 0) {
      result[lane] =
          DivFmas(a[lane], b[lane], c[lane], scaled, RoundOf<T>(w), denormals.flush_outputs);
    }
  }
  WriteLanes<T>(w, i, result);
}

template <typename T>
void ExecDivFixup(Wave& w, const Instruction& i) {
  const Round round = RoundOf<T>(w);
  const Denormals denormals = DenormalsOf<T>(w);
  MapLanes3<T, T, T, T>(w, i, [=](T quotient, T denominator, T numerator) {
    return DivFixup(quotient, denominator, numerator, round, denormals);
  });
}

void ExecDivFixupF16(Wave& w, const Instruction& i, bool preserves) {
  alignas(64) Half quotient[kLanes];
  alignas(64) Half denominator[kLanes];
  alignas(64) Half numerator[kLanes];
  ReadLanes<Half>(w, i, 0, quotient);
  ReadLanes<Half>(w, i, 1, denominator);
  ReadLanes<Half>(w, i, 2, numerator);
  // MODE.FP16_OVFL makes an overflow the largest number, as rounding toward zero does.
  const Round round = SaturatesHalf(w) ? Round::kZero : Round64(w);
  for (int lane = 0; lane < kLanes; ++lane) {
    quotient[lane] =
        DivFixup(quotient[lane], denominator[lane], numerator[lane], round, Denormals64(w));
  }
  StoreHalves(w, i, quotient, preserves);
}

}  // namespace

void exec_V_DIV_SCALE_F32(Wave& w, const Instruction& i) { ExecDivScale<float>(w, i); }
void exec_V_DIV_SCALE_F64(Wave& w, const Instruction& i) { ExecDivScale<double>(w, i); }
void exec_V_DIV_FMAS_F32(Wave& w, const Instruction& i) { ExecDivFmas<float>(w, i); }
void exec_V_DIV_FMAS_F64(Wave& w, const Instruction& i) { ExecDivFmas<double>(w, i); }
void exec_V_DIV_FIXUP_F32(Wave& w, const Instruction& i) { ExecDivFixup<float>(w, i); }
void exec_V_DIV_FIXUP_F64(Wave& w, const Instruction& i) { ExecDivFixup<double>(w, i); }
void exec_V_DIV_FIXUP_F16(Wave& w, const Instruction& i) { ExecDivFixupF16(w, i, true); }
void exec_V_DIV_FIXUP_LEGACY_F16(Wave& w, const Instruction& i) { ExecDivFixupF16(w, i, false); }

}  // namespace gcnjit::runtime
