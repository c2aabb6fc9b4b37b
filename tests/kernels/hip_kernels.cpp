// References of hip.hip.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace hip_kernels {
namespace {

constexpr uint32_t kItems = 256;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{128};
constexpr uint32_t kWave = 64;

void Indices(Run& run) {
  run.Grid({12, 9, 4}, {4, 3, 2});
  std::vector<uint32_t> out;
  for (uint32_t z = 0; z < 4; ++z) {
    for (uint32_t y = 0; y < 9; ++y) {
      for (uint32_t x = 0; x < 12; ++x) {
        out.push_back(x % 4 + 10 * (y % 3) + 100 * (z % 2) + 1000 * (x / 4) + 10000 * (y / 3) +
                      100000 * (z / 2) + 2000000);
      }
    }
  }
  run.Out(out);
}

void Saxpy(Run& run) {
  constexpr int32_t kCount = 1000;
  run.Grid(kGlobal, kLocal);
  std::vector<float> x, y, after;
  for (int i = 0; i < kCount; ++i) {
    x.push_back(static_cast<float>(run.random().Between(-1000, 1000)));
    y.push_back(static_cast<float>(run.random().Between(-1000, 1000)));
    after.push_back(2.5f * x.back() + y.back());  // exact, so contraction does not matter
  }
  run.InOut(y, after);
  run.In(x);
  run.Value(2.5f);
  run.Value(kCount);
}

void DynamicShared(Run& run) {
  run.Grid({288}, {96});
  const auto in = run.random().IntegersBetween<int32_t>(288, -100000, 100000);
  std::vector<int32_t> out;
  for (size_t i = 0; i < 288; ++i) {
    const size_t block = i / 96 * 96;
    out.push_back(in[block + (i + 1) % 96] + 2 * in[block + (i + 2) % 96]);
  }
  run.Out(out);
  run.In(in);
  run.Local(2 * 96 * 4);
}

void Atomics(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<int32_t>(kItems);
  const std::vector<int32_t> ints_before = {1, 2, 3, 4, -1, 6, 7, 0, 3, 3, 0, 0};
  const std::vector<uint64_t> longs_before = {1, 2};
  std::vector<uint32_t> ints(ints_before.begin(), ints_before.end());
  auto longs = longs_before;
  std::vector<float> floats(2);
  std::vector<double> doubles(3);
  for (size_t i = 0; i < kItems; ++i) {
    const int32_t v = in[i];
    const auto bits = static_cast<uint32_t>(v);
    ints[0] += bits;
    ints[1] -= bits;
    ints[2] = static_cast<uint32_t>(std::min(static_cast<int32_t>(ints[2]), v));
    ints[3] = static_cast<uint32_t>(std::max(static_cast<int32_t>(ints[3]), v));
    ints[4] &= bits | 0xff;
    ints[5] |= bits & 0xff0;
    ints[6] ^= bits;
    ints[8] = ints[8] >= 9 ? 0 : ints[8] + 1;
    ints[9] = ints[9] == 0 || ints[9] > 9 ? 9 : ints[9] - 1;
    ints[10 + i / 128] += bits;
    longs[0] += static_cast<uint64_t>(int64_t{v});
    longs[1] = std::max(longs[1], static_cast<uint64_t>(int64_t{v}));
    floats[i % 2] += static_cast<float>(v % 1000);  // whole numbers: exact in any order
    doubles[i % 3] += v % 1000;
  }
  ints[7] = 5;
  run.InOut(ints_before, std::vector<int32_t>(ints.begin(), ints.end()));
  run.InOut(longs_before, longs);
  run.InOut(std::vector<float>(2), floats);
  run.InOut(std::vector<double>(3), doubles);
  run.In(in);
}

template <typename Predicate>
uint64_t Ballot(const std::vector<int32_t>& in, size_t wave, Predicate predicate) {
  uint64_t mask = 0;
  for (size_t lane = 0; lane < kWave; ++lane) {
    if (predicate(in[wave + lane])) mask |= uint64_t{1} << lane;
  }
  return mask;
}

void Votes(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto in = run.random().IntegersBetween<int32_t>(kItems, -200, 200);
  in[70] = 7;
  in[130] = 950;
  std::vector<uint64_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const size_t wave = i / kWave * kWave;
    const auto ballot = [&](auto predicate) { return Ballot(in, wave, predicate); };
    const uint64_t large = ballot([](int32_t v) { return v > 50; });
    const int32_t v = in[i];
    out.push_back(ballot([](int32_t x) { return x > 0; }));
    out.push_back(ballot([](int32_t x) { return x == 7; }) != 0);
    out.push_back(ballot([](int32_t x) { return x >= 900; }) == 0);
    out.push_back(static_cast<uint64_t>(std::popcount(ballot([](int32_t x) { return x & 1; }))) *
                      100 +
                  i % kWave);
    out.push_back((large == 0 ? 0 : static_cast<uint64_t>(std::countr_zero(large)) + 1) * 100 +
                  static_cast<uint64_t>(std::countl_zero(static_cast<uint32_t>(v))));
    // Only the lanes that get there vote.
    out.push_back((v & 3) == 1 ? ballot([](int32_t x) { return (x & 3) == 1 && (x & 4) != 0; })
                               : 12345);
  }
  run.Out(out);
  run.In(in);
}

void Shuffles(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().IntegersBetween<int32_t>(kItems, -100000, 100000);
  std::vector<int32_t> out;
  std::vector<double> doubles;
  for (size_t i = 0; i < kItems; ++i) {
    const size_t wave = i / kWave * kWave;
    const size_t lane = i % kWave;
    const auto at = [&](size_t other) { return in[wave + other]; };
    out.push_back(at(5));
    out.push_back(at(i % 128 * 7 % kWave));
    out.push_back(at(lane < 3 ? lane : lane - 3));
    out.push_back(at(lane + 4 < kWave ? lane + 4 : lane));
    out.push_back(at(lane ^ 9));
    out.push_back(at(lane / 16 * 16 + 2));
    out.push_back(at(lane % 8 == 0 ? lane : lane - 1));
    out.push_back(at(lane ^ 1));
    double sum = 0;
    for (size_t j = 0; j < kWave; ++j) sum += at(j) * 0.5;
    doubles.push_back(sum);
  }
  run.Out(out);
  run.Out(doubles);
  run.In(in);
}

void HalfPrecision(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Halves(kItems, -100, 100);
  const auto b = run.random().Halves(kItems, -100, 100);
  std::vector<Half> out, out2;
  for (size_t i = 0; i < kItems; ++i) {
    const float x = a[i].ToFloat();
    const float y = b[i].ToFloat();
    out.insert(out.end(),
               {Half(x + y), Half(x * y), Half(x - y), Half(x < y ? x : y * 2), Half(-x)});
    out2.insert(out2.end(), {Half(x + x), Half(y + y), Half(x * y), Half(y * y)});
  }
  run.Out(out);
  run.Out(out2);
  run.In(a);
  run.In(b);
}

void IntegerFunctions(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().EdgyIntegers<uint32_t>(kItems);
  const auto b = run.random().EdgyIntegers<uint32_t>(kItems);
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const uint64_t x = a[i];
    const uint64_t y = b[i];
    uint32_t reversed = 0;
    for (int bit = 0; bit < 32; ++bit)
      reversed |= static_cast<uint32_t>((x >> bit) & 1) << (31 - bit);
    const auto byte = [&](int index) {
      return static_cast<uint32_t>((y << 32 | x) >> (8 * index)) & 0xff;
    };
    const int64_t product = int64_t{static_cast<int32_t>(a[i])} * static_cast<int32_t>(b[i]);
    out.insert(out.end(),
               {reversed, static_cast<uint32_t>(std::countl_zero(a[i])),
                static_cast<uint32_t>(std::popcount(a[i])),
                a[i] == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(a[i])) + 1,
                static_cast<uint32_t>((x * y) >> 32), static_cast<uint32_t>(product >> 32),
                static_cast<uint32_t>((x & 0xffffff) * (y & 0xffffff)),
                byte(4) | byte(1) << 8 | byte(2) << 16 | byte(5) << 24,
                std::max(a[i], b[i]) - std::min(a[i], b[i]) + 5,
                static_cast<uint32_t>((x / 2 + y / 2) / 2)});
  }
  run.Out(out);
  run.In(a);
  run.In(b);
}

void Maths(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Floats(kItems, 0.01, 3);
  std::vector<float> out;
  std::vector<double> doubles;
  for (const float f : in) {
    const double x = f;
    out.insert(out.end(), {static_cast<float>(std::sqrt(x) + 1),
                           static_cast<float>(std::exp(-x) * std::cos(x)),
                           static_cast<float>(std::pow(x, double{1.3f})), std::fma(f, f, -f)});
    doubles.insert(doubles.end(), {std::sqrt(x), std::exp(-x) * std::log(1 + x)});
  }
  // Two library functions of at most 4 ulp each and a rounded product, or pow with 16 ulp.
  run.Out(out, Ulps(16, 1e-7));
  run.Out(doubles, Ulps(10));
  run.In(in);
}

void BlockSum(Run& run) {
  constexpr int32_t kCount = 5000;
  run.Grid({768}, {256});
  const auto in = run.random().Integers<int32_t>(kCount);
  std::vector<int64_t> out(3);
  for (size_t i = 0; i < kCount; ++i) out[i / 256 % 3] += in[i];
  run.Out(out);
  run.In(in);
  run.Value(kCount);
}

struct Particle {
  std::array<float, 3> position;
  float mass;
  int32_t id;
};

void Structs(Run& run) {
  run.Grid(kGlobal, kLocal);
  std::vector<Particle> in(kItems);
  for (Particle& p : in) {
    for (float& x : p.position) x = static_cast<float>(run.random().Real(-5, 5));
    p.mass = static_cast<float>(run.random().Real(0, 1));
    p.id = static_cast<int32_t>(run.random().Next());
  }
  constexpr std::array<float, 3> kShift = {0.5f, -0.25f, 3};
  auto out = in;
  for (Particle& p : out) {
    for (size_t j = 0; j < 3; ++j) p.position[j] += kShift[j];
    p.mass *= 2;
    p.id = ~p.id;
  }
  run.Out(out);
  run.In(in);
  run.Value(kShift);
}

}  // namespace
}  // namespace hip_kernels

void AddHipKernels(Suite& suite) {
  using namespace hip_kernels;
  // As raw code objects of one target, and as hipcc's bundles of several.
  for (const char* source : {"hip.hip", "bundle.hip"}) {
    suite.Add({source, "hip_indices", Indices});
    suite.Add({source, "hip_saxpy", Saxpy});
    suite.Add({source, "hip_dynamic_shared", DynamicShared});
    if (std::string(source) == "bundle.hip") continue;
    suite.Add({source, "hip_atomics", Atomics});
    suite.Add({source, "hip_votes", Votes});
    suite.Add({source, "hip_shuffles", Shuffles, {}, kDppTargets});
    suite.Add({source, "hip_half", HalfPrecision, {}, kDppTargets});
    suite.Add({source, "hip_integer_functions", IntegerFunctions});
    suite.Add({source, "hip_maths", Maths});
    suite.Add({source, "hip_block_sum", BlockSum});
    suite.Add({source, "hip_structs", Structs});
  }
}

}  // namespace gcnjit::kernel_tests
