// Float additions of CDNA's buffer, global and flat atomics. In memory they know no MODE: to
// nearest even, f32 denormals are zeros, f16 ones are kept (LLVM, D87864: "Global FP atomic
// instructions have a hardcoded FP mode and do not support FP32 denormals, and only support v2f16
// denormals"; HIP's documentation of unsafe atomics: "may flush denormals"; CDNA3 ISA 9.2.2). Of
// NaNs the first, quieted, as in LDS; f64 is added as there. In DS instructions denormals follow
// MODE, and in flat ones that reach LDS those of f32 do (flat_atomic.h).
#pragma once

#include <cstdint>

#include "runtime/interpreter/ds_update.h"
#include "runtime/interpreter/half.h"

namespace gcnjit::runtime {

// gfx942 keeps denormal sums (CDNA3 ISA 9.2.2: what is flushed are inputs; AMD's rocjitsu; LLVM's
// FeatureMemoryAtomicFAddF32DenormalSupport, which gfx908 and gfx90a do not have).
struct AtomicAddF32 : AddF32 {
  static AtomicAddF32 For(Wave& w) {
    w.UseFloatClass(FloatClass::kNearest);
    return {{{true, !Has(w.generation(), frontend::kGfx942Isa)}}};
  }
};

// Both halves of a dword.
struct AtomicAddHalves {
  Denormals denormals = {};

  static AtomicAddHalves For(Wave& w) {
    w.UseFloatClass(FloatClass::kNearest);
    return {};
  }
  static AtomicAddHalves OfDs(Wave& w) {
    w.UseFloatClass(FloatClass::kNearest);
    return {Denormals64(w)};
  }
  uint32_t operator()(uint32_t old, uint32_t data, uint32_t) const {
    const Half halves[kLanes] = {HalfOf(old, 0), HalfOf(old, 1), HalfOf(data, 0), HalfOf(data, 1)};
    float wide[kLanes];
    Widen(halves, wide, denormals.flush_inputs);
    const float sums[kLanes] = {FirstNan(wide[0], wide[2], wide[0] + wide[2]),
                                FirstNan(wide[1], wide[3], wide[1] + wide[3])};
    Half result[kLanes];
    Narrow(sums, result, {Round::kNearest, denormals.flush_outputs, false});
    return result[0].bits | static_cast<uint32_t>(result[1].bits) << 16;
  }

 private:
  static Half HalfOf(uint32_t dword, int part) {
    return {static_cast<uint16_t>(dword >> (16 * part))};
  }
};

// The same of bf16 (CDNA 3).
struct AtomicAddBf16 {
  Denormals denormals = {};

  static AtomicAddBf16 For(Wave& w) {
    w.UseFloatClass(FloatClass::kNearest);
    return {};
  }
  static AtomicAddBf16 OfDs(Wave& w) {
    w.UseFloatClass(FloatClass::kNearest);
    return {Denormals64(w)};
  }
  uint32_t operator()(uint32_t old, uint32_t data, uint32_t) const {
    return Sum(old << 16, data << 16) >> 16 | Sum(old & 0xFFFF0000, data & 0xFFFF0000);
  }

 private:
  using F = Format<float>;
  static float Flushed(uint32_t bits, bool flush) {
    return F::From(flush ? F::FlushDenormal(bits) : bits);
  }
  // Rounded to the high half, the low one is 0.
  uint32_t Sum(uint32_t old, uint32_t data) const {
    const float a = Flushed(old, denormals.flush_inputs);
    const float b = Flushed(data, denormals.flush_inputs);
    const uint32_t sum = F::Of(FirstNan(a, b, a + b));
    if (F::IsNan(sum)) return sum & 0xFFFF0000;
    const uint32_t rounded = (sum + 0x7FFF + (sum >> 16 & 1)) & 0xFFFF0000;
    return denormals.flush_outputs ? F::FlushDenormal(rounded) : rounded;
  }
};

}  // namespace gcnjit::runtime
