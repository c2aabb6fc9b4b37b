// References of builtins.cl, after the instruction descriptions of the ISA documents (Southern
// Islands to Vega: chapters on VOP1, VOP3 and DS) and CLRX's instruction pages.
#include <immintrin.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <numbers>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace builtins_kernels {
namespace {

constexpr uint32_t kItems = 256;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};

uint32_t Byte(uint32_t value, int index) { return (value >> (8 * index)) & 0xff; }
uint32_t Distance(uint32_t a, uint32_t b) { return std::max(a, b) - std::min(a, b); }

void BitFields(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().EdgyIntegers<uint32_t>(kItems);
  auto b = run.random().EdgyIntegers<uint32_t>(kItems);
  const auto c = run.random().EdgyIntegers<uint32_t>(kItems);
  for (size_t i = 0; i < kItems; i += 2) b[i] &= 0xff00ff00;  // zero bytes: V_MSAD skips them
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const uint32_t x = a[i], y = b[i], z = c[i];
    const uint32_t width = z % 32;
    const uint32_t field = (x >> (y % 32)) & ((1u << width) - 1);
    // An arithmetic shift fills the field where it reaches beyond bit 31.
    const auto arithmetic = static_cast<uint32_t>(static_cast<int32_t>(x) >> (y % 32));
    const uint32_t signed_field = arithmetic & ((1u << width) - 1);
    const bool signed_negative = width != 0 && ((signed_field >> (width - 1)) & 1) != 0;
    const uint64_t both = uint64_t{x} << 32 | y;
    uint32_t sad = 0, masked = 0, lerp = 0;
    for (int j = 0; j < 4; ++j) {
      const uint32_t distance = Distance(Byte(x, j), Byte(y, j));
      sad += distance;
      if (Byte(y, j) != 0) masked += distance;
      lerp |= ((Byte(x, j) + Byte(y, j) + (Byte(z, j) & 1)) / 2) << (8 * j);
    }
    std::array<uint32_t, 3> sorted = {x, y, z};
    std::sort(sorted.begin(), sorted.end());
    std::array<int32_t, 3> signed_sorted = {static_cast<int32_t>(x), static_cast<int32_t>(y),
                                            static_cast<int32_t>(z)};
    std::sort(signed_sorted.begin(), signed_sorted.end());
    out.insert(out.end(),
               {field, signed_negative ? signed_field | ~((1u << width) - 1) : signed_field,
                static_cast<uint32_t>(both >> (z % 32)),
                static_cast<uint32_t>(both >> (8 * (z % 4))), sad + z, masked + z, (sad << 16) + z,
                Distance(x & 0xffff, y & 0xffff) + Distance(x >> 16, y >> 16) + z, lerp, sorted[1],
                static_cast<uint32_t>(signed_sorted[1])});
  }
  run.Out(out);
  run.In(a);
  run.In(b);
  run.In(c);
}

struct Cube {
  float id, sc, tc, ma;
};

Cube CubeOf(float x, float y, float z) {
  if (std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y)) {
    return {z < 0 ? 5.0f : 4.0f, z < 0 ? -x : x, -y, 2 * z};
  }
  if (std::fabs(y) >= std::fabs(x)) return {y < 0 ? 3.0f : 2.0f, x, y < 0 ? -z : z, 2 * y};
  return {x < 0 ? 1.0f : 0.0f, x < 0 ? z : -z, -y, 2 * x};
}

int32_t PackHalvesTowardsZero(float x, float y) {
  const uint32_t low = _cvtss_sh(x, _MM_FROUND_TO_ZERO);
  const uint32_t high = _cvtss_sh(y, _MM_FROUND_TO_ZERO);
  return static_cast<int32_t>(high << 16 | low);
}

void Floats(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Floats(kItems, -20, 20);
  const auto b = run.random().Floats(kItems, -20, 20);
  const auto c = run.random().Floats(kItems, -20, 20);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::array<float, 9> kinds = {1.5f,    -2.0f,     0.0f,       -0.0f, 1e-40f,
                                      -1e-40f, kInfinity, -kInfinity, kNan};
  std::vector<float> d, out;
  std::vector<int32_t> ints;
  for (size_t i = 0; i < kItems; ++i) {
    const float x = a[i], y = b[i], z = c[i];
    const float special = kinds[i % 9];
    d.push_back(special);
    int exponent = 0;
    const float significand = std::frexp(x, &exponent);
    const Cube cube = CubeOf(x, y, z);
    out.insert(out.end(),
               {std::max(std::min(x, y), std::min(std::max(x, y), z)), x - std::floor(x),
                significand, std::ldexp(x, static_cast<int>(z)), y > 0 ? 0.0f : x * y, cube.id,
                cube.sc, cube.tc, cube.ma, std::min(std::max(x * 0.25f, 0.0f), 1.0f)});
    const int kind = std::fpclassify(special);
    const bool minus = std::signbit(special);
    const bool finite = kind != FP_NAN && kind != FP_INFINITE;
    const int classes =
        finite + 2 * (kind == FP_NORMAL) + 4 * (kind == FP_INFINITE) + 8 * (kind == FP_SUBNORMAL) +
        16 * (kind == FP_NAN || (kind == FP_ZERO && minus)) + 32 * (kind == FP_ZERO && !minus);
    const int32_t norm = y > 2 ? 1 : y < -2 ? -1 : 0;
    const uint32_t positive = norm > 0 ? 0xffff : 0;
    const uint32_t negative = norm < 0 ? 0xffff : 0;
    const int32_t snorm = norm * 32767;
    ints.insert(ints.end(),
                {exponent, classes, PackHalvesTowardsZero(x, y),
                 static_cast<int32_t>(0x11003344u | (std::bit_cast<uint32_t>(x) & 0xff) << 16),
                 static_cast<int32_t>((static_cast<uint32_t>(snorm) & 0xffff) |
                                      static_cast<uint32_t>(-snorm) << 16),
                 static_cast<int32_t>(positive | negative << 16)});
  }
  run.Out(out);
  run.Out(ints);
  run.In(a);
  run.In(b);
  run.In(c);
  run.In(d);
}

void Packs(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto a = run.random().IntegersBetween<int32_t>(kItems, -70000, 70000);
  const auto b = run.random().EdgyIntegers<int32_t>(kItems);
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const auto s = [](int32_t v) {
      return static_cast<uint32_t>(std::clamp(v, -32768, 32767)) & 0xffff;
    };
    const auto u = [](int32_t v) { return std::min(static_cast<uint32_t>(v), 0xffffu); };
    out.push_back(s(a[i]) | s(b[i]) << 16);
    out.push_back(u(a[i]) | u(b[i]) << 16);
  }
  run.Out(out);
  run.In(a);
  run.In(b);
}

void Approximate(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto a = run.random().Floats(kItems, 0.001, 1);
  std::vector<float> out;
  std::vector<double> doubles;
  for (const float f : a) {
    const double x = f;
    const double angle = 2 * std::numbers::pi * x;
    out.insert(out.end(), {static_cast<float>(1 / x), static_cast<float>(1 / std::sqrt(x)),
                           static_cast<float>(std::sqrt(x)),
                           static_cast<float>(std::sin(angle) + 2 * std::cos(angle))});
    doubles.insert(doubles.end(), {1 / x, 1 / std::sqrt(x)});
  }
  // 1 ulp by the ISA documents (2 with the reference's own rounding); sine and cosine have an
  // absolute error of a few 2^-20. The f64 forms are starting values of two Newton steps in
  // compiled divisions, which needs 14 good bits at least; 20 are asked for here.
  run.Judged<float>(std::vector<float>(out.size()), [out](const std::vector<float>& got) {
    for (size_t i = 0; i < got.size(); ++i) {
      const float bound = i % 4 == 3 ? 1e-5f : std::fabs(out[i]) * 0x1p-22f;
      if (!(std::fabs(got[i] - out[i]) <= bound)) {
        return "element " + std::to_string(i) + ": got " + std::to_string(got[i]) + ", want " +
               std::to_string(out[i]);
      }
    }
    return std::string();
  });
  run.Out(doubles, Ulps(0x1p33));
  run.In(a);
}

void Double(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto a = run.random().Doubles(kItems, -1000, 1000);
  a[0] = -std::numeric_limits<double>::denorm_min();
  std::vector<double> out;
  std::vector<int32_t> ints;
  for (int i = 0; i < static_cast<int>(kItems); ++i) {
    const double x = a[static_cast<size_t>(i)];
    int exponent = 0;
    const double significand = std::frexp(x, &exponent);
    // V_FRACT never reaches 1, but on gfx6.
    const double most = run.generation() == 6 ? 1.0 : std::nextafter(1.0, 0.0);
    const double fract = std::min(x - std::floor(x), most);
    out.insert(out.end(), {significand, fract, std::ldexp(x, i - 100)});
    ints.insert(ints.end(), {exponent, x < 0});
  }
  run.Out(out);
  run.Out(ints);
  run.In(a);
}

void Append(Run& run) {
  run.Grid(kGlobal, kLocal);
  std::vector<int32_t> out;
  for (uint32_t i = 0; i < kItems; ++i) {
    out.push_back(i % 64 % 3 == 0 ? 1000 : -1);
    out.push_back(1022);  // 22 lanes were counted
  }
  run.Out(out);
}

void HardwareState(Run& run) {
  run.Grid(kGlobal, kLocal);
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < kItems; ++i) out.insert(out.end(), {1, 64, kItems, 0, 3, 0});
  run.Out(out);
}

void RoundingModes(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Floats(kItems, -0.001, 0.001);
  const auto b = run.random().Floats(kItems, -2, 2);
  constexpr std::array<int, 4> kModes = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::vector<float> out;
  std::vector<double> doubles;
  for (size_t i = 0; i < kItems; ++i) {
    for (const int mode : kModes) {
      std::fesetround(mode);
      volatile float x = a[i];
      volatile float y = b[i];
      const float product = x * y;
      const double dx = x;
      const double dy = y;
      const double sum = std::fma(dx, dy, dy);
      std::fesetround(FE_TONEAREST);
      out.push_back(product);
      doubles.push_back(sum);
    }
  }
  run.Out(out);
  run.Out(doubles);
  run.In(a);
  run.In(b);
}

void Perm(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Integers<uint32_t>(kItems);
  const auto b = run.random().Integers<uint32_t>(kItems);
  std::vector<uint32_t> c;
  for (size_t i = 0; i < kItems; ++i) {
    uint32_t selector = 0;
    for (int j = 0; j < 4; ++j) {
      selector |= static_cast<uint32_t>(run.random().Between(0, 15)) << (8 * j);
    }
    c.push_back(selector);
  }
  // Vega ISA, V_PERM_B32: 0-3 bytes of the second operand, 4-7 of the first, 8-11 the sign of the
  // 16-bit half (second low, second high, first low, first high), 12 zero, above 0xff.
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const uint64_t both = uint64_t{a[i]} << 32 | b[i];
    uint32_t word = 0;
    for (int j = 0; j < 4; ++j) {
      const uint32_t select = Byte(c[i], j);
      uint32_t byte = 0xff;
      if (select < 8) {
        byte = static_cast<uint32_t>(both >> (8 * select)) & 0xff;
      } else if (select < 12) {
        byte = ((both >> (16 * (select - 8) + 15)) & 1) != 0 ? 0xff : 0;
      } else if (select == 12) {
        byte = 0;
      }
      word |= byte << (8 * j);
    }
    out.push_back(word);
  }
  run.Out(out);
  run.In(a);
  run.In(b);
  run.In(c);
}

void Alu16(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().EdgyIntegers<uint16_t>(kItems);
  const auto b = run.random().EdgyIntegers<uint16_t>(kItems);
  std::vector<uint16_t> out;
  std::vector<int16_t> sout;
  for (size_t i = 0; i < kItems; ++i) {
    const uint32_t x = a[i], y = b[i];
    const int32_t sx = static_cast<int16_t>(x), sy = static_cast<int16_t>(y);
    for (const uint32_t value :
         {x + y, x - y, x * y, x * y + x, x << (y % 16), x >> (y % 16), std::max(x, y),
          std::min(x, y), (x & 0xff) + (y >> 8) * (x >> 8)}) {
      out.push_back(static_cast<uint16_t>(value));
    }
    sout.push_back(static_cast<int16_t>(sx >> (y % 16)));
    sout.push_back(static_cast<int16_t>(std::max(sx, sy)));
    sout.push_back(static_cast<int16_t>(std::min<int32_t>(static_cast<int16_t>(sx + 1), sy)));
  }
  run.Out(out);
  run.Out(sout);
  run.In(a);
  run.In(b);
}

void Packed16(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().EdgyIntegers<int16_t>(2 * kItems);
  const auto b = run.random().EdgyIntegers<int16_t>(2 * kItems);
  std::vector<int16_t> out;
  std::vector<uint16_t> uout;
  for (size_t i = 0; i < 2 * kItems; i += 2) {
    const std::array<int32_t, 2> x = {a[i], a[i + 1]};
    const std::array<int32_t, 2> y = {b[i], b[i + 1]};
    const auto push = [&](auto function) {
      for (size_t j = 0; j < 2; ++j) out.push_back(static_cast<int16_t>(function(j)));
    };
    const auto push_unsigned = [&](auto function) {
      for (size_t j = 0; j < 2; ++j) uout.push_back(static_cast<uint16_t>(function(j)));
    };
    const auto ux = [&](size_t j) { return static_cast<uint32_t>(x[j]) & 0xffff; };
    const auto uy = [&](size_t j) { return static_cast<uint32_t>(y[j]) & 0xffff; };
    push([&](size_t j) { return x[j] + y[1 - j]; });
    push([&](size_t j) { return x[j] - y[j]; });
    push([&](size_t j) { return x[j] * y[j] + x[1 - j]; });
    push([&](size_t j) { return std::max(x[j], y[j]); });
    push([&](size_t j) { return std::min(x[j], y[0]); });
    push([&](size_t j) { return x[j] >> (uy(j) % 16); });
    push_unsigned([&](size_t j) { return std::max(ux(j), uy(j)); });
    push_unsigned([&](size_t j) { return std::min(ux(j), uy(1 - j)); });
    push_unsigned([&](size_t j) { return ux(j) >> (uy(j) % 16); });
    push_unsigned([&](size_t j) { return std::min(ux(j) + uy(j), 0xffffu); });
  }
  run.Out(out);
  run.Out(uout);
  run.In(a);
  run.In(b);
}

// Field `index` of `width` bits, with or without sign.
int64_t Field(uint32_t value, int index, int width, bool with_sign) {
  const auto bits =
      static_cast<uint32_t>((uint64_t{value} >> (index * width)) & ((uint64_t{1} << width) - 1));
  const bool negative = with_sign && ((bits >> (width - 1)) & 1) != 0;
  return negative ? int64_t{bits} - (int64_t{1} << width) : int64_t{bits};
}

int64_t Dot(uint32_t x, uint32_t y, int width, bool with_sign, int64_t start) {
  for (int j = 0; j < 32 / width; ++j) {
    start += Field(x, j, width, with_sign) * Field(y, j, width, with_sign);
  }
  return start;
}

void Dots(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().EdgyIntegers<uint32_t>(kItems);
  const auto b = run.random().EdgyIntegers<uint32_t>(kItems);
  std::vector<uint32_t> out;
  std::vector<float> floats;
  for (size_t i = 0; i < kItems; ++i) {
    const uint32_t x = a[i], y = b[i];
    const std::array<int64_t, 8> dots = {
        Dot(x, y, 8, true, 1000),
        Dot(x, y, 8, false, 1000),
        Dot(x, y, 4, true, -5),
        Dot(x, y, 4, false, 7),
        Dot(x, y, 16, true, 3),
        Dot(x, y, 16, false, 3),
        std::min<int64_t>(Dot(x, y, 8, true, 0x7fffff00), 0x7fffffff),
        std::min<int64_t>(Dot(x, y, 8, false, 0xffff0000), 0xffffffff)};
    for (const int64_t dot : dots) out.push_back(static_cast<uint32_t>(dot));
    floats.push_back(static_cast<float>(Field(x, 0, 8, true) * Field(y, 0, 8, true) +
                                        Field(x, 1, 8, true) * Field(y, 1, 8, true)) +
                     0.5f);
  }
  run.Out(out);
  run.Out(floats);
  run.In(a);
  run.In(b);
}

void MatrixProducts(Run& run) {
  constexpr size_t kWaves = kItems / 64;
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Floats(kWaves * 32 * 8, -10, 10);
  const auto b = run.random().Floats(kWaves * 8 * 32, -10, 10);
  const auto x = run.random().EdgyIntegers<uint32_t>(kWaves * 64);
  const auto y = run.random().EdgyIntegers<uint32_t>(kWaves * 64);
  std::vector<float> out, halves;
  std::vector<int32_t> bytes;
  for (size_t wave = 0; wave < kWaves; ++wave) {
    for (size_t row = 0; row < 32; ++row) {
      for (size_t column = 0; column < 32; ++column) {
        float sum = 0;
        for (size_t k = 0; k < 8; ++k) {
          sum = std::fma(a[(wave * 32 + row) * 8 + k], b[(wave * 8 + k) * 32 + column], sum);
        }
        out.push_back(sum);
      }
    }
    for (size_t row = 0; row < 16; ++row) {
      for (size_t column = 0; column < 16; ++column) {
        int64_t sum = 7;
        for (size_t k = 0; k < 4; ++k) {
          sum = Dot(x[wave * 64 + row * 4 + k], y[wave * 64 + column * 4 + k], 8, true, sum);
        }
        bytes.push_back(static_cast<int32_t>(sum));
        halves.push_back(static_cast<float>(sum));
      }
    }
  }
  run.Out(out);
  run.Out(halves);
  run.Out(bytes);
  run.In(a);
  run.In(b);
  run.In(x);
  run.In(y);
}

void MatrixTiles(Run& run) {
  constexpr size_t kGroups = 3, kSize = 64, kDepth = 48;
  run.Grid({kGroups * 256}, {256});
  const auto a = run.random().Floats(kGroups * kSize * kDepth, -10, 10);
  const auto b = run.random().Floats(kGroups * kDepth * kSize, -10, 10);
  std::vector<float> out;
  for (size_t row = 0; row < kGroups * kSize; ++row) {
    const size_t group = row / kSize;
    for (size_t column = 0; column < kSize; ++column) {
      float sum = 0;
      for (size_t k = 0; k < kDepth; ++k) {
        sum = std::fma(a[row * kDepth + k], b[(group * kDepth + k) * kSize + column], sum);
      }
      out.push_back(sum);
    }
  }
  run.Out(out);
  run.In(a);
  run.In(b);
}

}  // namespace
}  // namespace builtins_kernels

void AddBuiltinsKernels(Suite& suite) {
  using namespace builtins_kernels;
  const std::string source = "builtins.cl";
  suite.Add({source, "alu_bits", BitFields});
  suite.Add({source, "alu_floats", Floats});
  suite.Add({source, "alu_packs", Packs});
  suite.Add({source, "alu_approximate", Approximate});
  suite.Add({source, "alu_f64", Double});
  suite.Add({source, "lds_append", Append});
  suite.Add({source, "hardware_state", HardwareState});
  suite.Add({source, "rounding_modes", RoundingModes, {}, kDppTargets});
  suite.Add({source, "alu_perm", Perm, {}, kDppTargets});
  suite.Add({source, "alu_16bit", Alu16, {}, kDppTargets});
  suite.Add({source, "packed_16bit", Packed16, {}, kGfx9Targets});
  suite.Add({source, "dot_products", Dots, {}, kDotTargets});
  suite.Add({source, "matrix_products", MatrixProducts, {}, kMatrixTargets});
  suite.Add({source, "matrix_tiles", MatrixTiles, {}, kMatrixTargets});
}

}  // namespace gcnjit::kernel_tests
