// References of guards.cl.
#include <functional>
#include <limits>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace guards_kernels {
namespace {

constexpr uint32_t kUntouched = 0xABCDEF01;

// `passes`: of a work-item's id. A row of groups whose last one, or first one, fits in part only.
void OneDimension(Run& run, uint32_t items, uint32_t local,
                  const std::function<bool(uint32_t)>& passes) {
  run.Grid({items}, {local});
  const auto in = run.random().Integers<uint32_t>(items);
  std::vector<uint32_t> out(items, kUntouched);
  std::vector<uint32_t> expected = out;
  for (uint32_t i = 0; i < items; ++i) {
    if (passes(i)) expected[i] = in[i] * 3 + i;
  }
  run.InOut(out, expected);
  run.In(in);
}

struct Size {
  uint32_t items;
  uint32_t local;
};
constexpr Size kSizes[] = {{1280, 256}, {1000, 128}, {300, 192}};

std::string NameOf(const char* kernel, Size size, int64_t n) {
  const auto bits = static_cast<uint64_t>(n);  // the least number has no opposite
  return std::string(kernel) + "_" + std::to_string(size.items) + "_" + std::to_string(size.local) +
         "_" + (n < 0 ? "minus_" : "") + std::to_string(n < 0 ? 0 - bits : bits);
}

// A kernel with one number, which is given as a T.
template <typename T>
void AddBound(Suite& suite, const char* kernel, bool (*passes)(int64_t id, int64_t n)) {
  constexpr int64_t kMost = std::numeric_limits<T>::max();
  constexpr int64_t kLeast = std::numeric_limits<T>::min();
  for (const Size size : kSizes) {
    const int64_t items = size.items;
    const int64_t local = size.local;
    for (const int64_t n : {int64_t{0}, int64_t{1}, local - 1, local, local + 1, items - local,
                            items - 1, items, items + 1, kMost, kMost - 1, kLeast, kLeast + 1}) {
      suite.Add({"guards.cl", kernel,
                 [=](Run& run) {
                   OneDimension(run, size.items, size.local,
                                [=](uint32_t id) { return passes(id, n); });
                   run.Value(static_cast<T>(n));
                 },
                 NameOf(kernel, size, n)});
    }
  }
}

// Of a kernel that adds `by` to the id before it looks.
template <typename T>
void AddMoved(Suite& suite, const char* kernel, bool (*passes)(uint32_t id, T n, T by)) {
  constexpr Size kSize = {1280, 256};
  int number = 0;
  const T most = std::numeric_limits<T>::max();
  const T least = std::numeric_limits<T>::min();
  for (const T n : {T{0}, T{100}, T{1280}, most, least}) {
    for (const T by : {T{0}, T{5}, static_cast<T>(-5), static_cast<T>(-700), most, least,
                       static_cast<T>(most - 600), static_cast<T>(least + 600)}) {
      suite.Add({"guards.cl", kernel,
                 [=](Run& run) {
                   OneDimension(run, kSize.items, kSize.local,
                                [=](uint32_t id) { return passes(id, n, by); });
                   run.Value(n);
                   run.Value(by);
                 },
                 std::string(kernel) + "_" + std::to_string(number++)});
    }
  }
}

void AddTwoDimensions(Suite& suite) {
  struct Shape {
    uint32_t local[2];
    int32_t width, height;
  };
  constexpr uint32_t kWidth = 192;
  constexpr uint32_t kHeight = 16;
  // Has the border results, of an item alone? And what is within it, of an item or of neighbours?
  struct Kind {
    const char* kernel;
    bool border, has_neighbours;
  };
  for (const Kind kind : {Kind{"guard_2d", true, false}, Kind{"guard_2d_inside", false, true},
                          Kind{"guard_2d_border", true, true}}) {
    int number = 0;
    for (const Shape shape :
         {Shape{{64, 4}, 192, 16}, Shape{{64, 4}, 190, 15}, Shape{{16, 16}, 100, 16},
          Shape{{32, 8}, 192, 1}, Shape{{64, 1}, 65, 9}, Shape{{8, 8}, 0, 16}}) {
      suite.Add({"guards.cl", kind.kernel,
                 [=](Run& run) {
                   run.Grid({kWidth, kHeight}, {shape.local[0], shape.local[1]});
                   const auto in = run.random().Integers<uint32_t>(kWidth * kHeight);
                   std::vector<uint32_t> out(kWidth * kHeight, kUntouched);
                   std::vector<uint32_t> expected = out;
                   for (int32_t y = 0; y < shape.height; ++y) {
                     for (int32_t x = 0; x < shape.width; ++x) {
                       const auto i = static_cast<uint32_t>(y) * kWidth + static_cast<uint32_t>(x);
                       const bool on_border =
                           x == 0 || y == 0 || x == shape.width - 1 || y == shape.height - 1;
                       if (on_border && !kind.border) continue;
                       expected[i] = on_border || !kind.has_neighbours
                                         ? in[i] * 3 + i
                                         : in[i - 1] + in[i + 1] + in[i - kWidth] + in[i + kWidth];
                     }
                   }
                   run.InOut(out, expected);
                   run.In(in);
                   run.Value(shape.width);
                   run.Value(shape.height);
                 },
                 std::string(kind.kernel) + "_" + std::to_string(number++)});
    }
  }
}

void ByData(Run& run) {
  constexpr uint32_t kItems = 1280;
  constexpr int32_t kBound = 1111;
  run.Grid({kItems}, {256});
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<uint32_t> out(kItems, kUntouched);
  std::vector<uint32_t> expected = out;
  for (uint32_t i = 0; i < kBound; ++i) {
    if ((in[i] & 1) != 0) expected[i] = in[i] * 3 + i;
  }
  run.InOut(out, expected);
  run.In(in);
  run.Value(kBound);
}

// The last neighbour is the buffer's last element, or that of another buffer's part.
void Neighbours(Run& run, Size size, int32_t n, int32_t before) {
  run.Grid({size.items}, {size.local});
  const auto in = run.random().Integers<uint32_t>(size.items);
  std::vector<uint32_t> out(size.items, kUntouched);
  std::vector<uint32_t> expected = out;
  for (int32_t i = before; i < n - 1; ++i) {
    const auto at = static_cast<uint32_t>(i);
    expected[at] = in[at] * 3 + in[at + 1] + (before != 0 ? in[at - 1] * 5 : 0);
  }
  run.InOut(out, expected);
  run.In(in);
  run.Value(n);
}

void AddNeighbours(Suite& suite) {
  for (const Size size : kSizes) {
    for (const uint32_t n : {size.items, size.items - 1, size.items - 40, size.local + 1, 2u}) {
      for (const int32_t before : {0, 1}) {
        const char* const kernel = before == 0 ? "guard_pairs" : "guard_triples";
        suite.Add({"guards.cl", kernel,
                   [=](Run& run) { Neighbours(run, size, static_cast<int32_t>(n), before); },
                   NameOf(kernel, size, n)});
      }
    }
  }
}

}  // namespace
}  // namespace guards_kernels

void AddGuardsKernels(Suite& suite) {
  using namespace guards_kernels;
  const auto below = [](int64_t id, int64_t n) { return id < n; };
  AddBound<uint32_t>(suite, "guard_uint", below);
  AddBound<int32_t>(suite, "guard_int", below);
  AddBound<int32_t>(suite, "guard_int_up_to", [](int64_t id, int64_t n) { return id <= n; });
  // As an unsigned number, a negative one is beyond all ids.
  AddBound<int64_t>(suite, "guard_size", [](int64_t id, int64_t n) { return n < 0 || id < n; });
  AddBound<int64_t>(suite, "guard_long", below);
  AddBound<int32_t>(suite, "guard_early_return", below);
  AddBound<int32_t>(suite, "guard_inside", [](int64_t id, int64_t n) {
    return id > 0 && id < static_cast<int32_t>(static_cast<uint32_t>(n) - 1);
  });
  AddBound<uint32_t>(suite, "guard_from", [](int64_t id, int64_t n) { return id >= n; });
  AddBound<int32_t>(suite, "guard_above", [](int64_t id, int64_t n) { return id > n; });
  AddBound<int32_t>(suite, "guard_with_lds", below);
  AddMoved<int32_t>(suite, "guard_moved", [](uint32_t id, int32_t n, int32_t by) {
    const auto j = static_cast<int32_t>(id - static_cast<uint32_t>(by));
    return j >= 0 && j < n;
  });
  AddMoved<uint32_t>(suite, "guard_wrapping",
                     [](uint32_t id, uint32_t n, uint32_t by) { return id + by < n; });
  AddTwoDimensions(suite);
  AddNeighbours(suite);
  suite.Add({"guards.cl", "guard_by_data", ByData});
}

}  // namespace gcnjit::kernel_tests
