// VOP3P: multiply-add of mixed f32 and f16 operands; dot products (gfx906), also those of VOP2 that
// add to the destination (gfx908).
//
// Sources: Vega manual, VOP3P (via CLRX GcnInstrsVop3p) and its CDNA successor (operand selection,
// order of the dot products). v_mad_mix_* of gfx900 is v_mad_f32 with f16 operands: two roundings,
// f32 denormals flushed always (LLVM replaces it by v_fma_mix_* on gfx906: "used to be mad based"),
// f16 ones too (Mesa ACO: "always flushes denormals for 16-bit inputs/outputs"). The f16 results
// are rounded to f32 first (LLVM selects them for an f32 operation followed by fptrunc).
#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

bool BitOf(int field, int n) { return ((field >> n) & 1) != 0; }

// src[n] as f32: the register, or with op_sel_hi the half that op_sel names. Then abs, then neg.
void ReadMixed(Wave& w, const Instruction& i, int n, bool flush_halves, float (&to)[kLanes]) {
  using F = Format<float>;
  alignas(64) uint32_t buffer[kLanes];
  const uint32_t* dwords = ReadLanes<uint32_t>(w, i, n, buffer);
  if (BitOf(i.op_sel_hi, n)) {
    alignas(64) Half halves[kLanes];
    const int shift = BitOf(i.op_sel, n) ? 16 : 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      halves[lane].bits = static_cast<uint16_t>(dwords[lane] >> shift);
    }
    Widen(halves, to, flush_halves);
  } else {
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = F::From(dwords[lane]);
  }
  const uint32_t keep = BitOf(i.abs, n) ? ~F::kSign : ~0u;
  const uint32_t flip = BitOf(i.neg, n) ? F::kSign : 0;
  for (float& value : to) value = F::From((F::Of(value) & keep) ^ flip);
}

struct MixRules {
  bool fused;
  bool flush_halves_read;
  bool flush_halves_written;
};

MixRules MadMix(Wave& w) {
  w.UseFloatClass(FloatClass::kF32Flush);
  return {false, true, true};
}
MixRules FmaMix(Wave& w) {
  w.UseFloatClass(FloatClass::kF32);
  return {true, Denormals64(w).flush_inputs, Denormals64(w).flush_outputs};
}

void MixedSum(Wave& w, const Instruction& i, const MixRules& rules, float (&result)[kLanes]) {
  alignas(64) float a[kLanes];
  alignas(64) float b[kLanes];
  alignas(64) float c[kLanes];
  ReadMixed(w, i, 0, rules.flush_halves_read, a);
  ReadMixed(w, i, 1, rules.flush_halves_read, b);
  ReadMixed(w, i, 2, rules.flush_halves_read, c);
  for (int lane = 0; lane < kLanes; lane += 8) {
    const __m256 x = _mm256_load_ps(a + lane);
    const __m256 y = _mm256_load_ps(b + lane);
    const __m256 z = _mm256_load_ps(c + lane);
    _mm256_store_ps(result + lane, rules.fused ? _mm256_fmadd_ps(x, y, z) : _mm256_mul_ps(x, y));
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if (rules.fused) {
      result[lane] = FirstNan(a[lane], b[lane], c[lane], result[lane]);
    } else {
      // As in v_mad_f32, an invalid product's NaN comes before src2's.
      const float product = FirstNan(a[lane], b[lane], result[lane]);
      result[lane] = FirstNan(product, c[lane], product + c[lane]);
    }
  }
}

void Mix(Wave& w, const Instruction& i, const MixRules& rules) {
  alignas(64) float sum[kLanes];
  MixedSum(w, i, rules, sum);
  WriteLanes<float>(w, i, sum);
}

// Into the low or the high half of the destination; the other one stays.
void MixHalf(Wave& w, const Instruction& i, const MixRules& rules, bool high) {
  alignas(64) float sum[kLanes];
  alignas(64) Half halves[kLanes];
  MixedSum(w, i, rules, sum);
  w.UseFloatClass(FloatClass::kNearest);  // the sum is no input: MXCSR must not flush it
  Narrow(sum, halves, {Round64(w), rules.flush_halves_written, SaturatesHalf(w)});
  Instruction to = i;
  to.encoding = frontend::Encoding::kVop3a;  // the one whose op_sel[3] WriteLanes obeys
  to.op_sel = high ? 8 : 0;
  WriteLanes<Half>(w, to, halves, true);
}

// ---- Dot products

int64_t SignedField(uint32_t dword, int position, int bits) {
  const uint32_t top = dword << (32 - bits - position);
  return static_cast<int32_t>(top) >> (32 - bits);
}
int64_t UnsignedField(uint32_t dword, int position, int bits) {
  return (dword >> position) & ((uint32_t{1} << bits) - 1);
}

// The addend: src[2], or the destination.
template <typename T>
const T* Addend(Wave& w, const Instruction& i, T (&buffer)[kLanes]) {
  return i.row().Has(frontend::READS_DST) ? DstLanes<T>(w, i) : ReadLanes<T>(w, i, 2, buffer);
}

// src[n] with the halves that op_sel and op_sel_hi name in its low and high half. Other encodings
// than VOP3P have no such choice.
void ReadSelected(Wave& w, const Instruction& i, int n, uint32_t (&to)[kLanes]) {
  alignas(64) uint32_t buffer[kLanes];
  const uint32_t* dwords = ReadLanes<uint32_t>(w, i, n, buffer);
  const bool selects = i.encoding == frontend::Encoding::kVop3p;
  const int low = selects && BitOf(i.op_sel, n) ? 16 : 0;
  const int high = !selects || BitOf(i.op_sel_hi, n) ? 16 : 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    to[lane] = ((dwords[lane] >> low) & 0xFFFF) | (dwords[lane] >> high) << 16;
  }
}

// Sum of kBits-wide products and the addend in wide arithmetic; clamp saturates it, else it wraps.
template <typename T, int kBits>
void Dot(Wave& w, const Instruction& i) {
  alignas(64) uint32_t a[kLanes];
  alignas(64) uint32_t b[kLanes];
  alignas(64) T c_buffer[kLanes];
  alignas(64) T result[kLanes];
  const uint32_t* x = a;
  const uint32_t* y = b;
  if constexpr (kBits == 16) {
    ReadSelected(w, i, 0, a);
    ReadSelected(w, i, 1, b);
  } else {
    x = ReadLanes<uint32_t>(w, i, 0, a);
    y = ReadLanes<uint32_t>(w, i, 1, b);
  }
  const T* c = Addend<T>(w, i, c_buffer);
  for (int lane = 0; lane < kLanes; ++lane) {
    int64_t sum = c[lane];
    for (int position = 0; position < 32; position += kBits) {
      const auto field = std::is_signed_v<T> ? SignedField : UnsignedField;
      sum += field(x[lane], position, kBits) * field(y[lane], position, kBits);
    }
    constexpr int64_t kLowest = std::numeric_limits<T>::min();
    constexpr int64_t kHighest = std::numeric_limits<T>::max();
    result[lane] = static_cast<T>(i.clamp ? std::clamp(sum, kLowest, kHighest) : sum);
  }
  WriteLanes<T>(w, i, result);
}

// Addend + low product + high product, each sum rounded (the products are exact). Denormals of
// either width never count (LLVM performFMACombine; measured on gfx90a).
void DotOfHalves(Wave& w, const Instruction& i) {
  w.UseFloatClass(FloatClass::kF32Flush);
  alignas(64) float a[2][kLanes];
  alignas(64) float b[2][kLanes];
  alignas(64) float c[kLanes];
  alignas(64) uint32_t dwords[kLanes];
  alignas(64) Half halves[kLanes];
  for (int n = 0; n < 2; ++n) {
    ReadSelected(w, i, n, dwords);
    for (int part = 0; part < 2; ++part) {
      const uint32_t sign = BitOf(part == 0 ? i.neg : i.neg_hi, n) ? 0x8000 : 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        halves[lane].bits = static_cast<uint16_t>((dwords[lane] >> (16 * part)) ^ sign);
      }
      Widen(halves, n == 0 ? a[part] : b[part], true);
    }
  }
  const float* addend = Addend<float>(w, i, c);
  for (int lane = 0; lane < kLanes; ++lane) {
    const float low = FirstNan(a[0][lane], b[0][lane], a[0][lane] * b[0][lane]);
    const float high = FirstNan(a[1][lane], b[1][lane], a[1][lane] * b[1][lane]);
    const float first = FirstNan(addend[lane], low, addend[lane] + low);
    c[lane] = FirstNan(first, high, first + high);
  }
  WriteLanes<float>(w, i, c);
}

}  // namespace

void exec_V_MAD_MIX_F32(Wave& w, const Instruction& i) { Mix(w, i, MadMix(w)); }
void exec_V_MAD_MIXLO_F16(Wave& w, const Instruction& i) { MixHalf(w, i, MadMix(w), false); }
void exec_V_MAD_MIXHI_F16(Wave& w, const Instruction& i) { MixHalf(w, i, MadMix(w), true); }
void exec_V_FMA_MIX_F32(Wave& w, const Instruction& i) { Mix(w, i, FmaMix(w)); }
void exec_V_FMA_MIXLO_F16(Wave& w, const Instruction& i) { MixHalf(w, i, FmaMix(w), false); }
void exec_V_FMA_MIXHI_F16(Wave& w, const Instruction& i) { MixHalf(w, i, FmaMix(w), true); }

void exec_V_DOT2_F32_F16(Wave& w, const Instruction& i) { DotOfHalves(w, i); }
void exec_V_DOT2_I32_I16(Wave& w, const Instruction& i) { Dot<int32_t, 16>(w, i); }
void exec_V_DOT2_U32_U16(Wave& w, const Instruction& i) { Dot<uint32_t, 16>(w, i); }
void exec_V_DOT4_I32_I8(Wave& w, const Instruction& i) { Dot<int32_t, 8>(w, i); }
void exec_V_DOT4_U32_U8(Wave& w, const Instruction& i) { Dot<uint32_t, 8>(w, i); }
void exec_V_DOT8_I32_I4(Wave& w, const Instruction& i) { Dot<int32_t, 4>(w, i); }
void exec_V_DOT8_U32_U4(Wave& w, const Instruction& i) { Dot<uint32_t, 4>(w, i); }

void exec_V_DOT2C_F32_F16(Wave& w, const Instruction& i) { DotOfHalves(w, i); }
void exec_V_DOT2C_I32_I16(Wave& w, const Instruction& i) { Dot<int32_t, 16>(w, i); }
void exec_V_DOT4C_I32_I8(Wave& w, const Instruction& i) { Dot<int32_t, 8>(w, i); }
void exec_V_DOT8C_I32_I4(Wave& w, const Instruction& i) { Dot<int32_t, 4>(w, i); }

}  // namespace gcnjit::runtime
