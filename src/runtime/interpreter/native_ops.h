// The Ops of frontend/arith/approximate.h for the interpreter: eight f32 or four f64 lanes of AVX2.
// Written with vector types because GCC does not vectorise loops with fma, sqrt or rint under
// -frounding-math.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>

namespace gcnjit::runtime {

struct NativeOps {
  using F32 = __m256;
  using F64 = __m256d;
  using I32 [[gnu::vector_size(32)]] = int32_t;
  using U32 [[gnu::vector_size(32)]] = uint32_t;
  using I64 [[gnu::vector_size(32)]] = int64_t;
  using Mask32 = I32;
  using Mask64 = I64;

  static F32 Const(float value) { return _mm256_set1_ps(value); }
  static F64 Const(double value) { return _mm256_set1_pd(value); }
  static I32 Const(int32_t value) { return std::bit_cast<I32>(_mm256_set1_epi32(value)); }

  template <typename T>
  static T Add(T a, T b) {
    return a + b;
  }
  template <typename T>
  static T Sub(T a, T b) {
    return a - b;
  }
  template <typename T>
  static T Mul(T a, T b) {
    return a * b;
  }
  template <typename T>
  static T Div(T a, T b) {
    return a / b;
  }
  static F32 Fma(F32 a, F32 b, F32 c) { return _mm256_fmadd_ps(a, b, c); }
  static F32 Sqrt(F32 a) { return _mm256_sqrt_ps(a); }
  static F64 Sqrt(F64 a) { return _mm256_sqrt_pd(a); }
  static F32 Abs(F32 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
  static F64 Abs(F64 a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
  static F32 RoundToInt(F32 a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }

  static F32 ToFloat(I32 a) { return _mm256_cvtepi32_ps(std::bit_cast<__m256i>(a)); }
  static I32 Bits(F32 a) { return std::bit_cast<I32>(a); }
  static F32 FromBits(I32 a) { return std::bit_cast<F32>(a); }

  // Integers wrap around.
  static I32 Add(I32 a, I32 b) { return Wrap(Unsigned(a) + Unsigned(b)); }
  static I32 Sub(I32 a, I32 b) { return Wrap(Unsigned(a) - Unsigned(b)); }
  static I32 And(I32 a, I32 b) { return a & b; }
  static I32 Or(I32 a, I32 b) { return a | b; }
  static I32 ShiftLeft(I32 a, int count) { return Wrap(Unsigned(a) << count); }
  static I32 ShiftRight(I32 a, int count) { return a >> count; }

  static Mask32 Less(F32 a, F32 b) { return a < b; }
  static Mask32 LessOrEqual(F32 a, F32 b) { return a <= b; }
  static Mask64 Less(F64 a, F64 b) { return a < b; }
  static Mask32 Equal(F32 a, F32 b) { return a == b; }
  static Mask64 Equal(F64 a, F64 b) { return a == b; }
  static F32 Select(Mask32 mask, F32 if_true, F32 if_false) {
    return _mm256_blendv_ps(if_false, if_true, std::bit_cast<__m256>(mask));
  }
  static F64 Select(Mask64 mask, F64 if_true, F64 if_false) {
    return _mm256_blendv_pd(if_false, if_true, std::bit_cast<__m256d>(mask));
  }

 private:
  static U32 Unsigned(I32 a) { return std::bit_cast<U32>(a); }
  static I32 Wrap(U32 a) { return std::bit_cast<I32>(a); }
};

}  // namespace gcnjit::runtime
