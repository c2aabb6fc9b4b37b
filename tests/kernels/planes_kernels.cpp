// References of planes.cl.
#include <functional>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace planes_kernels {
namespace {

struct Size {
  uint32_t width, height;
  uint32_t local_x, local_y;
  uint32_t pitch, out_pitch;  // elements
};
// Rows of 8 to 64 lanes, whole groups and not; rows that meet, and planes that end with memory.
constexpr Size kSizes[] = {{40, 19, 8, 8, 44, 40},     {70, 33, 16, 16, 80, 71},
                           {100, 21, 32, 8, 103, 128}, {64, 16, 32, 2, 68, 64},
                           {150, 9, 64, 4, 160, 150},  {48, 12, 16, 4, 1000, 48},
                           {200, 3, 128, 2, 204, 200}, {33, 40, 16, 16, 3, 40}};

std::string NameOf(const char* kernel, const Size& size) {
  return std::string(kernel) + "_" + std::to_string(size.width) + "x" +
         std::to_string(size.height) + "_" + std::to_string(size.local_x) + "x" +
         std::to_string(size.local_y);
}

uint32_t RoundUp(uint32_t number, uint32_t to) { return (number + to - 1) / to * to; }

void SetGrid(Run& run, const Size& size) {
  run.Grid({RoundUp(size.width, size.local_x), RoundUp(size.height, size.local_y)},
           {size.local_x, size.local_y});
}

// `result` of the plane's rows, from `rows` of them and `columns` of their elements on.
template <typename T>
void Plane(Run& run, const Size& size, uint32_t rows, uint32_t columns,
           const std::function<T(const T* at, uint32_t x, uint32_t y)>& result) {
  SetGrid(run, size);
  const size_t elements = size_t{size.height + rows - 2} * size.pitch + size.width + columns - 1;
  const auto in = run.random().Integers<T>(elements);
  const auto out = run.random().Integers<T>(size_t{size.height} * size.out_pitch);
  std::vector<T> expected = out;
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      expected[y * size.out_pitch + x] = result(in.data() + y * size.pitch + x, x, y);
    }
  }
  run.InOut(out, expected);
  run.In(in);
  run.Value(static_cast<int32_t>(size.pitch));
  run.Value(static_cast<int32_t>(size.out_pitch));
}

void AddBounds(Run& run, const Size& size) {
  run.Value(static_cast<int32_t>(size.width));
  run.Value(static_cast<int32_t>(size.height));
}

template <typename T>
void Elements(Run& run, const Size& size) {
  Plane<T>(run, size, 1, 1,
           [](const T* at, uint32_t, uint32_t y) { return static_cast<T>(*at * 3 + y); });
  AddBounds(run, size);
}

// Four dwords an element.
void Vectors(Run& run, const Size& size) {
  SetGrid(run, size);
  const auto in =
      run.random().Integers<uint32_t>(4 * (size_t{size.height - 1} * size.pitch + size.width));
  const auto out = run.random().Integers<uint32_t>(4 * size_t{size.height} * size.out_pitch);
  std::vector<uint32_t> expected = out;
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t n = 0; n < 4 * size.width; ++n) {
      expected[4 * y * size.out_pitch + n] = in[4 * y * size.pitch + n] * 3 + y;
    }
  }
  run.InOut(out, expected);
  run.In(in);
  run.Value(static_cast<int32_t>(size.pitch));
  run.Value(static_cast<int32_t>(size.out_pitch));
  AddBounds(run, size);
}

constexpr uint32_t kFactors[] = {3, 5, 7, 1};

template <typename T>
void Neighbours(Run& run, const Size& size, uint32_t count) {
  Plane<T>(run, size, 1, count, [count](const T* at, uint32_t, uint32_t) {
    uint32_t sum = at[count - 1];
    for (uint32_t n = 0; n + 1 < count; ++n) sum += at[n] * kFactors[n];
    return static_cast<T>(sum);
  });
}

void Nine(Run& run, const Size& size) {
  Plane<uint32_t>(run, size, 3, 3, [&size](const uint32_t* at, uint32_t, uint32_t) {
    constexpr uint32_t kPrimes[] = {3, 5, 7, 11, 13, 17, 19, 23, 29};
    uint32_t sum = 0;
    for (uint32_t n = 0; n < 9; ++n) sum += at[n / 3 * size.pitch + n % 3] * kPrimes[n];
    return sum;
  });
  AddBounds(run, size);
}

void UpsideDown(Run& run, const Size& size) {
  Plane<uint32_t>(run, size, 1, 1, [&size](const uint32_t* at, uint32_t, uint32_t y) {
    const int32_t up = static_cast<int32_t>(size.height) - 1 - 2 * static_cast<int32_t>(y);
    return at[up * static_cast<int32_t>(size.pitch)] * 3 + y;
  });
  AddBounds(run, size);
}

}  // namespace
}  // namespace planes_kernels

void AddPlanesKernels(Suite& suite) {
  using namespace planes_kernels;
  const auto add = [&](const char* kernel, const Size& size, auto prepare) {
    suite.Add({"planes.cl", kernel, [=](Run& run) { prepare(run, size); }, NameOf(kernel, size)});
  };
  const auto add_neighbours = [&]<typename T>(const char* kernel, const Size& size, uint32_t count,
                                              bool has_bounds, T) {
    add(kernel, size, [=](Run& run, const Size& s) {
      Neighbours<T>(run, s, count);
      if (has_bounds) AddBounds(run, s);
    });
  };
  for (const Size& size : kSizes) {
    add("plane_of_bytes", size, Elements<uint8_t>);
    add("plane_of_words", size, Elements<uint16_t>);
    add("plane_of_dwords", size, Elements<uint32_t>);
    add("plane_of_quadwords", size, Elements<uint64_t>);
    add("plane_of_vectors", size, Vectors);
    add_neighbours("two_bytes", size, 2, true, uint8_t{});
    add_neighbours("two_dwords", size, 2, true, uint32_t{});
    add_neighbours("three_dwords", size, 3, true, uint32_t{});
    add_neighbours("four_dwords", size, 4, true, uint32_t{});
    add("nine_dwords", size, Nine);
    add("upside_down", size, UpsideDown);
    add_neighbours("unsigned_plane", size, 2, true, uint32_t{});
    if (size.width % size.local_x == 0 && size.height % size.local_y == 0) {
      add_neighbours("whole_plane", size, 2, false, uint32_t{});
    }
  }
}

}  // namespace gcnjit::kernel_tests
