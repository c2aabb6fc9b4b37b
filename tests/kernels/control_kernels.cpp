// References of control.cl.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace control_kernels {
namespace {

constexpr uint32_t kItems = 320;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{128};

void Collatz(Run& run) {
  constexpr uint32_t kLimit = 300;
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().IntegersBetween<uint32_t>(kItems, 1, 5000);
  std::vector<uint32_t> out;
  for (uint32_t n : in) {
    uint32_t count = 0;
    for (; n != 1 && count < kLimit; ++count) n = n % 2 == 1 ? 3 * n + 1 : n / 2;
    out.push_back(count);
  }
  run.Out(out);
  run.In(in);
  run.Value(kLimit);
}

// (found, visited) of one work-item of nested_breaks.
std::pair<int32_t, int32_t> Search(const std::vector<int32_t>& in, int32_t first, int32_t width) {
  int32_t visited = 0;
  for (int32_t row = 0; row < 8; ++row) {
    int32_t sum = 0;
    for (int32_t column = 0; column < width && sum <= 500; ++column) {
      const int32_t v = in[static_cast<size_t>(first + row * width + column) % 256];
      if (v < 0) continue;
      ++visited;
      sum += v;
      if (sum <= 500 && v == 77) return {row * width + column, visited};
    }
    if (sum == 0) break;
  }
  return {-1, visited};
}

void NestedBreaks(Run& run) {
  constexpr int32_t kWidth = 12;
  run.Grid(kGlobal, kLocal);
  auto in = run.random().IntegersBetween<int32_t>(256, -60, 90);
  for (size_t i = 0; i < 256; i += 37) in[i] = 77;
  std::fill(in.begin() + 100, in.begin() + 140, -1);
  std::vector<int32_t> out;
  for (int32_t i = 0; i < static_cast<int32_t>(kItems); ++i) {
    const auto [found, visited] = Search(in, i * 3, kWidth);
    out.insert(out.end(), {found, visited});
  }
  run.Out(out);
  run.In(in);
  run.Value(kWidth);
}

void Bytecode(Run& run) {
  run.Grid(kGlobal, kLocal);
  // 0: b = a ^ 0x5a. 2: a += b. 3: odd a: to 8. 5: a ^= 99. 6: negate b. 7: count.
  // 8: a = 3a + 1 and count. 9: a >>= 3. 10: again from 2 while counter < 9. 12: halt.
  const std::vector<uint8_t> program = {2, 0x5a, 1, 5, 8, 99, 200, 4, 3, 6, 7, 2, 0};
  const auto in = run.random().EdgyIntegers<int32_t>(kItems);
  std::vector<int32_t> out;
  for (const int32_t start : in) {
    // The same program, written out.
    uint32_t a = static_cast<uint32_t>(start);
    uint32_t b = a ^ 0x5a;
    uint32_t counter = 0;
    do {
      a += b;
      if (a % 2 == 0) {
        a ^= 99;
        b = -b;
        ++counter;
      }
      a = a * 3 + 1;
      ++counter;
      a /= 8;
    } while (counter < 9);
    out.push_back(static_cast<int32_t>(a));
    out.push_back(static_cast<int32_t>(b * 16 + counter));
  }
  run.Out(out);
  run.In(program);
  run.In(in);
}

void SwitchDense(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().EdgyIntegers<int32_t>(kItems);
  std::vector<int32_t> out;
  for (const int32_t v : in) {
    const auto u = static_cast<uint32_t>(v);
    const std::array<int32_t, 16> results = {static_cast<int32_t>(u * 3),
                                             static_cast<int32_t>(u - 100),
                                             v ^ 0x1234,
                                             static_cast<int32_t>(-u),
                                             static_cast<int32_t>(-u),
                                             static_cast<int32_t>(-u),
                                             v / 7,
                                             static_cast<int32_t>(u << 2),
                                             Run::Unwritten<int32_t>(),
                                             v >> 1,
                                             v | 0xff,
                                             std::popcount(u),
                                             42,
                                             42,
                                             std::countl_zero(u),
                                             42};
    out.push_back(results[u % 16]);
  }
  run.Out(out);
  run.In(in);
}

void Irreducible(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<uint32_t> out;
  for (uint32_t v : in) {
    uint32_t count = 0;
    bool skip = v % 2 == 1;
    do {
      if (!skip) {
        v = v * 1664525u + 1013904223u;
        ++count;
      }
      skip = false;
      v ^= v >> 7;
      count += 16;
    } while (v % 8 != 3 && count < 600);
    out.insert(out.end(), {v, count});
  }
  run.Out(out);
  run.In(in);
}

void Euclid(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().IntegersBetween<uint32_t>(kItems, 1, 1000000);
  auto b = run.random().IntegersBetween<uint32_t>(kItems, 0, 100000);
  for (size_t i = 0; i < kItems; i += 3) b[i] *= 30;
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) out.push_back(std::gcd(a[i], b[i]));
  run.Out(out);
  run.In(a);
  run.In(b);
}

void BinarySearch(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto sorted = run.random().IntegersBetween<int32_t>(200, -1000, 1000);
  std::sort(sorted.begin(), sorted.end());
  const auto wanted = run.random().IntegersBetween<int32_t>(kItems, -1100, 1100);
  std::vector<int32_t> out;
  for (const int32_t w : wanted) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), w);
    const auto index = static_cast<int32_t>(at - sorted.begin());
    out.push_back(at != sorted.end() && *at == w ? index : ~index);
  }
  run.Out(out);
  run.In(sorted);
  run.Value(static_cast<int32_t>(sorted.size()));
  run.In(wanted);
}

int32_t DeepIfsOf(int32_t v) {
  const auto bit = [v](int mask) { return (v & mask) != 0; };
  if (!bit(1)) {
    if (!bit(2) || !bit(4) || (!bit(16) && bit(8))) return 1;
    while (v > 100) v /= 3;
    return v;
  }
  if (!bit(2)) return 3;  // v & 3 is 1: one trip that adds 0
  if (!bit(4)) return bit(32) ? 9 | 0x100 : 9;
  if (bit(8)) return (9 ^ 0x10) - 7;
  const int32_t r = (9 ^ 0x10) + 5;
  return bit(16) || (r & 4) != 0 ? -r : r;
}

void DeepIfs(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto in = run.random().IntegersBetween<int32_t>(kItems, 0, 100000);
  std::vector<int32_t> out;
  for (const int32_t v : in) out.push_back(DeepIfsOf(v));
  run.Out(out);
  run.In(in);
}

void UniformFlow(Run& run) {
  const auto table = run.random().IntegersBetween<int32_t>(50, 0, 9);
  auto with_end = table;
  with_end[30] = -1;
  run.Grid({128}, {64});
  bool first = true;
  for (const int32_t mode : {0, 3, 6, 9}) {
    if (!first) run.Next();
    first = false;
    const auto& used = mode == 6 ? with_end : table;
    std::vector<int32_t> out;
    for (int32_t i = 0; i < 128; ++i) {
      uint32_t sum = static_cast<uint32_t>(i);
      for (const int32_t t : used) {
        if (t == mode) {
          sum += 1000;
        } else if (t > mode * 2) {
          sum = sum * 2 + 1;
        } else if (t < 0) {
          break;
        }
        if (mode == 3) sum ^= static_cast<uint32_t>(t);
      }
      out.push_back(static_cast<int32_t>(mode > 5 ? -sum : sum));
    }
    run.Out(out);
    run.Value(mode);
    run.Value(int32_t{50});
    run.In(used);
  }
}

void EarlyReturn(Run& run) {
  constexpr int32_t kCount = 200;
  run.Grid(kGlobal, kLocal);
  std::vector<int32_t> out(kItems, Run::Unwritten<int32_t>());
  for (size_t i = 0; i < kCount; ++i) {
    uint32_t v = static_cast<uint32_t>(i);
    for (size_t j = 0; j < i % 64; ++j) v = v * 5 + 3;
    out[i] = static_cast<int32_t>(v);
  }
  run.Out(out);
  run.Value(kCount);
}

// Rounding decides where a point near the border of the set escapes, and contraction is the
// compiler's choice: pixels whose count depends on a change in the last place are not compared.
void Mandelbrot(Run& run) {
  constexpr int32_t kWidth = 64;
  constexpr int32_t kHeight = 32;
  constexpr int32_t kLimit = 100;
  constexpr float kX = -2.1f;
  constexpr float kY = -1.1f;
  constexpr float kStep = 0.0625f / 1.375f;
  run.Grid({kWidth, kHeight}, {16, 4});
  const auto count = [](double cx, double cy) {
    double x = 0, y = 0;
    int n = 0;
    for (; n < kLimit && x * x + y * y <= 4; ++n) {
      const double next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
    }
    return n;
  };
  std::vector<int> low, high;
  for (int32_t py = 0; py < kHeight; ++py) {
    for (int32_t px = 0; px < kWidth; ++px) {
      int lowest = kLimit, highest = 0;
      for (const double dx : {-2e-6, 0.0, 2e-6}) {
        for (const double dy : {-2e-6, 0.0, 2e-6}) {
          const int n =
              count(double{kX} + double{kStep} * px + dx, double{kY} + double{kStep} * py + dy);
          lowest = std::min(lowest, n);
          highest = std::max(highest, n);
        }
      }
      low.push_back(lowest);
      high.push_back(highest);
    }
  }
  run.Judged<uint8_t>(std::vector<uint8_t>(kWidth * kHeight), [=](const std::vector<uint8_t>& got) {
    size_t certain = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      if (low[i] != high[i]) continue;
      ++certain;
      if (got[i] != low[i]) {
        return "pixel " + std::to_string(i) + ": got " + std::to_string(got[i]) + ", want " +
               std::to_string(low[i]);
      }
    }
    return certain * 10 > got.size() * 9 ? std::string() : "fewer than 90 % of pixels are certain";
  });
  run.Value(kWidth);
  run.Value(kX);
  run.Value(kY);
  run.Value(kStep);
  run.Value(kLimit);
}

}  // namespace
}  // namespace control_kernels

void AddControlKernels(Suite& suite) {
  using namespace control_kernels;
  const std::string source = "control.cl";
  suite.Add({source, "collatz", Collatz});
  suite.Add({source, "nested_breaks", NestedBreaks});
  suite.Add({source, "bytecode", Bytecode});
  suite.Add({source, "switch_dense", SwitchDense});
  suite.Add({source, "irreducible", Irreducible});
  suite.Add({source, "euclid", Euclid});
  suite.Add({source, "binary_search", BinarySearch});
  suite.Add({source, "deep_ifs", DeepIfs});
  suite.Add({source, "uniform_flow", UniformFlow});
  suite.Add({source, "early_return", EarlyReturn});
  suite.Add({source, "mandelbrot", Mandelbrot});
}

}  // namespace gcnjit::kernel_tests
