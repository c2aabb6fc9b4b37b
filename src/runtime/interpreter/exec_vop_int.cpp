// 32- and 64-bit integer arithmetic without carries, shifts and bit logic.
#include <algorithm>
#include <bit>

#include "runtime/interpreter/lanes.h"
#include "runtime/interpreter/saturate.h"

namespace gcnjit::runtime {
namespace {

template <typename T, typename F>
void Unary(Wave& w, const Instruction& i, F f) {
  MapLanes1<T, T>(w, i, f);
}
template <typename T, typename F>
void Binary(Wave& w, const Instruction& i, F f) {
  MapLanes2<T, T, T>(w, i, f);
}
template <typename T, typename F>
void Ternary(Wave& w, const Instruction& i, F f) {
  MapLanes3<T, T, T, T>(w, i, f);
}

template <typename T>
T Wrap(int64_t wide) {
  return static_cast<T>(wide);
}

// dst = f(...) computed in 64 bits, then saturated under clamp or wrapped.
template <typename T, typename F>
void BinaryClamped(Wave& w, const Instruction& i, F f) {
  if (ClampsInteger(w, i)) {
    Binary<T>(w, i, [f](T a, T b) { return Saturate<T>(f(a, b)); });
  } else {
    Binary<T>(w, i, [f](T a, T b) { return Wrap<T>(f(a, b)); });
  }
}
template <typename T, typename F>
void TernaryClamped(Wave& w, const Instruction& i, F f) {
  if (ClampsInteger(w, i)) {
    Ternary<T>(w, i, [f](T a, T b, T c) { return Saturate<T>(f(a, b, c)); });
  } else {
    Ternary<T>(w, i, [f](T a, T b, T c) { return Wrap<T>(f(a, b, c)); });
  }
}

int64_t Signed24(int32_t value) {
  return static_cast<int32_t>(static_cast<uint32_t>(value) << 8) >> 8;
}
int64_t Unsigned24(uint32_t value) { return value & 0xFFFFFF; }

}  // namespace

// ---- Logic

void exec_V_NOT_B32(Wave& w, const Instruction& i) {
  Unary<uint32_t>(w, i, [](uint32_t a) { return ~a; });
}
void exec_V_AND_B32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return a & b; });
}
void exec_V_OR_B32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return a | b; });
}
void exec_V_XOR_B32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return a ^ b; });
}
void exec_V_XNOR_B32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return ~(a ^ b); });
}
void exec_V_OR3_B32(Wave& w, const Instruction& i) {
  Ternary<uint32_t>(w, i, [](uint32_t a, uint32_t b, uint32_t c) { return a | b | c; });
}
void exec_V_AND_OR_B32(Wave& w, const Instruction& i) {
  Ternary<uint32_t>(w, i, [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | c; });
}
void exec_V_BFI_B32(Wave& w, const Instruction& i) {
  Ternary<uint32_t>(w, i, [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); });
}

// ---- Shifts: the count is taken modulo the width

void exec_V_LSHL_B32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return a << (b & 31); });
}
void exec_V_LSHLREV_B32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return b << (a & 31); });
}
void exec_V_LSHR_B32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return a >> (b & 31); });
}
void exec_V_LSHRREV_B32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return b >> (a & 31); });
}
void exec_V_ASHR_I32(Wave& w, const Instruction& i) {
  Binary<int32_t>(w, i, [](int32_t a, int32_t b) { return a >> (b & 31); });
}
void exec_V_ASHRREV_I32(Wave& w, const Instruction& i) {
  Binary<int32_t>(w, i, [](int32_t a, int32_t b) { return b >> (a & 31); });
}
void exec_V_LSHL_B64(Wave& w, const Instruction& i) {
  MapLanes2<uint64_t, uint64_t, uint32_t>(w, i,
                                          [](uint64_t a, uint32_t b) { return a << (b & 63); });
}
void exec_V_LSHLREV_B64(Wave& w, const Instruction& i) {
  MapLanes2<uint64_t, uint32_t, uint64_t>(w, i,
                                          [](uint32_t a, uint64_t b) { return b << (a & 63); });
}
void exec_V_LSHR_B64(Wave& w, const Instruction& i) {
  MapLanes2<uint64_t, uint64_t, uint32_t>(w, i,
                                          [](uint64_t a, uint32_t b) { return a >> (b & 63); });
}
void exec_V_LSHRREV_B64(Wave& w, const Instruction& i) {
  MapLanes2<uint64_t, uint32_t, uint64_t>(w, i,
                                          [](uint32_t a, uint64_t b) { return b >> (a & 63); });
}
void exec_V_ASHR_I64(Wave& w, const Instruction& i) {
  MapLanes2<int64_t, int64_t, uint32_t>(w, i, [](int64_t a, uint32_t b) { return a >> (b & 63); });
}
void exec_V_ASHRREV_I64(Wave& w, const Instruction& i) {
  MapLanes2<int64_t, uint32_t, int64_t>(w, i, [](uint32_t a, int64_t b) { return b >> (a & 63); });
}
void exec_V_LSHL_ADD_U32(Wave& w, const Instruction& i) {
  Ternary<uint32_t>(w, i, [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) + c; });
}
// The shift has three bits (CDNA3 ISA, as tinygrad quotes it; gem5, vop3.cc). By more than 4 the
// one source shifts, the other one does not.
void exec_V_LSHL_ADD_U64(Wave& w, const Instruction& i) {
  alignas(64) uint32_t buffer[kLanes];
  const uint32_t* shift = ReadLanes<uint32_t>(w, i, 1, buffer);
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((w.exec() >> lane & 1) != 0 && (shift[lane] & 7) > 4)
      return w.RaiseUnsupported("a shift by more than 4, about which sources disagree");
  }
  MapLanes3<uint64_t, uint64_t, uint32_t, uint64_t>(
      w, i, [](uint64_t a, uint32_t b, uint64_t c) { return (a << (b & 7)) + c; });
}
void exec_V_ADD_LSHL_U32(Wave& w, const Instruction& i) {
  Ternary<uint32_t>(w, i, [](uint32_t a, uint32_t b, uint32_t c) { return (a + b) << (c & 31); });
}
void exec_V_LSHL_OR_B32(Wave& w, const Instruction& i) {
  Ternary<uint32_t>(w, i, [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) | c; });
}

// ---- Addition and subtraction

void exec_V_ADD_U32(Wave& w, const Instruction& i) {
  BinaryClamped<uint32_t>(w, i, [](int64_t a, int64_t b) { return a + b; });
}
void exec_V_SUB_U32(Wave& w, const Instruction& i) {
  BinaryClamped<uint32_t>(w, i, [](int64_t a, int64_t b) { return a - b; });
}
void exec_V_SUBREV_U32(Wave& w, const Instruction& i) {
  BinaryClamped<uint32_t>(w, i, [](int64_t a, int64_t b) { return b - a; });
}
void exec_V_ADD_I32(Wave& w, const Instruction& i) {
  BinaryClamped<int32_t>(w, i, [](int64_t a, int64_t b) { return a + b; });
}
void exec_V_SUB_I32(Wave& w, const Instruction& i) {
  BinaryClamped<int32_t>(w, i, [](int64_t a, int64_t b) { return a - b; });
}
void exec_V_ADD3_U32(Wave& w, const Instruction& i) {
  Ternary<uint32_t>(w, i, [](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; });
}
void exec_V_XAD_U32(Wave& w, const Instruction& i) {
  Ternary<uint32_t>(w, i, [](uint32_t a, uint32_t b, uint32_t c) { return (a ^ b) + c; });
}

// ---- Multiplication

void exec_V_MUL_LO_U32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return a * b; });
}
// The low half of a product is the same for signed and unsigned operands.
void exec_V_MUL_LO_I32(Wave& w, const Instruction& i) { exec_V_MUL_LO_U32(w, i); }
void exec_V_MUL_HI_U32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint64_t a, uint64_t b) { return static_cast<uint32_t>(a * b >> 32); });
}
void exec_V_MUL_HI_I32(Wave& w, const Instruction& i) {
  Binary<int32_t>(w, i, [](int64_t a, int64_t b) { return static_cast<int32_t>(a * b >> 32); });
}
void exec_V_MUL_I32_I24(Wave& w, const Instruction& i) {
  BinaryClamped<int32_t>(w, i, [](int32_t a, int32_t b) { return Signed24(a) * Signed24(b); });
}
void exec_V_MUL_HI_I32_I24(Wave& w, const Instruction& i) {
  Binary<int32_t>(w, i, [](int32_t a, int32_t b) {
    return static_cast<int32_t>(Signed24(a) * Signed24(b) >> 32);
  });
}
void exec_V_MUL_U32_U24(Wave& w, const Instruction& i) {
  BinaryClamped<uint32_t>(w, i,
                          [](uint32_t a, uint32_t b) { return Unsigned24(a) * Unsigned24(b); });
}
void exec_V_MUL_HI_U32_U24(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(Unsigned24(a) * Unsigned24(b) >> 32);
  });
}
void exec_V_MAD_I32_I24(Wave& w, const Instruction& i) {
  TernaryClamped<int32_t>(
      w, i, [](int32_t a, int32_t b, int64_t c) { return Signed24(a) * Signed24(b) + c; });
}
void exec_V_MAD_U32_U24(Wave& w, const Instruction& i) {
  TernaryClamped<uint32_t>(
      w, i, [](uint32_t a, uint32_t b, int64_t c) { return Unsigned24(a) * Unsigned24(b) + c; });
}

// ---- Minimum, maximum, median

void exec_V_MIN_I32(Wave& w, const Instruction& i) {
  Binary<int32_t>(w, i, [](int32_t a, int32_t b) { return std::min(a, b); });
}
void exec_V_MAX_I32(Wave& w, const Instruction& i) {
  Binary<int32_t>(w, i, [](int32_t a, int32_t b) { return std::max(a, b); });
}
void exec_V_MIN_U32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return std::min(a, b); });
}
void exec_V_MAX_U32(Wave& w, const Instruction& i) {
  Binary<uint32_t>(w, i, [](uint32_t a, uint32_t b) { return std::max(a, b); });
}

namespace {

// Function objects rather than functions: each gives its lane loop a type of its own, into which it
// is inlined.
constexpr auto kMin3 = [](auto a, auto b, auto c) { return std::min(std::min(a, b), c); };
constexpr auto kMax3 = [](auto a, auto b, auto c) { return std::max(std::max(a, b), c); };
constexpr auto kMedian = [](auto a, auto b, auto c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
};

}  // namespace

void exec_V_MIN3_I32(Wave& w, const Instruction& i) { Ternary<int32_t>(w, i, kMin3); }
void exec_V_MAX3_I32(Wave& w, const Instruction& i) { Ternary<int32_t>(w, i, kMax3); }
void exec_V_MED3_I32(Wave& w, const Instruction& i) { Ternary<int32_t>(w, i, kMedian); }
void exec_V_MIN3_U32(Wave& w, const Instruction& i) { Ternary<uint32_t>(w, i, kMin3); }
void exec_V_MAX3_U32(Wave& w, const Instruction& i) { Ternary<uint32_t>(w, i, kMax3); }
void exec_V_MED3_U32(Wave& w, const Instruction& i) { Ternary<uint32_t>(w, i, kMedian); }

}  // namespace gcnjit::runtime
