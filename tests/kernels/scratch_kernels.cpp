// References of scratch.cl.
#include <algorithm>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace scratch_kernels {
namespace {

constexpr uint32_t kItems = 200;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};

void Index(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < kItems; ++i) {
    std::array<uint32_t, 32> a{};
    for (uint32_t j = 0; j < 32; ++j) a[j] = in[i] * j + i;
    for (uint32_t j = 0; j < 64; ++j) a[(i * 5 + j * 3) % 32] += a[(in[i] + j * 7) % 32] ^ j;
    uint32_t sum = 0;
    for (const uint32_t value : a) sum = sum * 31 + value;
    out.push_back(sum);
  }
  run.Out(out);
  run.In(in);
}

void Sort(Run& run) {
  constexpr int32_t kCount = 40;
  run.Grid({128}, kLocal);
  const auto in = run.random().Integers<int16_t>(128 * kCount);
  auto out = in;
  for (auto it = out.begin(); it != out.end(); it += kCount) std::sort(it, it + kCount);
  run.Out(out);
  run.In(in);
  run.Value(kCount);
}

void Mixed(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<double> out;
  for (const uint32_t v : in) {
    // Computed on demand instead of stored.
    const auto byte = [v](uint32_t j, uint32_t k) -> double {
      if (j == (v & 1) && k == (v >> 3) % 11) return 200;
      return static_cast<uint8_t>(v >> k);
    };
    const auto word = [v](uint32_t j, uint32_t k) -> double {
      if (j == ((v >> 1) & 1) && k == (v >> 4) % 7) return -300;
      return static_cast<int16_t>(v >> (2 * k + j));
    };
    const auto vector_z = [v](uint32_t j, uint32_t k) -> double {
      return j == ((v >> 2) & 1) && k == v % 3 ? 5 : j;
    };
    double sum = 0;  // every term is a multiple of 1/4 far below 2^50: exact
    for (uint32_t j = 0; j < 12; ++j) {
      const uint32_t at = v * (j + 1) >> 5;
      const uint32_t which = at & 1;
      sum += byte(which, at % 11) + word(which, at % 7) + (v & 0xffff) * 0.25 + at % 5 * which +
             static_cast<int8_t>(v >> (3 * (at % 5)));
      sum += static_cast<double>((uint64_t{v} << (10 * (at % 3))) & 0xfffffff) +
             (v & 255) * vector_z(which, at % 3);
    }
    out.push_back(sum);
  }
  run.Out(out);
  run.In(in);
}

void Large(Run& run) {
  run.Grid({128}, kLocal);
  const auto in = run.random().IntegersBetween<uint32_t>(128, 0, 100000);
  std::vector<uint32_t> out;
  for (const uint32_t v : in) {
    std::vector<uint32_t> a(1500);
    for (uint32_t j = 0; j < 1500; ++j) {
      const uint32_t value = j % 4 == 0 ? j ^ v : j % 2 == 1 ? j + v : j * 3;
      a[(j * 7 + v) % 1500] = value;
    }
    uint32_t sum = a[0] + a[1499] * 3 + a[1100] * 5;
    for (uint32_t j = 0; j < 40; ++j) sum = sum * 33 + a[(v + j * 61) % 1500];
    out.push_back(sum);
  }
  run.Out(out);
  run.In(in);
}

void Stack(Run& run) {
  run.Grid({96}, kLocal);
  const auto in = run.random().EdgyIntegers<uint32_t>(96 * 32);
  auto out = in;
  for (auto it = out.begin(); it != out.end(); it += 32) std::sort(it, it + 32);
  run.Out(out);
  run.In(in);
}

uint32_t SumOfMultiples(uint32_t seed, uint32_t count, uint32_t start) {
  for (uint32_t j = 1; j <= count; ++j) start = start * 7 + seed * j;
  return start;
}

void Calls(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<uint32_t> out;
  for (const uint32_t v : in) {
    uint32_t seed = v;
    uint32_t r = SumOfMultiples(seed, v % 8 + 2, 5);
    if ((v & 8) != 0) {
      const uint32_t first = SumOfMultiples(v + 1, 6, 1);
      seed = first;
      r += SumOfMultiples(first, 9, first) ^ SumOfMultiples(v + 1, 6, 2);
    }
    for (uint32_t j = 0; j < v % 4; ++j) r = SumOfMultiples(seed, 3 + j, r);
    out.push_back(r);
  }
  run.Out(out);
  run.In(in);
}

void ManyArguments(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().IntegersBetween<int32_t>(kItems, -1000000, 1000000);
  std::vector<int64_t> out;
  for (const int32_t v : in) {
    const int64_t x = v + 1;
    const int64_t y = v ^ 3;
    int64_t r = v + int64_t{v} * (1 << 20) * 3 + v / 2 + x * 12 + y * 24 + int64_t{v} * 34 +
                static_cast<int16_t>(v) * 19 + static_cast<int8_t>(v >> 4) * 23 + int64_t{v} * 29 +
                (int64_t{v} + 9) * 31;
    if ((v & 1) != 0) {
      r ^= 1 + 6 + 3 + int64_t{v} * 12 + 4 * 24 + 6 * 17 + 7 * 19 + 8 * 23 + 9 * 60;
    }
    out.push_back(r);
  }
  run.Out(out);
  run.In(in);
}

void GenericPointers(Run& run) {
  constexpr uint32_t kCount = 192;
  run.Grid({kCount}, kLocal);
  const auto in = run.random().IntegersBetween<int32_t>(kCount, 0, 1000);
  std::vector<int32_t> out;
  for (size_t i = 0; i < kCount; ++i) {
    const int32_t v = in[i];
    const size_t group = i / 64 * 64;
    int32_t kind = 2;
    int32_t sum = 0;
    for (int32_t j = 0; j < 4; ++j) {
      const auto step = static_cast<size_t>(j);
      int32_t value = 0;
      switch (v % 4) {
        case 0: value = v * ((v / 4) % 4 + j); break;
        case 1:
          value = in[group + i % 64 / 16 * 16 + step] + 1;
          kind = 1;
          break;
        case 2:
          value = in[i / 16 * 16 + step];
          kind = 3;
          break;
        default: value = v * j; break;
      }
      sum = sum * 3 + value;
    }
    const bool to_private = (v & 8) != 0;
    out.push_back(sum + (to_private ? sum : v));
    out.push_back(to_private ? kind : sum);
  }
  run.Out(out);
  run.In(in);
}

void FlatPlace(Run& run, uint32_t local) {
  const uint32_t count = 5 * local;
  run.Grid({count}, {local});
  const auto in = run.random().Integers<uint32_t>(count);
  std::vector<uint32_t> out;
  for (const uint32_t v : in)
    out.push_back(4 + 12 + 20 + ((v & 1) != 0 ? 1 : (v & 2) != 0 ? 5 : 3));
  run.Out(out);
  run.In(in);
}

}  // namespace
}  // namespace scratch_kernels

void AddScratchKernels(Suite& suite) {
  using namespace scratch_kernels;
  const std::string source = "scratch.cl";
  suite.Add({source, "private_index", Index});
  suite.Add({source, "private_sort", Sort});
  suite.Add({source, "private_mixed", Mixed});
  suite.Add({source, "private_large", Large});
  suite.Add({source, "private_stack", Stack});
  suite.Add({source, "private_calls", Calls});
  suite.Add({source, "private_many_arguments", ManyArguments});
  suite.Add({source, "generic_pointers", GenericPointers, {}, kFlatTargets});
  for (const uint32_t local : {32u, 64u, 100u, 256u}) {
    suite.Add({source, "flat_place", [local](Run& run) { FlatPlace(run, local); },
               "flat_place_" + std::to_string(local), kFlatTargets});
  }
}

}  // namespace gcnjit::kernel_tests
