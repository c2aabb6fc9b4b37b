// References of sums.cl.
#include "harness.h"

namespace gcnjit::kernel_tests {
namespace sums_kernels {
namespace {

// Small whole numbers: sums and products of them are exact.
template <typename T>
std::vector<T> Small(Run& run, size_t count) {
  std::vector<T> values;
  for (const uint32_t bits : run.random().Integers<uint32_t>(count))
    values.push_back(static_cast<T>(bits % 16));
  return values;
}

struct Size {
  uint32_t items, local;
  int32_t iterations;
};
constexpr Size kSizes[] = {{256, 64, 5}, {200, 128, 1}, {1000, 256, 33}, {64, 64, 700}};

std::string NameOf(const char* kernel, const Size& size) {
  return std::string(kernel) + "_" + std::to_string(size.items) + "_" +
         std::to_string(size.iterations);
}

// Each work-item's element, `iterations` times what `next` makes of it.
template <typename T, typename F>
void AddColumns(Suite& suite, const char* kernel, bool by_rows, const F& next) {
  for (const Size& size : kSizes) {
    suite.Add({"sums.cl", kernel,
               [=](Run& run) {
                 const uint32_t items = (size.items + size.local - 1) / size.local * size.local;
                 run.Grid({items}, {size.local});
                 const auto n = static_cast<uint32_t>(size.iterations);
                 const std::vector<T> in = Small<T>(run, size_t{size.items} * n);
                 const std::vector<T> out = Small<T>(run, size.items);
                 std::vector<T> expected = out;
                 for (uint32_t i = 0; i < size.items; ++i) {
                   for (uint32_t k = 0; k < n; ++k) {
                     const uint32_t at = by_rows ? i * n + k : k * size.items + i;
                     expected[i] = next(expected[i], in[at], k);
                   }
                 }
                 run.InOut(out, expected);
                 run.In(in);
                 run.Value(size.iterations);
                 run.Value(static_cast<int32_t>(size.items));
               },
               NameOf(kernel, size)});
  }
}

void Products(Run& run, uint32_t n, uint32_t local) {
  const uint32_t items = (n + local - 1) / local * local;
  run.Grid({items, items}, {local, 64 / local});
  const std::vector<float> a = Small<float>(run, size_t{n} * n);
  const std::vector<float> b = Small<float>(run, size_t{n} * n);
  const std::vector<float> c = Small<float>(run, size_t{n} * n);
  std::vector<float> expected = c;
  for (uint32_t y = 0; y < n; ++y) {
    for (uint32_t x = 0; x < n; ++x) {
      expected[y * n + x] *= 0.5f;
      for (uint32_t k = 0; k < n; ++k) expected[y * n + x] += 2 * a[y * n + k] * b[k * n + x];
    }
  }
  run.InOut(c, expected);
  run.In(a);
  run.In(b);
  run.Value(static_cast<int32_t>(n));
}

void Itself(Run& run, const Size& size) {
  run.Grid({size.items}, {size.local});
  const auto n = static_cast<uint32_t>(size.iterations);
  const std::vector<uint32_t> out = run.random().Integers<uint32_t>(size.items * 2);
  std::vector<uint32_t> from = run.random().Integers<uint32_t>(size_t{size.items} * n);
  std::vector<uint32_t> expected = out;
  for (uint32_t i = 0; i < size.items; ++i) {
    for (uint32_t k = 0; k < n; ++k) {
      uint32_t& at = from[k * size.items + i];
      at = at % 3 == 0 ? i : size.items + at % size.items;
      expected[i] += expected[at] * 3 + 1;
    }
  }
  run.InOut(out, expected);
  run.In(from);
  run.Value(size.iterations);
  run.Value(static_cast<int32_t>(size.items));
}

void Pairs(Run& run, const Size& size) {
  run.Grid({size.items}, {size.local});
  const auto n = static_cast<uint32_t>(size.iterations);
  std::vector<uint32_t> in = run.random().Integers<uint32_t>(size_t{size.items} * n);
  for (size_t at = 0; at < in.size(); at += 2) in[at] = in[at + 1];  // else it would be a race
  std::vector<uint32_t> expected(size.items / 2);
  for (uint32_t i = 1; i < size.items; i += 2) {
    for (uint32_t k = 0; k < n; ++k) expected[i / 2] += in[k * size.items + i];
  }
  run.Out(expected);
  run.In(in);
  run.Value(size.iterations);
  run.Value(static_cast<int32_t>(size.items));
}

void Others(Run& run, const Size& size) {
  constexpr uint32_t kHeight = 3;
  run.Grid({size.items, kHeight}, {64, 1});
  const auto n = static_cast<uint32_t>(size.iterations);
  const uint32_t sums = size.items * kHeight;
  const auto out = run.random().Integers<uint32_t>(sums + size.items + n);
  const auto in = run.random().Integers<uint32_t>(size.items + n);
  const auto factors = run.random().Integers<uint32_t>(kHeight * n);
  std::vector<uint32_t> expected = out;
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < size.items; ++x) {
      for (uint32_t k = 0; k < n; ++k) {
        const uint32_t from = x % 64 < 40 ? in[x + k] : out[sums + x + k];
        expected[y * size.items + x] += from * factors[y * n + k];
      }
    }
  }
  run.InOut(out, expected);
  run.In(in);
  run.In(factors);
  run.Value(size.iterations);
  run.Value(static_cast<int32_t>(size.items));
}

}  // namespace
}  // namespace sums_kernels

void AddSumsKernels(Suite& suite) {
  using namespace sums_kernels;
  const auto plus = [](auto sum, auto in, uint32_t) { return sum + in; };
  AddColumns<float>(suite, "sum_of_column", /*by_rows=*/false, plus);
  AddColumns<double>(suite, "sum_f64", /*by_rows=*/false, plus);
  AddColumns<uint8_t>(
      suite, "sum_of_bytes", /*by_rows=*/false,
      [](uint8_t sum, uint8_t in, uint32_t) { return static_cast<uint8_t>(sum * 3 + in); });
  AddColumns<uint32_t>(suite, "sum_of_row", /*by_rows=*/true,
                       [](uint32_t sum, uint32_t in, uint32_t k) { return sum + (in ^ k); });
  for (const uint32_t local : {8u, 16u, 32u, 64u}) {
    suite.Add({"sums.cl", "sum_of_products", [=](Run& run) { Products(run, 50, local); },
               "sum_of_products_" + std::to_string(local)});
  }
  for (const Size& size : {Size{256, 64, 5}, Size{512, 128, 40}}) {
    suite.Add({"sums.cl", "sum_of_itself", [=](Run& run) { Itself(run, size); },
               NameOf("sum_of_itself", size)});
    suite.Add({"sums.cl", "sum_of_others", [=](Run& run) { Others(run, size); },
               NameOf("sum_of_others", size)});
    suite.Add({"sums.cl", "sum_of_pairs", [=](Run& run) { Pairs(run, size); },
               NameOf("sum_of_pairs", size)});
  }
}

}  // namespace gcnjit::kernel_tests
