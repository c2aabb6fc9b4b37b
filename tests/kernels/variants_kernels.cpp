// References of variants.cl.
#include <algorithm>
#include <cmath>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace variants_kernels {
namespace {

constexpr uint32_t kItems = 256;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};

void Add(Run& run) {
  constexpr int32_t kCount = 230;
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().IntegersBetween<int32_t>(kCount, -1000000, 1000000);
  const auto b = run.random().IntegersBetween<int32_t>(kCount, -1000000, 1000000);
  std::vector<int32_t> out;
  for (size_t i = 0; i < kCount; ++i) out.push_back(a[i] + b[i]);
  run.Out(out);
  run.In(a);
  run.In(b);
  run.Value(kCount);
}

void LdsReverse(Run& run) {
  run.Grid(kGlobal, {128});
  const auto in = run.random().Floats(kItems, -10, 10);
  std::vector<float> out;
  for (size_t i = 0; i < kItems; ++i) out.push_back(2 * in[i / 128 * 128 + 127 - i % 128]);
  run.Out(out);
  run.In(in);
}

void PrivateIndex(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().IntegersBetween<uint32_t>(kItems, 0, 1000000);
  std::vector<uint32_t> out;
  for (const uint32_t v : in) {
    std::array<uint32_t, 24> a{};
    for (uint32_t j = 0; j < 24; ++j) a[j] = v + j * j;
    for (uint32_t j = 0; j < 30; ++j) a[(v + j) % 24] ^= a[(v * 3 + j * 5) % 24] + j;
    uint32_t sum = 0;
    for (const uint32_t value : a) sum = sum * 7 + value;
    out.push_back(sum);
  }
  run.Out(out);
  run.In(in);
}

void Calls(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().IntegersBetween<int32_t>(kItems, -200, 200);
  std::vector<int32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    int32_t v = in[i];
    for (int32_t j = 0; j < static_cast<int32_t>(i % 8); ++j) {
      for (const int32_t b : {j, j + 1}) v = v % 2 == 0 ? v / 2 + b : 3 * v - b;
    }
    out.push_back(v);
  }
  run.Out(out);
  run.In(in);
}

void Constants(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  constexpr std::array<int32_t, 8> kPi = {3, 1, 4, 1, 5, 9, 2, 6};
  constexpr std::array<int32_t, 8> kE = {2, 7, 1, 8, 2, 8, 1, 8};
  std::vector<int32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const auto& table = in[i] % 2 == 0 ? kPi : kE;
    out.push_back(table[(in[i] >> 4) % 8] * 10 + kPi[i % 8]);
  }
  run.Out(out);
  run.In(in);
}

void Atomics(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().IntegersBetween<int32_t>(kItems, -1000000, 1000000);
  std::vector<int32_t> counters = {5, -6, 7};
  const auto before = counters;
  for (const int32_t v : in) {
    counters[0] += v;
    counters[1] = std::max(counters[1], v);
    counters[2] ^= v;
  }
  run.InOut(before, counters);
  run.In(in);
}

void Doubles(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Doubles(kItems, -10, 10);
  const auto b = run.random().Doubles(kItems, 0.1, 10);
  std::vector<double> out;
  for (size_t i = 0; i < kItems; ++i) {
    out.push_back(std::fma(a[i], b[i], a[i]));
    out.push_back(a[i] / b[i]);
  }
  run.Out(out);
  run.In(a);
  run.In(b);
}

void Divide64(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().EdgyIntegers<uint64_t>(kItems);
  auto b = run.random().EdgyIntegers<uint64_t>(kItems);
  std::vector<uint64_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    b[i] >>= run.random().Between(0, 60);
    if (b[i] == 0) b[i] = 10;
    out.push_back(a[i] / b[i]);
    const __int128 rest = __int128{static_cast<int64_t>(a[i])} % static_cast<int64_t>(b[i]);
    out.push_back(static_cast<uint64_t>(rest));
  }
  run.Out(out);
  run.In(a);
  run.In(b);
}

void ByValue(Run& run) {
  run.Grid(kLocal, kLocal);
  std::vector<double> out;
  for (int l = 0; l < 64; ++l) {
    out.push_back((63 - l) * 1000 + (63 - l) * 0.25 - 3 - 4000 + 1125899906842624.0 / 256 + 1.5 +
                  2.5 * 2 + 3.5 * 4);
  }
  run.Out(out);
  run.Value(int8_t{-3});
  run.Value(int16_t{-4000});
  run.Local(64 * sizeof(int32_t));
  run.Value(int32_t{1000});
  run.Local(64 * sizeof(double));
  run.Value(uint64_t{1125899906842624});
  run.Value(std::array<float, 4>{1.5f, 2.5f, 3.5f, 0});  // float3 takes sixteen bytes
  run.Value(0.25);
}

void Geometry(Run& run) {
  run.Grid({8, 6, 4}, {4, 3, 2});
  run.Out(std::vector<uint32_t>(8 * 6 * 4, 4 + 30 + 200 + 8000 + 60000 + 4000000));
}

void Switch(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().IntegersBetween<int32_t>(kItems, -10, 5000);
  std::vector<int32_t> out;
  for (int32_t v : in) {
    int32_t steps = 0;
    while (v > 0 && steps < 40) {
      const int32_t kind = v % 5;
      if (kind == 3 && v > 1000) break;
      if (kind == 1) {
        --v;
        continue;
      }
      if (kind == 0) v /= 5;
      if (kind == 2) v = v / 2 + 3;
      if (kind == 3) v -= 3;
      if (kind == 4) v = v * 2 - v / 3 * 2;
      ++steps;
    }
    out.push_back(v * 128 + steps);
  }
  run.Out(out);
  run.In(in);
}

}  // namespace
}  // namespace variants_kernels

void AddVariantsKernels(Suite& suite) {
  using namespace variants_kernels;
  const std::string source = "variants.cl";
  suite.Add({source, "v_add", Add});
  suite.Add({source, "v_lds_reverse", LdsReverse});
  suite.Add({source, "v_private_index", PrivateIndex});
  suite.Add({source, "v_calls", Calls});
  suite.Add({source, "v_constants", Constants});
  suite.Add({source, "v_atomics", Atomics});
  suite.Add({source, "v_doubles", Doubles});
  suite.Add({source, "v_divide64", Divide64});
  suite.Add({source, "v_arguments", ByValue});
  suite.Add({source, "v_geometry", Geometry});
  suite.Add({source, "v_switch", Switch});
}

}  // namespace gcnjit::kernel_tests
