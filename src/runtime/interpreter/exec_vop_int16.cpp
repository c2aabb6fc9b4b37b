// 16-bit integers (gfx8-9). Results zero the upper half of the register, except those of the gfx9
// rows with op_sel, which keep the half they do not write.
#include <algorithm>
#include <limits>

#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

template <typename T>
T Saturate(int64_t wide) {
  return static_cast<T>(std::min<int64_t>(std::max<int64_t>(wide, std::numeric_limits<T>::min()),
                                          std::numeric_limits<T>::max()));
}

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

int32_t Add(int32_t a, int32_t b) { return a + b; }
int32_t Sub(int32_t a, int32_t b) { return a - b; }
// 64 bits: 0xffff * 0xffff does not fit into an int32_t.
int64_t Mad(int64_t a, int64_t b, int64_t c) { return a * b + c; }
int32_t Min(int32_t a, int32_t b) { return std::min(a, b); }
int32_t Max(int32_t a, int32_t b) { return std::max(a, b); }
int32_t Min3(int32_t a, int32_t b, int32_t c) { return Min(Min(a, b), c); }
int32_t Max3(int32_t a, int32_t b, int32_t c) { return Max(Max(a, b), c); }
int32_t Median(int32_t a, int32_t b, int32_t c) { return Max(Min(a, b), Min(Max(a, b), c)); }

}  // namespace

void exec_V_ADD_U16(Wave& w, const Instruction& i) { Binary<uint16_t>(w, i, kZeroUpperHalf, Add); }
void exec_V_SUB_U16(Wave& w, const Instruction& i) { Binary<uint16_t>(w, i, kZeroUpperHalf, Sub); }
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
void exec_V_MIN_U16(Wave& w, const Instruction& i) { Binary<uint16_t>(w, i, kZeroUpperHalf, Min); }
void exec_V_MAX_U16(Wave& w, const Instruction& i) { Binary<uint16_t>(w, i, kZeroUpperHalf, Max); }
void exec_V_MIN_I16(Wave& w, const Instruction& i) { Binary<int16_t>(w, i, kZeroUpperHalf, Min); }
void exec_V_MAX_I16(Wave& w, const Instruction& i) { Binary<int16_t>(w, i, kZeroUpperHalf, Max); }

void exec_V_MAD_LEGACY_U16(Wave& w, const Instruction& i) {
  Ternary<uint16_t>(w, i, kZeroUpperHalf, Mad);
}
void exec_V_MAD_LEGACY_I16(Wave& w, const Instruction& i) {
  Ternary<int16_t>(w, i, kZeroUpperHalf, Mad);
}
void exec_V_MAD_U16(Wave& w, const Instruction& i) { Ternary<uint16_t>(w, i, kKeepOtherHalf, Mad); }
void exec_V_MAD_I16(Wave& w, const Instruction& i) { Ternary<int16_t>(w, i, kKeepOtherHalf, Mad); }
void exec_V_ADD_I16(Wave& w, const Instruction& i) { Binary<int16_t>(w, i, kKeepOtherHalf, Add); }
void exec_V_SUB_I16(Wave& w, const Instruction& i) { Binary<int16_t>(w, i, kKeepOtherHalf, Sub); }
void exec_V_MIN3_I16(Wave& w, const Instruction& i) {
  Ternary<int16_t>(w, i, kKeepOtherHalf, Min3);
}
void exec_V_MAX3_I16(Wave& w, const Instruction& i) {
  Ternary<int16_t>(w, i, kKeepOtherHalf, Max3);
}
void exec_V_MED3_I16(Wave& w, const Instruction& i) {
  Ternary<int16_t>(w, i, kKeepOtherHalf, Median);
}
void exec_V_MIN3_U16(Wave& w, const Instruction& i) {
  Ternary<uint16_t>(w, i, kKeepOtherHalf, Min3);
}
void exec_V_MAX3_U16(Wave& w, const Instruction& i) {
  Ternary<uint16_t>(w, i, kKeepOtherHalf, Max3);
}
void exec_V_MED3_U16(Wave& w, const Instruction& i) {
  Ternary<uint16_t>(w, i, kKeepOtherHalf, Median);
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
