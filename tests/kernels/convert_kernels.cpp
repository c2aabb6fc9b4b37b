// References of convert.cl. One function rounds an exact value to any binary format in any mode;
// long double (64 bits of significand) holds every input exactly.
#include <cmath>
#include <limits>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace convert_kernels {
namespace {

constexpr uint32_t kItems = 384;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};

enum class Mode { kEven, kZero, kUp, kDown };

long double RoundToWhole(long double value, Mode mode) {
  switch (mode) {
    case Mode::kEven: return std::nearbyint(value);
    case Mode::kZero: return std::trunc(value);
    case Mode::kUp: return std::ceil(value);
    case Mode::kDown: return std::floor(value);
  }
  return value;
}

struct Format {
  int precision;
  int min_exponent;
  int max_exponent;
};
constexpr Format kBinary16{11, -14, 15};
constexpr Format kBinary32{24, -126, 127};
constexpr Format kBinary64{53, -1022, 1023};

long double RoundTo(Format format, long double value, Mode mode) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), format.min_exponent);
  const int unit = exponent - format.precision + 1;
  const long double rounded = std::ldexp(RoundToWhole(std::ldexp(value, -unit), mode), unit);
  const long double largest =
      std::ldexp(2.0L - std::ldexp(1.0L, 1 - format.precision), format.max_exponent);
  if (std::fabs(rounded) > largest) {
    const bool stays = mode == Mode::kZero || (mode == Mode::kUp && value < 0) ||
                       (mode == Mode::kDown && value > 0);
    return std::copysign(stays ? largest : std::numeric_limits<long double>::infinity(), value);
  }
  return std::copysign(rounded, value);
}

float ToFloat(long double value, Mode mode = Mode::kEven) {
  return static_cast<float>(RoundTo(kBinary32, value, mode));
}
double ToDouble(long double value, Mode mode = Mode::kEven) {
  return static_cast<double>(RoundTo(kBinary64, value, mode));
}
Half ToHalf(long double value, Mode mode) {
  return Half(static_cast<float>(RoundTo(kBinary16, value, mode)));
}

template <typename T>
T Saturate(long double value, Mode mode = Mode::kZero) {
  if (std::isfinite(value)) value = RoundToWhole(value, mode);
  if (value <= static_cast<long double>(std::numeric_limits<T>::min())) {
    return std::numeric_limits<T>::min();
  }
  if (value >= static_cast<long double>(std::numeric_limits<T>::max())) {
    return std::numeric_limits<T>::max();
  }
  return static_cast<T>(value);
}

// No NaN: OpenCL wants 0 for it, the device library's clamp gives the lowest integer.
template <typename T>
std::vector<T> WideRange(Run& run, double max_exponent) {
  std::vector<T> values = {0,
                           static_cast<T>(-0.0),
                           static_cast<T>(0.5),
                           static_cast<T>(-0.5),
                           static_cast<T>(1.5),
                           static_cast<T>(2.5),
                           static_cast<T>(-2.5),
                           static_cast<T>(127.5),
                           static_cast<T>(-128.5),
                           static_cast<T>(255.5),
                           static_cast<T>(32767.5),
                           static_cast<T>(65535.5),
                           static_cast<T>(2147483648.0),
                           static_cast<T>(-2147483648.0),
                           static_cast<T>(4294967296.0),
                           static_cast<T>(9223372036854775808.0),
                           static_cast<T>(-9223372036854775808.0),
                           static_cast<T>(18446744073709551616.0),
                           std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::max()};
  while (values.size() < kItems) {
    const double magnitude = std::exp2(run.random().Real(-3, max_exponent));
    values.push_back(static_cast<T>(run.random().Next() % 2 ? magnitude : -magnitude));
  }
  return values;
}

void FloatToInteger(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = WideRange<float>(run, 40);
  std::vector<int32_t> out;
  for (const float x : a) {
    out.insert(out.end(), {Saturate<int32_t>(x), static_cast<int32_t>(Saturate<uint32_t>(x)),
                           Saturate<int8_t>(x, Mode::kEven), Saturate<uint8_t>(x, Mode::kZero),
                           Saturate<int16_t>(x, Mode::kUp), Saturate<uint16_t>(x, Mode::kDown),
                           Saturate<int32_t>(x, Mode::kEven),
                           static_cast<int32_t>(Saturate<uint32_t>(x, Mode::kUp))});
  }
  run.Out(out);
  run.In(a);
}

void FloatToIntegerInRange(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto a = run.random().Floats(kItems, -2e9, 2e9);
  for (size_t i = 0; i < kItems; i += 2) a[i] = std::nearbyint(a[i] * 1e-6f) + 0.5f;
  std::vector<int32_t> out;
  std::vector<int64_t> out64;
  for (const float x : a) {
    const auto whole = [x](Mode mode) { return static_cast<int32_t>(RoundToWhole(x, mode)); };
    out.insert(out.end(),
               {whole(Mode::kZero), whole(Mode::kEven), whole(Mode::kUp), whole(Mode::kDown),
                std::abs(whole(Mode::kZero)), static_cast<int8_t>(whole(Mode::kZero))});
    out64.push_back(static_cast<int64_t>(x * 4096.0f));
    out64.push_back(static_cast<int64_t>(std::fabs(x) * 65536.0f));
  }
  run.Out(out);
  run.Out(out64);
  run.In(a);
}

void DoubleToInteger(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = WideRange<double>(run, 70);
  std::vector<int32_t> out;
  std::vector<int64_t> out64;
  for (const double x : a) {
    out.insert(out.end(), {Saturate<int32_t>(x), static_cast<int32_t>(Saturate<uint32_t>(x)),
                           Saturate<int32_t>(x, Mode::kEven), Saturate<int16_t>(x, Mode::kDown)});
    out64.push_back(Saturate<int64_t>(x));
    out64.push_back(static_cast<int64_t>(Saturate<uint64_t>(x)));
  }
  run.Out(out);
  run.Out(out64);
  run.In(a);
}

std::vector<int64_t> LongsOfAllSizes(Run& run) {
  auto values = run.random().EdgyIntegers<int64_t>(kItems);
  for (size_t i = 0; i < kItems; i += 2) values[i] >>= run.random().Between(0, 63);
  return values;
}

void IntegerToFloat(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = LongsOfAllSizes(run);
  std::vector<float> out;
  for (const int64_t x : a) {
    for (const Mode mode : {Mode::kEven, Mode::kZero, Mode::kUp, Mode::kDown}) {
      out.push_back(ToFloat(static_cast<int32_t>(x), mode));
    }
    for (const Mode mode : {Mode::kEven, Mode::kZero, Mode::kUp, Mode::kDown}) {
      out.push_back(ToFloat(static_cast<uint32_t>(x), mode));
    }
    for (const Mode mode : {Mode::kEven, Mode::kZero, Mode::kUp, Mode::kDown}) {
      out.push_back(ToFloat(static_cast<long double>(x), mode));
    }
    out.push_back(ToFloat(static_cast<long double>(static_cast<uint64_t>(x))));
    out.push_back(static_cast<uint8_t>(x));
    out.push_back(static_cast<int16_t>(x));
    out.push_back(static_cast<uint8_t>(x >> 16));
  }
  run.Out(out);
  run.In(a);
}

void IntegerToDouble(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = LongsOfAllSizes(run);
  std::vector<double> out;
  for (const int64_t x : a) {
    out.push_back(static_cast<int32_t>(x));
    out.push_back(static_cast<uint32_t>(x));
    for (const Mode mode : {Mode::kEven, Mode::kZero, Mode::kUp, Mode::kDown}) {
      out.push_back(ToDouble(static_cast<long double>(x), mode));
    }
    out.push_back(ToDouble(static_cast<long double>(static_cast<uint64_t>(x))));
  }
  run.Out(out);
  run.In(a);
}

void DoubleToFloat(Run& run) {
  run.Grid(kGlobal, kLocal);
  // Results stay in the normal range: what a denormal one becomes depends on the target's mode.
  auto a = run.random().Doubles(kItems, -1, 1);
  for (size_t i = 0; i < kItems; ++i) {
    a[i] = std::ldexp(a[i], static_cast<int>(run.random().Between(-100, 120)));
  }
  a[0] = std::numeric_limits<double>::infinity();
  a[1] = 1e300;
  a[2] = -1e300;
  a[3] = 0x1.fffffffp127;
  a[4] = 1.0 + 0x1p-24;
  a[5] = 1.0 + 0x1.8p-23;
  std::vector<float> out;
  std::vector<double> back;
  for (const double x : a) {
    for (const Mode mode : {Mode::kEven, Mode::kZero, Mode::kUp, Mode::kDown}) {
      out.push_back(ToFloat(x, mode));
    }
    back.push_back(ToFloat(x));
  }
  run.Out(out);
  run.Out(back);
  run.In(a);
}

void FloatToHalf(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto a = run.random().Floats(kItems, -1, 1);
  for (float& x : a) x = std::ldexp(x, static_cast<int>(run.random().Between(-30, 18)));
  a[0] = 65504;
  a[1] = 65519.99f;
  a[2] = 65520;
  a[3] = -65521;
  a[4] = 0x1p-25f;
  a[5] = -0x1.8p-25f;
  a[6] = std::numeric_limits<float>::infinity();
  a[7] = -0.0f;
  std::vector<Half> out;
  std::vector<float> back;
  for (const float x : a) {
    const Half nearest = ToHalf(x, Mode::kEven);
    out.insert(out.end(), {nearest, nearest, ToHalf(x, Mode::kZero), ToHalf(x, Mode::kUp),
                           ToHalf(x, Mode::kDown)});
    back.push_back(nearest.ToFloat());
  }
  run.Out(out);
  run.Out(back);
  run.In(a);
}

void VectorConversions(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Floats(kItems * 4, -4, 20);
  const auto b = run.random().Integers<uint8_t>(kItems * 4);
  const auto c = run.random().IntegersBetween<int32_t>(kItems * 8, -50000, 50000);
  std::vector<uint8_t> bytes;
  std::vector<float> floats;
  std::vector<int16_t> shorts;
  for (const float x : a) bytes.push_back(Saturate<uint8_t>(x * 16.0f));
  for (const uint8_t x : b) floats.push_back(static_cast<float>(x) / 4);
  for (const int32_t x : c) shorts.push_back(Saturate<int16_t>(x));
  run.Out(bytes);
  run.Out(floats);
  run.Out(shorts);
  run.In(a);
  run.In(b);
  run.In(c);
}

void Reinterpret(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto f = run.random().Floats(kItems, -100, 100);
  const auto d = run.random().Doubles(kItems, -100, 100);
  const auto b = run.random().Integers<uint8_t>(kItems * 4);
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(f[i]);
    const uint64_t bits64 = std::bit_cast<uint64_t>(d[i]);
    const uint8_t* byte = &b[4 * i];
    out.push_back(std::bit_cast<uint32_t>(-f[i]));
    out.push_back(static_cast<uint32_t>(bits64));
    out.push_back(static_cast<uint32_t>(bits64 >> 32));
    out.push_back(uint32_t{byte[0]} << 24 | uint32_t{byte[1]} << 16 | uint32_t{byte[2]} << 8 |
                  byte[3]);
    out.push_back(bits >> 16 | uint32_t{byte[0]} << 20);
  }
  run.Out(out);
  run.In(f);
  run.In(d);
  run.In(b);
}

}  // namespace
}  // namespace convert_kernels

void AddConvertKernels(Suite& suite) {
  using namespace convert_kernels;
  const std::string source = "convert.cl";
  suite.Add({source, "float_to_integer", FloatToInteger});
  suite.Add({source, "float_to_integer_in_range", FloatToIntegerInRange});
  suite.Add({source, "double_to_integer", DoubleToInteger});
  suite.Add({source, "integer_to_float", IntegerToFloat});
  suite.Add({source, "integer_to_double", IntegerToDouble});
  suite.Add({source, "double_to_float", DoubleToFloat});
  suite.Add({source, "float_to_half", FloatToHalf});
  suite.Add({source, "vector_conversions", VectorConversions});
  suite.Add({source, "reinterpret", Reinterpret});
}

}  // namespace gcnjit::kernel_tests
