// References of half.cl. A sum, difference or product of two halves computed in f32 and rounded
// again is correctly rounded (24 >= 2 * 11 + 2 bits), so the host needs no f16 arithmetic.
#include <cmath>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace half_kernels {
namespace {

constexpr uint32_t kItems = 256;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};

// Multiples of 1/16 below 16: a product plus a third number is exact in f32.
std::vector<Half> Sixteenths(Run& run, size_t count) {
  std::vector<Half> values(count);
  for (Half& value : values) {
    value = Half(static_cast<float>(run.random().Between(-255, 255)) / 16);
  }
  return values;
}

std::vector<Half> AnyFinite(Run& run, size_t count) {
  std::vector<Half> values(count);
  for (Half& value : values) {
    do {
      value.bits = static_cast<uint16_t>(run.random().Next());
    } while ((value.bits & 0x7c00) == 0x7c00);
  }
  return values;
}

Half Add(Half x, Half y) { return Half(x.ToFloat() + y.ToFloat()); }
Half Subtract(Half x, Half y) { return Half(x.ToFloat() - y.ToFloat()); }
Half Multiply(Half x, Half y) { return Half(x.ToFloat() * y.ToFloat()); }
Half Negate(Half x) {
  x.bits = static_cast<uint16_t>(x.bits ^ 0x8000);
  return x;
}
// -0 is below +0 (Vega ISA, V_MIN_F16 and V_MAX_F16).
Half Minimum(Half x, Half y) {
  if (x.ToFloat() == 0 && y.ToFloat() == 0) return (x.bits & 0x8000) != 0 ? x : y;
  return Half(std::fmin(x.ToFloat(), y.ToFloat()));
}
Half Maximum(Half x, Half y) { return Negate(Minimum(Negate(x), Negate(y))); }

void Arithmetic(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = Sixteenths(run, kItems);
  const auto b = Sixteenths(run, kItems);
  const auto c = Sixteenths(run, kItems);
  std::vector<Half> expected;
  for (size_t i = 0; i < kItems; ++i) {
    const Half x = a[i], y = b[i], z = c[i];
    Half magnitude = x;
    magnitude.bits &= 0x7fff;
    Half with_sign = magnitude;
    with_sign.bits = static_cast<uint16_t>(magnitude.bits | (y.bits & 0x8000));
    expected.insert(expected.end(),
                    {Add(x, y), Subtract(x, y), Multiply(x, y),
                     Half(x.ToFloat() * y.ToFloat() + z.ToFloat()), Minimum(x, y), Maximum(x, z),
                     magnitude, with_sign, x.ToFloat() < y.ToFloat() ? z : y, Negate(x)});
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
  run.In(c);
}

void Special(Run& run) {
  std::vector<Half> values = AnyFinite(run, 12);
  for (const int bits : {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7bff, 0xfbff,
                         0x0001, 0x8001, 0x03ff, 0x0400, 0x3800, 0x3e00, 0x4100}) {
    values.emplace_back().bits = static_cast<uint16_t>(bits);
  }
  std::vector<Half> a, b, expected;
  std::vector<int32_t> flags;
  for (const Half first : values) {
    for (const Half second : values) {
      a.push_back(first);
      b.push_back(second);
      const float x = first.ToFloat(), y = second.ToFloat();
      expected.insert(expected.end(),
                      {Half(x + y), Half(x * y), Minimum(first, second), Maximum(first, second),
                       Half(std::floor(x)), Half(std::ceil(x)), Half(std::trunc(x)),
                       Half(std::nearbyint(x)), Half(x - y)});
      flags.push_back((x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 |
                      std::isnan(x) << 5 | std::isinf(x) << 6 | !(x >= y) << 7);
    }
  }
  run.Grid({static_cast<uint32_t>(a.size())}, kLocal);
  run.Out(expected, BitsOrNan());
  run.Out(flags);
  run.In(a);
  run.In(b);
}

void Packed(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = Sixteenths(run, 2 * kItems);
  const auto b = Sixteenths(run, 2 * kItems);
  std::vector<Half> expected;
  for (size_t i = 0; i < kItems; ++i) {
    const Half ax = a[2 * i], ay = a[2 * i + 1], bx = b[2 * i], by = b[2 * i + 1];
    expected.insert(expected.end(),
                    {Add(ax, bx), Add(ay, by), Multiply(ax, by), Multiply(ay, bx),
                     Half(ax.ToFloat() * bx.ToFloat() + ax.ToFloat()),
                     Half(ax.ToFloat() * by.ToFloat() + ay.ToFloat()), Minimum(ax, Negate(bx)),
                     Minimum(ay, Negate(by)), Subtract(ay, bx), Subtract(bx, by)});
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
}

void Convert(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto f = run.random().Floats(kItems, -70000, 70000);
  for (size_t i = 0; i < 64; ++i) f[i] *= 1e-6f;    // small and f16-denormal results
  for (size_t i = 64; i < 96; ++i) f[i] *= 1e-12f;  // underflow
  const auto n = run.random().Integers<int32_t>(kItems);
  const auto h = run.random().Halves(kItems, -30000, 30000);
  std::vector<Half> out;
  std::vector<int32_t> ints;
  std::vector<float> floats;
  for (size_t i = 0; i < kItems; ++i) {
    out.push_back(Half(f[i]));
    out.push_back(Half(static_cast<float>(n[i] % 3000)));
    out.push_back(Half(static_cast<float>(n[i] & 0x3fff)));
    const float value = h[i].ToFloat();
    ints.push_back(static_cast<int32_t>(value));
    ints.push_back(static_cast<int32_t>(std::fabs(value)));
    ints.push_back(static_cast<int16_t>(value));
    floats.push_back(value);
  }
  run.Out(out);
  run.Out(ints);
  run.Out(floats);
  run.In(f);
  run.In(n);
  run.In(h);
}

void MatrixVector(Run& run) {
  constexpr uint32_t kRows = 128;
  constexpr int32_t kColumns = 64;
  run.Grid({kRows}, kLocal);
  std::vector<Half> matrix(kRows * kColumns), x(kColumns);
  for (Half& value : matrix) value = Half(static_cast<float>(run.random().Between(-200, 200)));
  for (Half& value : x) value = Half(static_cast<float>(run.random().Between(-100, 100)));
  std::vector<float> expected;
  for (size_t row = 0; row < kRows; ++row) {
    float sum = 0;
    for (size_t j = 0; j < kColumns; ++j) {
      sum += matrix[row * kColumns + j].ToFloat() * x[j].ToFloat();
    }
    expected.push_back(sum);
  }
  run.Out(expected);
  run.In(matrix);
  run.In(x);
  run.Value(kColumns);
}

void Chain(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Halves(kItems, -8, 8);
  const auto b = run.random().Halves(kItems, -1.5, 1.5);
  std::vector<Half> expected;
  for (size_t i = 0; i < kItems; ++i) {
    Half x = a[i];
    for (int j = 0; j < 20; ++j) {
      x = Add(Multiply(x, b[i]), Multiply(a[i], Half(0.125f)));
      x = Subtract(x, Half(static_cast<float>(j % 4)));
    }
    expected.push_back(x);
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
}

void PackedChain(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Halves(2 * kItems, -8, 8);
  const auto b = run.random().Halves(2 * kItems, -1.5, 1.5);
  std::vector<Half> expected;
  for (size_t i = 0; i < kItems; ++i) {
    Half x = a[2 * i], y = a[2 * i + 1];
    for (int j = 0; j < 20; ++j) {
      const Half next_x = Maximum(Multiply(y, b[2 * i]), a[2 * i]);
      const Half next_y = Maximum(Multiply(x, b[2 * i + 1]), a[2 * i + 1]);
      x = Subtract(next_x, Multiply(x, Half(0.5f)));
      y = Subtract(next_y, Multiply(y, Half(0.25f)));
    }
    expected.insert(expected.end(), {x, y});
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
}

}  // namespace
}  // namespace half_kernels

void AddHalfKernels(Suite& suite) {
  using namespace half_kernels;
  const std::string source = "half.cl";
  suite.Add({source, "half_arithmetic", Arithmetic});
  suite.Add({source, "half_special", Special});
  suite.Add({source, "half2_arithmetic", Packed});
  suite.Add({source, "half_convert", Convert});
  suite.Add({source, "half_matvec", MatrixVector});
  suite.Add({source, "half_chain", Chain, {}, kDppTargets});
  suite.Add({source, "half2_chain", PackedChain, {}, kDppTargets});
}

}  // namespace gcnjit::kernel_tests
