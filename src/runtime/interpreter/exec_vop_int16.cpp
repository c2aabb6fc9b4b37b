// 16-bit integers (gfx8-9). Results zero the upper half of the register, except those of the gfx9
// rows with op_sel, which keep the half they do not write.
#include <algorithm>

#include "runtime/interpreter/lanes.h"
#include "runtime/interpreter/saturate.h"

namespace gcnjit::runtime {
namespace {

// dst = f(src0, src1), computed in 32 bits, then saturated under clamp or wrapped.
template <typename T, typename F>
void Binary(Wave& w, const Instruction& i, bool keep_other_half, F f) {
  alignas(64) T a_buffer[kLanes];
  alignas(64) T b_buffer[kLanes];
  alignas(64) T result[kLanes];
  const T* a = ReadLanes<T>(w, i, 0, a_buffer);
  const T* b = ReadLanes<T>(w, i, 1, b_buffer);
  if (ClampsInteger(w, i)) {
    for (int lane = 0; lane < kLanes; ++lane) result[lane] = Saturate<T>(f(a[lane], b[lane]));
  } else {
    for (int lane = 0; lane < kLanes; ++lane) result[lane] = static_cast<T>(f(a[lane], b[lane]));
  }
  WriteLanes<T>(w, i, result, keep_other_half);
}

template <typename T, typename F>
void Ternary(Wave& w, const Instruction& i, bool keep_other_half, F f) {
  alignas(64) T a_buffer[kLanes];
  alignas(64) T b_buffer[kLanes];
  alignas(64) T c_buffer[kLanes];
  alignas(64) T result[kLanes];
  const T* a = ReadLanes<T>(w, i, 0, a_buffer);
  const T* b = ReadLanes<T>(w, i, 1, b_buffer);
  const T* c = ReadLanes<T>(w, i, 2, c_buffer);
  if (ClampsInteger(w, i)) {
    for (int lane = 0; lane < kLanes; ++lane) {
      result[lane] = Saturate<T>(f(a[lane], b[lane], c[lane]));
    }
  } else {
    for (int lane = 0; lane < kLanes; ++lane) {
      result[lane] = static_cast<T>(f(a[lane], b[lane], c[lane]));
    }
  }
  WriteLanes<T>(w, i, result, keep_other_half);
}

constexpr bool kZeroUpperHalf = false;
constexpr bool kKeepOtherHalf = true;

// Function objects rather than functions: each gives its lane loop a type of its own, into which it
// is inlined.
constexpr auto kAdd = [](int32_t a, int32_t b) { return a + b; };
constexpr auto kSub = [](int32_t a, int32_t b) { return a - b; };
// 64 bits: 0xffff * 0xffff does not fit into an int32_t.
constexpr auto kMad = [](int64_t a, int64_t b, int64_t c) { return a * b + c; };
constexpr auto kMin = [](int32_t a, int32_t b) { return std::min(a, b); };
constexpr auto kMax = [](int32_t a, int32_t b) { return std::max(a, b); };
constexpr auto kMin3 = [](int32_t a, int32_t b, int32_t c) { return kMin(kMin(a, b), c); };
constexpr auto kMax3 = [](int32_t a, int32_t b, int32_t c) { return kMax(kMax(a, b), c); };
constexpr auto kMedian = [](int32_t a, int32_t b, int32_t c) {
  return kMax(kMin(a, b), kMin(kMax(a, b), c));
};

}  // namespace

void exec_V_ADD_U16(Wave& w, const Instruction& i) { Binary<uint16_t>(w, i, kZeroUpperHalf, kAdd); }
void exec_V_SUB_U16(Wave& w, const Instruction& i) { Binary<uint16_t>(w, i, kZeroUpperHalf, kSub); }
void exec_V_SUBREV_U16(Wave& w, const Instruction& i) {
  Binary<uint16_t>(w, i, kZeroUpperHalf, [](int32_t a, int32_t b) { return b - a; });
}
void exec_V_MUL_LO_U16(Wave& w, const Instruction& i) {
  Binary<uint16_t>(w, i, kZeroUpperHalf, [](int64_t a, int64_t b) { return a * b; });
}
void exec_V_LSHLREV_B16(Wave& w, const Instruction& i) {
  MapLanes2<uint16_t, uint16_t, uint16_t>(
      w, i, [](uint16_t a, uint16_t b) { return static_cast<uint16_t>(b << (a & 15)); });
}
void exec_V_LSHRREV_B16(Wave& w, const Instruction& i) {
  MapLanes2<uint16_t, uint16_t, uint16_t>(
      w, i, [](uint16_t a, uint16_t b) { return static_cast<uint16_t>(b >> (a & 15)); });
}
void exec_V_ASHRREV_I16(Wave& w, const Instruction& i) {
  MapLanes2<int16_t, int16_t, int16_t>(
      w, i, [](int16_t a, int16_t b) { return static_cast<int16_t>(b >> (a & 15)); });
}
void exec_V_MIN_U16(Wave& w, const Instruction& i) { Binary<uint16_t>(w, i, kZeroUpperHalf, kMin); }
void exec_V_MAX_U16(Wave& w, const Instruction& i) { Binary<uint16_t>(w, i, kZeroUpperHalf, kMax); }
void exec_V_MIN_I16(Wave& w, const Instruction& i) { Binary<int16_t>(w, i, kZeroUpperHalf, kMin); }
void exec_V_MAX_I16(Wave& w, const Instruction& i) { Binary<int16_t>(w, i, kZeroUpperHalf, kMax); }

void exec_V_MAD_LEGACY_U16(Wave& w, const Instruction& i) {
  Ternary<uint16_t>(w, i, kZeroUpperHalf, kMad);
}
void exec_V_MAD_LEGACY_I16(Wave& w, const Instruction& i) {
  Ternary<int16_t>(w, i, kZeroUpperHalf, kMad);
}
void exec_V_MAD_U16(Wave& w, const Instruction& i) {
  Ternary<uint16_t>(w, i, kKeepOtherHalf, kMad);
}
void exec_V_MAD_I16(Wave& w, const Instruction& i) { Ternary<int16_t>(w, i, kKeepOtherHalf, kMad); }
void exec_V_ADD_I16(Wave& w, const Instruction& i) { Binary<int16_t>(w, i, kKeepOtherHalf, kAdd); }
void exec_V_SUB_I16(Wave& w, const Instruction& i) { Binary<int16_t>(w, i, kKeepOtherHalf, kSub); }
void exec_V_MIN3_I16(Wave& w, const Instruction& i) {
  Ternary<int16_t>(w, i, kKeepOtherHalf, kMin3);
}
void exec_V_MAX3_I16(Wave& w, const Instruction& i) {
  Ternary<int16_t>(w, i, kKeepOtherHalf, kMax3);
}
void exec_V_MED3_I16(Wave& w, const Instruction& i) {
  Ternary<int16_t>(w, i, kKeepOtherHalf, kMedian);
}
void exec_V_MIN3_U16(Wave& w, const Instruction& i) {
  Ternary<uint16_t>(w, i, kKeepOtherHalf, kMin3);
}
void exec_V_MAX3_U16(Wave& w, const Instruction& i) {
  Ternary<uint16_t>(w, i, kKeepOtherHalf, kMax3);
}
void exec_V_MED3_U16(Wave& w, const Instruction& i) {
  Ternary<uint16_t>(w, i, kKeepOtherHalf, kMedian);
}

// 16-bit factors, 32-bit sum.
void exec_V_MAD_U32_U16(Wave& w, const Instruction& i) {
  const bool clamp = ClampsInteger(w, i);
  MapLanes3<uint32_t, uint16_t, uint16_t, uint32_t>(w, i, [clamp](int64_t a, int64_t b, int64_t c) {
    const int64_t sum = a * b + c;
    return clamp ? Saturate<uint32_t>(sum) : static_cast<uint32_t>(sum);
  });
}
void exec_V_MAD_I32_I16(Wave& w, const Instruction& i) {
  const bool clamp = ClampsInteger(w, i);
  MapLanes3<int32_t, int16_t, int16_t, int32_t>(w, i, [clamp](int64_t a, int64_t b, int64_t c) {
    const int64_t sum = a * b + c;
    return clamp ? Saturate<int32_t>(sum) : static_cast<int32_t>(sum);
  });
}

}  // namespace gcnjit::runtime
