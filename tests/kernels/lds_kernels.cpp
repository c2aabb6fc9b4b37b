// References of lds.cl.
#include <algorithm>
#include <limits>
#include <numeric>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace lds_kernels {
namespace {

void Reverse(Run& run) {
  constexpr uint32_t kItems = 500;  // two groups of 192 and one of 116
  constexpr uint32_t kGroup = 192;
  run.Grid({kItems}, {kGroup});
  const auto in = run.random().Integers<int32_t>(kItems);
  auto out = in;
  for (size_t begin = 0; begin < kItems; begin += kGroup) {
    const size_t end = std::min<size_t>(begin + kGroup, kItems);
    std::reverse(out.begin() + static_cast<ptrdiff_t>(begin),
                 out.begin() + static_cast<ptrdiff_t>(end));
  }
  run.Out(out);
  run.In(in);
}

void Reduce(Run& run) {
  constexpr uint32_t kCount = 10007;
  constexpr uint32_t kGroup = 256;
  constexpr uint32_t kGlobal = 4 * kGroup;
  run.Grid({kGlobal}, {kGroup});
  const auto in = run.random().Integers<int32_t>(kCount);
  std::vector<int64_t> sums(kGlobal / kGroup);
  for (size_t i = 0; i < kCount; ++i) sums[i % kGlobal / kGroup] += in[i];
  run.Out(sums);
  run.In(in);
  run.Value(kCount);
  run.Local(kGroup * sizeof(int64_t));
}

void Scan(Run& run) {
  constexpr uint32_t kItems = 1024;
  run.Grid({kItems}, {256});
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<uint32_t> out;
  for (size_t begin = 0; begin < kItems; begin += 256) {
    uint32_t sum = 0;
    for (size_t i = begin; i < begin + 256; ++i) out.push_back(sum += in[i]);
  }
  run.Out(out);
  run.In(in);
}

void Transpose(Run& run) {
  constexpr int32_t kWidth = 61;
  constexpr int32_t kHeight = 45;
  run.Grid({64, 48}, {16, 16});
  const auto in = run.random().Floats(kWidth * kHeight, -1, 1);
  std::vector<float> out(in.size());
  for (size_t y = 0; y < kHeight; ++y) {
    for (size_t x = 0; x < kWidth; ++x) out[x * kHeight + y] = in[y * kWidth + x];
  }
  run.Out(out);
  run.In(in);
  run.Value(kWidth);
  run.Value(kHeight);
}

void Bitonic(Run& run) {
  constexpr uint32_t kItems = 768;
  run.Grid({kItems}, {256});
  const auto before = run.random().EdgyIntegers<uint32_t>(kItems);
  auto after = before;
  for (ptrdiff_t begin = 0; begin < kItems; begin += 256) {
    std::sort(after.begin() + begin, after.begin() + begin + 256);
  }
  run.InOut(before, after);
}

void Widths(Run& run) {
  constexpr uint32_t kItems = 256;
  run.Grid({kItems}, {64});
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<uint64_t> out;
  for (size_t group = 0; group < kItems; group += 64) {
    // Which work-item wrote slot l, for each array.
    std::array<size_t, 64> bytes{}, shorts{}, words{}, longs{}, vectors{}, doubles{};
    for (size_t l = 0; l < 64; ++l) {
      bytes[(l * 7 + 1) % 64] = l;
      shorts[(l * 5 + 2) % 64] = l;
      words[(l * 3 + 3) % 64] = l;
      longs[(l * 11 + 4) % 64] = l;
      vectors[(l * 13 + 5) % 64] = l;
      doubles[(l * 9 + 6) % 64] = l;
    }
    for (size_t l = 0; l < 64; ++l) {
      const auto from = [&](const std::array<size_t, 64>& slots, size_t slot) {
        return in[group + slots[slot]];
      };
      const uint32_t v = from(vectors, l);
      const uint32_t small =
          static_cast<uint8_t>(from(bytes, l)) + static_cast<uint16_t>(from(shorts, l) >> 3) +
          static_cast<uint32_t>(static_cast<int8_t>(from(bytes, 63 - l))) +
          static_cast<uint32_t>(static_cast<int16_t>(from(shorts, 63 - l) >> 3)) +
          from(words, l) * 3;
      out.push_back(small + (uint64_t{from(longs, l)} << 20) + (v & 1023) + 2 * vectors[l] +
                    4 * (v >> 22) + 1 + from(doubles, l) / 2);
    }
  }
  run.Out(out);
  run.In(in);
}

void Relax(Run& run) {
  constexpr uint32_t kItems = 384;
  constexpr int32_t kGroup = 128;
  constexpr int32_t kSteps = 8;
  run.Grid({kItems}, {kGroup});
  // Multiples of 1/16 below 64, halved at most 2 * 8 times: 22 bits, so every form is exact.
  std::vector<float> before;
  for (size_t i = 0; i < kItems; ++i) {
    before.push_back(static_cast<float>(run.random().Between(0, 63)));
  }
  std::vector<float> after;
  for (size_t group = 0; group < kItems; group += kGroup) {
    std::vector<float> line(before.begin() + static_cast<ptrdiff_t>(group),
                            before.begin() + static_cast<ptrdiff_t>(group + kGroup));
    for (int step = 0; step < kSteps; ++step) {
      const auto previous = line;
      for (size_t l = 0; l < kGroup; ++l) {
        const float left = l == 0 ? 0 : previous[l - 1];
        const float right = l == kGroup - 1 ? 64 : previous[l + 1];
        line[l] = (left + 2 * previous[l] + right) / 4;
      }
    }
    after.insert(after.end(), line.begin(), line.end());
  }
  run.InOut(before, after);
  run.Value(kSteps);
}

void Sgemm(Run& run) {
  constexpr uint32_t kSize = 48;
  run.Grid({kSize, kSize}, {16, 16});
  std::vector<float> a, b, c(kSize * kSize);
  for (size_t i = 0; i < kSize * kSize; ++i) {
    a.push_back(static_cast<float>(run.random().Between(-500, 500)));
    b.push_back(static_cast<float>(run.random().Between(-300, 300)));
  }
  // Whole numbers below 2^24: exact with and without contraction.
  for (size_t row = 0; row < kSize; ++row) {
    for (size_t k = 0; k < kSize; ++k) {
      for (size_t column = 0; column < kSize; ++column) {
        c[row * kSize + column] += a[row * kSize + k] * b[k * kSize + column];
      }
    }
  }
  run.Out(c);
  run.In(a);
  run.In(b);
  run.Value(static_cast<int32_t>(kSize));
}

void Histogram(Run& run) {
  constexpr uint32_t kCount = 20000;
  run.Grid({1024}, {256});
  std::vector<uint8_t> in;
  for (size_t i = 0; i < kCount; ++i) {
    in.push_back(static_cast<uint8_t>(run.random().Next() % 200 * (run.random().Next() % 2)));
  }
  const std::vector<uint32_t> before(256, 10);
  auto after = before;
  for (const uint8_t value : in) ++after[value];
  run.InOut(before, after);
  run.In(in);
  run.Value(kCount);
}

void Dynamic(Run& run) {
  constexpr uint32_t kItems = 300;
  constexpr uint32_t kGroup = 100;
  run.Grid({kItems}, {kGroup});
  const auto in = run.random().Integers<int32_t>(kItems);
  std::vector<int32_t> out;
  for (size_t group = 0; group < kItems; group += kGroup) {
    for (size_t l = 0; l < kGroup; ++l) {
      const auto at = [&](size_t index) { return in[group + index]; };
      out.push_back(at((l + 5) % kGroup) ^ static_cast<int16_t>(at(kGroup - 1 - l)) ^
                    (static_cast<uint8_t>(at((l + kGroup - 1) % kGroup)) << 8) ^ at(kGroup - 1));
    }
  }
  run.Out(out);
  run.In(in);
  run.Local(kGroup * 4);
  run.Local(kGroup * 2);
  run.Local(kGroup);
}

void AsyncCopy(Run& run) {
  constexpr uint32_t kItems = 256;
  run.Grid({kItems}, {64});
  const auto in = run.random().IntegersBetween<int32_t>(kItems * 4, -1000000, 1000000);
  std::vector<int32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const size_t from = i / 64 * 64 + 63 - i % 64;
    for (size_t j = 0; j < 4; ++j) out.push_back(in[4 * from + j] + 1);
  }
  run.Out(out);
  run.In(in);
}

void WorkGroup(Run& run) {
  constexpr uint32_t kItems = 400;  // groups of 160, 160 and 80
  constexpr uint32_t kGroup = 160;
  run.Grid({kItems}, {kGroup});
  const auto in = run.random().IntegersBetween<int32_t>(kItems, -902, 1000);
  std::vector<int32_t> out;
  for (size_t begin = 0; begin < kItems; begin += kGroup) {
    const std::vector<int32_t> group(
        in.begin() + static_cast<ptrdiff_t>(begin),
        in.begin() + static_cast<ptrdiff_t>(std::min<size_t>(begin + kGroup, kItems)));
    const int32_t total = std::accumulate(group.begin(), group.end(), 0);
    const bool any = std::count(group.begin(), group.end(), 77) > 0;
    const bool all = *std::min_element(group.begin(), group.end()) > -900;
    int32_t sum = 0;
    int32_t highest = std::numeric_limits<int32_t>::min();
    for (const int32_t value : group) {
      sum += value;
      out.insert(out.end(), {total, sum, highest, any, all, group[3]});
      highest = std::max(highest, value);
    }
  }
  run.Out(out);
  run.In(in);
}

}  // namespace
}  // namespace lds_kernels

void AddLdsKernels(Suite& suite) {
  using namespace lds_kernels;
  const std::string source = "lds.cl";
  suite.Add({source, "lds_reverse", Reverse});
  suite.Add({source, "lds_reduce", Reduce});
  suite.Add({source, "lds_scan", Scan});
  suite.Add({source, "lds_transpose", Transpose});
  suite.Add({source, "lds_bitonic", Bitonic});
  suite.Add({source, "lds_widths", Widths});
  suite.Add({source, "lds_relax", Relax});
  suite.Add({source, "lds_sgemm", Sgemm});
  suite.Add({source, "lds_histogram", Histogram});
  suite.Add({source, "lds_dynamic", Dynamic});
  suite.Add({source, "lds_async_copy", AsyncCopy});
  suite.Add({source, "lds_work_group", WorkGroup});
}

}  // namespace gcnjit::kernel_tests
