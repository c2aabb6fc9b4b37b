// References of rows.cl. Each wave's work-items go on together, iteration by iteration: what they
// store may meet within a wave, and nowhere else.
#include "harness.h"

namespace gcnjit::kernel_tests {
namespace rows_kernels {
namespace {

struct Size {
  uint32_t items, local;
  uint32_t length, pitch;
};
// The last ones' rows meet; a wave is all that there is then.
constexpr Size kSizes[] = {{200, 64, 33, 33}, {130, 128, 256, 256}, {64, 64, 600, 601},
                           {96, 32, 40, 48},  {64, 64, 50, 20},     {40, 64, 30, 3}};

std::string NameOf(const char* kernel, const Size& size) {
  return std::string(kernel) + "_" + std::to_string(size.items) + "_" +
         std::to_string(size.length) + "_" + std::to_string(size.pitch);
}

void SetGrid(Run& run, const Size& size) {
  run.Grid({(size.items + size.local - 1) / size.local * size.local}, {size.local});
}

void AddSizes(Run& run, const Size& size) {
  run.Value(static_cast<int32_t>(size.length));
  run.Value(static_cast<int32_t>(size.items));
  run.Value(static_cast<int32_t>(size.pitch));
}

size_t ElementsOf(const Size& size) { return size_t{size.items + 1} * size.pitch + size.length; }

// `next` of the element's place and its iteration, for all items of a wave before the next
// iteration.
template <typename F>
void ForEach(const Size& size, uint32_t iterations, const F& next) {
  const uint32_t wave = std::min(size.local, 64u);
  for (uint32_t first = 0; first < size.items; first += wave) {
    for (uint32_t k = 0; k < iterations; ++k) {
      for (uint32_t i = first; i < std::min(first + wave, size.items); ++i) next(i, k);
    }
  }
}

void Prefix(Run& run, const Size& size) {
  SetGrid(run, size);
  const auto in = run.random().Integers<uint32_t>(ElementsOf(size));
  const auto out = run.random().Integers<uint32_t>(ElementsOf(size));
  std::vector<uint32_t> expected = out;
  std::vector<uint32_t> sums(size.items);
  ForEach(size, size.length, [&](uint32_t i, uint32_t k) {
    sums[i] = sums[i] * 3 + in[i * size.pitch + k];
    expected[i * size.pitch + k] = sums[i];
  });
  run.InOut(out, expected);
  run.In(in);
  AddSizes(run, size);
}

// A row's elements but the first, or, backwards, but the last.
void InPlace(Run& run, const Size& size, bool backwards) {
  SetGrid(run, size);
  const auto in = run.random().Integers<uint32_t>(ElementsOf(size));
  const auto a = run.random().Integers<uint32_t>(ElementsOf(size));
  std::vector<uint32_t> expected = a;
  // Within an iteration all are loaded before any is stored.
  const uint32_t wave = std::min(size.local, 64u);
  for (uint32_t first = 0; first < size.items; first += wave) {
    const uint32_t end = std::min(first + wave, size.items);
    for (uint32_t n = 1; n < size.length; ++n) {
      const std::vector<uint32_t> before = expected;
      for (uint32_t i = first; i < end; ++i) {
        const uint32_t at = i * size.pitch + (backwards ? size.length - 1 - n : n);
        expected[at] = backwards ? before[at] ^ before[at + 1] * 7 ^ in[at]
                                 : before[at] * 5 + before[at - 1] + in[at];
      }
    }
  }
  run.InOut(a, expected);
  run.In(in);
  AddSizes(run, size);
}

void Thirds(Run& run, const Size& size) {
  SetGrid(run, size);
  const auto in = run.random().Integers<uint32_t>(ElementsOf(size));
  const auto a = run.random().Integers<uint32_t>(ElementsOf(size));
  std::vector<uint32_t> expected = a;
  // Rows that meet do so in other iterations, at places that are three apart or more: a lane's
  // load and store do not depend on the order of lanes.
  ForEach(size, size.length - 3, [&](uint32_t i, uint32_t k) {
    const uint32_t at = i * size.pitch + k + 3;
    expected[at] = expected[at - 3] * 3 + in[at];
  });
  run.InOut(a, expected);
  run.In(in);
  AddSizes(run, size);
}

void Bytes(Run& run, const Size& size) {
  SetGrid(run, size);
  const auto in = run.random().Integers<uint8_t>(ElementsOf(size));
  std::vector<uint8_t> out(ElementsOf(size));
  std::vector<uint16_t> wide(ElementsOf(size));
  std::vector<uint8_t> expected = out;
  std::vector<uint16_t> expected_wide = wide;
  std::vector<uint32_t> sums(size.items);
  for (uint32_t i = 0; i < size.items; ++i) sums[i] = i;
  ForEach(size, size.length, [&](uint32_t i, uint32_t k) {
    sums[i] += in[i * size.pitch + k];
    expected[i * size.pitch + k] = static_cast<uint8_t>(sums[i] >> 1);
    expected_wide[i * size.pitch + k] = static_cast<uint16_t>(sums[i] * 3);
  });
  run.InOut(out, expected);
  run.InOut(wide, expected_wide);
  run.In(in);
  AddSizes(run, size);
}

// One wave: the next wave's first row would be written while this one's last reads it.
void FromNext(Run& run, const Size& size) {
  SetGrid(run, size);
  const auto a = run.random().Integers<uint32_t>(ElementsOf(size));
  std::vector<uint32_t> expected = a;
  for (uint32_t k = 0; k < size.length; ++k) {
    const std::vector<uint32_t> before = expected;
    for (uint32_t i = 0; i < size.items; ++i) {
      expected[i * size.pitch + k] = before[(i + 1) * size.pitch + k] * 3 + k;
    }
  }
  run.InOut(a, expected);
  AddSizes(run, size);
}

void Columns(Run& run, uint32_t width, uint32_t local, uint32_t length) {
  run.Grid({(width + local - 1) / local * local}, {local});
  std::vector<double> in;
  for (const uint32_t bits : run.random().Integers<uint32_t>(size_t{width} * length)) {
    in.push_back(bits % 1024);
  }
  std::vector<double> expected(in.size());
  for (uint32_t i = 0; i < width; ++i) {
    double sum = 0;
    for (uint32_t k = 0; k < length; ++k) expected[k * width + i] = sum += in[k * width + i];
  }
  run.Out(expected);
  run.In(in);
  run.Value(static_cast<int32_t>(length));
  run.Value(static_cast<int32_t>(width));
}

}  // namespace
}  // namespace rows_kernels

void AddRowsKernels(Suite& suite) {
  using namespace rows_kernels;
  const auto add = [&](const char* kernel, const Size& size, auto prepare) {
    suite.Add({"rows.cl", kernel, [=](Run& run) { prepare(run, size); }, NameOf(kernel, size)});
  };
  for (const Size& size : kSizes) {
    add("prefix_of_rows", size, Prefix);
    add("rows_in_place", size, [](Run& run, const Size& s) { InPlace(run, s, false); });
    add("rows_backwards", size, [](Run& run, const Size& s) { InPlace(run, s, true); });
    if (size.pitch > 3) add("rows_of_thirds", size, Thirds);
    add("rows_of_bytes", size, Bytes);
    if (size.items <= 64) add("rows_from_next", size, FromNext);
  }
  for (const uint32_t local : {32u, 64u, 256u}) {
    suite.Add({"rows.cl", "prefix_of_columns", [=](Run& run) { Columns(run, 300, local, 40); },
               "prefix_of_columns_" + std::to_string(local)});
  }
}

}  // namespace gcnjit::kernel_tests
