// f32 minimum, maximum and median.
//
// They choose an operand without arithmetic. With MODE.IEEE a signalling NaN gives its quiet form;
// otherwise one NaN operand gives the other operand, and two the first. gfx9 flushes denormals as
// MODE says, earlier generations never do (CDNA manual, V_MIN_F32 and V_MED3_F32, less what was
// measured to be otherwise, docs/isa.md; LLVM supportsMinMaxDenormModes).
#include <algorithm>
#include <bit>

#include "runtime/interpreter/f32_rules.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

using frontend::IsGfx9;

// Orders bit patterns of floats as integers, -0 below +0.
int32_t Key(uint32_t bits) {
  const auto value = static_cast<int32_t>(bits);
  return value ^ ((value >> 31) & 0x7FFFFFFF);
}

struct Selector {
  bool ieee;
  bool flush_inputs;
  bool flush_result;

  uint32_t WithNans(uint32_t a, uint32_t b, uint32_t chosen) const {
    uint32_t result = IsNanBits(a) ? b : chosen;
    result = IsNanBits(b) ? a : result;
    result = (ieee & IsSignalingBits(b)) ? b | kF32QuietBit : result;
    return (ieee & IsSignalingBits(a)) ? a | kF32QuietBit : result;
  }
  uint32_t Min(uint32_t a, uint32_t b) const { return WithNans(a, b, Key(a) < Key(b) ? a : b); }
  uint32_t Max(uint32_t a, uint32_t b) const { return WithNans(a, b, Key(a) > Key(b) ? a : b); }
  uint32_t Min3(uint32_t a, uint32_t b, uint32_t c) const { return Min(Min(a, b), c); }
  uint32_t Max3(uint32_t a, uint32_t b, uint32_t c) const { return Max(Max(a, b), c); }
  uint32_t Median(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t median = Max(Min(a, b), Min(Max(a, b), c));
    const bool nan_a = IsNanBits(a);
    const bool nan_b = IsNanBits(b);
    const bool nan_c = IsNanBits(c);
    return (nan_a | nan_b | nan_c) ? Min3(a, b, c) : median;
  }
  uint32_t Input(float value) const { return FlushBits(F32Bits(value), flush_inputs); }
  float Result(uint32_t bits) const { return F32Value(FlushBits(bits, flush_result)); }
};

Selector SelectorOf(const Wave& w) {
  const bool by_mode = IsGfx9(w.generation());
  return {(w.state.mode & kModeIeee) != 0, by_mode && !KeepsF32InputDenormals(w),
          by_mode && !KeepsF32OutputDenormals(w)};
}

// The results are floats: OMOD and clamp apply.
template <typename F>
void Select2(Wave& w, const Instruction& i, F f) {
  const Selector selector = SelectorOf(w);
  MapLanes2<float, float, float>(w, i, [selector, f](float a, float b) {
    return selector.Result(f(selector, selector.Input(a), selector.Input(b)));
  });
}

template <typename F>
void Select3(Wave& w, const Instruction& i, F f) {
  const Selector selector = SelectorOf(w);
  MapLanes3<float, float, float, float>(w, i, [selector, f](float a, float b, float c) {
    return selector.Result(f(selector, selector.Input(a), selector.Input(b), selector.Input(c)));
  });
}

}  // namespace

void exec_V_MIN_F32(Wave& w, const Instruction& i) {
  Select2(w, i, [](const Selector& s, uint32_t a, uint32_t b) { return s.Min(a, b); });
}
void exec_V_MAX_F32(Wave& w, const Instruction& i) {
  Select2(w, i, [](const Selector& s, uint32_t a, uint32_t b) { return s.Max(a, b); });
}
void exec_V_MIN3_F32(Wave& w, const Instruction& i) {
  Select3(w, i,
          [](const Selector& s, uint32_t a, uint32_t b, uint32_t c) { return s.Min3(a, b, c); });
}
void exec_V_MAX3_F32(Wave& w, const Instruction& i) {
  Select3(w, i,
          [](const Selector& s, uint32_t a, uint32_t b, uint32_t c) { return s.Max3(a, b, c); });
}
void exec_V_MED3_F32(Wave& w, const Instruction& i) {
  Select3(w, i,
          [](const Selector& s, uint32_t a, uint32_t b, uint32_t c) { return s.Median(a, b, c); });
}

// A compare that is unordered chooses src1 (LLVM AMDGPUISD::FMIN_LEGACY, FMAX_LEGACY).
void exec_V_MIN_LEGACY_F32(Wave& w, const Instruction& i) {
  w.UseFloatClass(FloatClass::kNearest);
  MapLanes2<float, float, float>(w, i, [](float a, float b) { return a < b ? a : b; });
}
void exec_V_MAX_LEGACY_F32(Wave& w, const Instruction& i) {
  w.UseFloatClass(FloatClass::kNearest);
  MapLanes2<float, float, float>(w, i, [](float a, float b) { return a >= b ? a : b; });
}

}  // namespace gcnjit::runtime
