// v_cvt_*: between integers and floats, and between float widths.
//
// Sources: Vega manual, VOP1 (saturation, NaN -> 0); CDNA manual, VOP1 (rounding and denormals of
// the f16 forms); CLRX GcnInstrsVop1 (gfx6-7: f32 rounding and no flushing for f16; v_cvt_rpi and
// v_cvt_flr turn NaN into the limit of its sign, which is also why LLVM uses them only without
// NaNs).
#include <cstdint>
#include <limits>

#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

using frontend::IsGfx8Plus;

// Truncates, saturates, NaN gives 0. Comparisons put NaN at the lower limit first.
template <typename T>
[[gnu::always_inline]] inline int32_t ToI32(T x) {
  constexpr T kLowest = -2147483648;
  constexpr T kHighest =
      static_cast<T>(sizeof(T) == 4 ? 2147483520.0 : 2147483647.0);  // below 2^31
  const T above = x > kLowest ? x : kLowest;
  const auto truncated = static_cast<int32_t>(above < kHighest ? above : kHighest);
  const int32_t saturated = x >= T{2147483648} ? std::numeric_limits<int32_t>::max() : truncated;
  return x == x ? saturated : 0;
}

template <typename T>
[[gnu::always_inline]] inline uint32_t ToU32(T x) {
  constexpr T kHighest =
      static_cast<T>(sizeof(T) == 4 ? 4294967040.0 : 4294967295.0);  // below 2^32
  constexpr T kMiddle = 2147483648;
  const T above = x > 0 ? x : T{0};
  const T inside = above < kHighest ? above : kHighest;
  // The host converts to signed integers only.
  const T offset = inside < kMiddle ? T{0} : kMiddle;
  const auto low = static_cast<uint32_t>(static_cast<int32_t>(inside - offset));
  const uint32_t converted = low + (inside < kMiddle ? 0 : 0x80000000u);
  return x >= T{4294967296} ? 0xFFFFFFFFu : converted;
}

// To the nearest integer below, or with `halves` to the nearest, ties upwards; NaN saturates by its
// sign.
[[gnu::always_inline]] inline int32_t FloorToI32(float x, bool halves) {
  const float floor = __builtin_floorf(x);
  const bool up = halves && x - floor >= 0.5f;
  const float rounded = up ? floor + 1.0f : floor;
  const bool negative = (std::bit_cast<uint32_t>(x) >> 31) != 0;
  const int32_t limit =
      negative ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max();
  return x == x ? ToI32(rounded) : limit;
}

// From 16-bit pieces, whose sum is rounded once. (The usual trick with a bias gives -0 for 0 when
// MODE rounds down.)
template <typename T>
T FromU32(uint32_t x) {
  const T high = static_cast<T>(static_cast<int32_t>(x >> 16));
  const T low = static_cast<T>(static_cast<int32_t>(x & 0xFFFF));
  return high * T{65536} + low;
}

template <int kByte>
void ByteToF32(Wave& w, const Instruction& i) {
  MapLanes1<float, uint32_t>(w, i, [](uint32_t x) {
    return static_cast<float>(static_cast<int32_t>((x >> (8 * kByte)) & 0xFF));
  });
}

template <typename T>
void IntegerToF16(Wave& w, const Instruction& i) {
  alignas(64) T buffer[kLanes];
  alignas(64) float values[kLanes];
  const T* x = ReadLanes<T>(w, i, 0, buffer);
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = x[lane];
  WriteHalves(w, i, values);
}

template <typename T>
void F16ToInteger(Wave& w, const Instruction& i) {
  constexpr int32_t kLowest = std::numeric_limits<T>::min();
  constexpr int32_t kHighest = std::numeric_limits<T>::max();
  alignas(64) float x[kLanes];
  alignas(64) T result[kLanes];
  ReadHalves(w, i, 0, x);
  for (int lane = 0; lane < kLanes; ++lane) {
    const int32_t wide = ToI32(x[lane]);
    const int32_t clamped = wide < kLowest ? kLowest : wide > kHighest ? kHighest : wide;
    result[lane] = static_cast<T>(clamped);
  }
  WriteLanes<T>(w, i, result);
}

}  // namespace

void exec_V_CVT_I32_F32(Wave& w, const Instruction& i) {
  MapLanes1<int32_t, float>(w, i, [](float x) { return ToI32(x); });
}
void exec_V_CVT_U32_F32(Wave& w, const Instruction& i) {
  MapLanes1<uint32_t, float>(w, i, [](float x) { return ToU32(x); });
}
void exec_V_CVT_I32_F64(Wave& w, const Instruction& i) {
  MapLanes1<int32_t, double>(w, i, [](double x) { return ToI32(x); });
}
void exec_V_CVT_U32_F64(Wave& w, const Instruction& i) {
  MapLanes1<uint32_t, double>(w, i, [](double x) { return ToU32(x); });
}
void exec_V_CVT_RPI_I32_F32(Wave& w, const Instruction& i) {
  MapLanes1<int32_t, float>(w, i, [](float x) { return FloorToI32(x, true); });
}
void exec_V_CVT_FLR_I32_F32(Wave& w, const Instruction& i) {
  MapLanes1<int32_t, float>(w, i, [](float x) { return FloorToI32(x, false); });
}

void exec_V_CVT_F32_I32(Wave& w, const Instruction& i) {
  MapLanes1<float, int32_t>(w, i, [](int32_t x) { return static_cast<float>(x); });
}
void exec_V_CVT_F32_U32(Wave& w, const Instruction& i) {
  MapLanes1<float, uint32_t>(w, i, [](uint32_t x) { return FromU32<float>(x); });
}
void exec_V_CVT_F64_I32(Wave& w, const Instruction& i) {
  MapLanes1<double, int32_t>(w, i, [](int32_t x) { return static_cast<double>(x); });
}
void exec_V_CVT_F64_U32(Wave& w, const Instruction& i) {
  MapLanes1<double, uint32_t>(w, i, [](uint32_t x) { return FromU32<double>(x); });
}
void exec_V_CVT_F32_UBYTE0(Wave& w, const Instruction& i) { ByteToF32<0>(w, i); }
void exec_V_CVT_F32_UBYTE1(Wave& w, const Instruction& i) { ByteToF32<1>(w, i); }
void exec_V_CVT_F32_UBYTE2(Wave& w, const Instruction& i) { ByteToF32<2>(w, i); }
void exec_V_CVT_F32_UBYTE3(Wave& w, const Instruction& i) { ByteToF32<3>(w, i); }

void exec_V_CVT_OFF_F32_I4(Wave& w, const Instruction& i) {
  // Sixteenths: -1/2 to 7/16.
  MapLanes1<float, uint32_t>(w, i, [](uint32_t x) {
    return static_cast<float>(static_cast<int32_t>(x << 28) >> 28) * 0.0625f;
  });
}

void exec_V_CVT_F64_F32(Wave& w, const Instruction& i) {
  w.UseFloatClass(FloatClass::kF32);
  MapLanes1<double, float>(w, i, [](float x) { return static_cast<double>(x); });
}

void exec_V_CVT_F32_F64(Wave& w, const Instruction& i) {
  // MXCSR has f32's fields. Denormal doubles, which obey the f64 field, are replaced by normal ones
  // that round alike.
  w.UseFloatClass(FloatClass::kF32);
  const double stand_in = Denormals64(w).flush_inputs ? 0.0 : 0x1p-1000;
  MapLanes1<float, double>(w, i, [=](double x) {
    using D = Format<double>;
    const uint64_t bits = D::Of(x);
    const bool is_denormal = (bits & D::kInfinity) == 0 && (bits & D::kFraction) != 0;
    return static_cast<float>(is_denormal ? D::From(D::Of(stand_in) | (bits & D::kSign)) : x);
  });
}

void exec_V_CVT_F32_F16(Wave& w, const Instruction& i) {
  alignas(64) Half halves[kLanes];
  alignas(64) float result[kLanes];
  const bool flush = IsGfx8Plus(w.generation()) && Denormals64(w).flush_inputs;
  Widen(ReadLanes<Half>(w, i, 0, halves), result, flush);
  WriteLanes<float>(w, i, result);
}

void exec_V_CVT_F16_F32(Wave& w, const Instruction& i) {
  using F = Format<float>;
  w.UseFloatClass(FloatClass::kNearest);  // Narrow has its own rounding; no flushing by MXCSR
  alignas(64) float buffer[kLanes];
  alignas(64) float values[kLanes];
  alignas(64) Half result[kLanes];
  const float* x = ReadLanes<float>(w, i, 0, buffer);
  const bool flush = Denormals32(w).flush_inputs;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t bits = F::Of(x[lane]);
    values[lane] = F::From(flush ? F::FlushDenormal(bits) : bits);
  }
  const bool obeys_f16_fields = IsGfx8Plus(w.generation());
  Narrow(values, result,
         obeys_f16_fields ? HalfRoundingOf(w) : HalfRounding{Round32(w), false, false});
  StoreHalves(w, i, result);
}

void exec_V_CVT_F16_U16(Wave& w, const Instruction& i) { IntegerToF16<uint16_t>(w, i); }
void exec_V_CVT_F16_I16(Wave& w, const Instruction& i) { IntegerToF16<int16_t>(w, i); }
void exec_V_CVT_U16_F16(Wave& w, const Instruction& i) { F16ToInteger<uint16_t>(w, i); }
void exec_V_CVT_I16_F16(Wave& w, const Instruction& i) { F16ToInteger<int16_t>(w, i); }

}  // namespace gcnjit::runtime
