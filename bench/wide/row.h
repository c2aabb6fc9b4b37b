// A line of the table of the wide benchmark: a kernel, its arguments in the order of its
// parameters, its grid, and the native loop that does the same and whose results are the right
// ones. Plain types alone: the files with the rows are compiled for the machine at hand, and must
// share no inline functions with code that is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace gcnjit::bench::wide {

using Half = _Float16;

// A number that depends on the size n of a row: (factor * n^power + before) / divisor * times
// + after.
struct Extent {
  size_t factor = 1;
  int power = 0;
  size_t before = 0;
  size_t divisor = 1;
  size_t times = 1;
  size_t after = 0;

  constexpr Extent() = default;
  constexpr Extent(int constant) : factor(static_cast<size_t>(constant)) {}
  constexpr size_t operator()(size_t n) const {
    size_t value = factor;
    for (int i = 0; i < power; ++i) value *= n;
    return (value + before) / divisor * times + after;
  }
  // Of what has not been added to; what has been divided only by a number.
  friend constexpr Extent operator*(Extent a, Extent b) {
    if (a.divisor != 1) {
      a.times *= b.factor;
      return a;
    }
    a.factor *= b.factor;
    a.power += b.power;
    return a;
  }
  // Once.
  friend constexpr Extent operator/(Extent a, size_t b) {
    a.divisor = b;
    a.before = a.after;
    a.after = 0;
    return a;
  }
  friend constexpr Extent operator+(Extent a, size_t b) {
    a.after += b;
    return a;
  }
};
// How many groups of so many there are in it, the last one perhaps in part.
constexpr Extent Groups(Extent items, size_t group) { return (items + (group - 1)) / group; }
inline constexpr Extent N = [] {
  Extent n;
  n.power = 1;
  return n;
}();

enum class Type { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF16, kF32, kF64 };
template <typename T>
inline constexpr Type kTypeOf = Type::kU8;
template <>
inline constexpr Type kTypeOf<int8_t> = Type::kI8;
template <>
inline constexpr Type kTypeOf<int16_t> = Type::kI16;
template <>
inline constexpr Type kTypeOf<uint16_t> = Type::kU16;
template <>
inline constexpr Type kTypeOf<int32_t> = Type::kI32;
template <>
inline constexpr Type kTypeOf<uint32_t> = Type::kU32;
template <>
inline constexpr Type kTypeOf<int64_t> = Type::kI64;
template <>
inline constexpr Type kTypeOf<uint64_t> = Type::kU64;
template <>
inline constexpr Type kTypeOf<Half> = Type::kF16;
template <>
inline constexpr Type kTypeOf<float> = Type::kF32;
template <>
inline constexpr Type kTypeOf<double> = Type::kF64;

// Writes an array's contents. `seed`: another one for each array.
using Fill = void (*)(void* data, size_t count, size_t n, size_t seed);

enum class Role { kNone, kIn, kOut, kInOut, kInteger, kReal };
struct Argument {
  Role role = Role::kNone;
  Type type = Type::kU8;
  Extent extent;        // how many elements; of kInteger: its value
  double real = 0;      // of kReal: its value
  Fill fill = nullptr;  // of kIn and kInOut
};

// An argument as a native function gets it: a pointer or a number.
struct Value {
  alignas(8) unsigned char bytes[8] = {};
};
using NativeFunction = void (*)(const Value* values);

struct Grid {
  Extent items[3];  // rounded up to whole groups: kernels have guards
  uint32_t local[3];
};
constexpr Grid Items(Extent x, uint32_t group) { return {{x, 1, 1}, {group, 1, 1}}; }
constexpr Grid Plane(Extent x, Extent y, uint32_t gx, uint32_t gy) {
  return {{x, y, 1}, {gx, gy, 1}};
}
constexpr Grid Space(Extent x, Extent y, Extent z, uint32_t gx, uint32_t gy, uint32_t gz) {
  return {{x, y, z}, {gx, gy, gz}};
}

struct Row {
  const char* name;  // of the kernel
  NativeFunction native;
  int sizes[3];  // n: small, cache, memory
  Grid grid;
  Argument arguments[14];
  // Of floating-point results, relative to the right one or to 1 where that is less; 0: the same
  // bits.
  double tolerance = 0;
};
struct Rows {
  const Row* rows;
  size_t count;
};
template <size_t kCount>
constexpr Rows RowsOf(const Row (&rows)[kCount]) {
  return {rows, kCount};
}

// A function with the kernel's parameters as a NativeFunction.
template <typename... Parameters, size_t... kIndex>
void Call(void (*function)(Parameters...), const Value* values, std::index_sequence<kIndex...>) {
  const auto get = [&]<typename T>(size_t index, T value) {
    std::memcpy(&value, values[index].bytes, sizeof value);
    return value;
  };
  function(get(kIndex, Parameters())...);
}
template <typename... Parameters>
constexpr std::index_sequence_for<Parameters...> IndicesOf(void (*)(Parameters...)) {
  return {};
}
template <auto kFunction>
inline constexpr NativeFunction Native =
    [](const Value* values) { Call(kFunction, values, IndicesOf(kFunction)); };

// Random numbers that are the same everywhere: a hash of the index.
inline uint64_t Hash(uint64_t index) {
  uint64_t x = (index + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// How to fill an array: element(i, n, random) is element i.
template <typename T, typename Element>
constexpr Fill FillWith(Element) {
  return [](void* data, size_t count, size_t n, size_t seed) {
    T* const to = static_cast<T*>(data);
    for (size_t i = 0; i < count; ++i) {
      to[i] = static_cast<T>(Element()(i, n, Hash(seed + i)));
    }
  };
}
// [-8, 7]: sums and products of many are exact in float, in any order.
inline constexpr auto Small = [](size_t, size_t, uint64_t r) {
  return static_cast<int>(r & 15) - 8;
};
inline constexpr auto Unit = [](size_t, size_t, uint64_t r) {
  return static_cast<double>(r >> 40) * 0x1p-24;
};
inline constexpr auto Bits = [](size_t, size_t, uint64_t r) { return r; };
inline constexpr auto Zero = [](size_t, size_t, uint64_t) { return 0; };
inline constexpr auto BelowN = [](size_t, size_t n, uint64_t r) { return r % n; };
// Where the rows of a sparse matrix begin, with kMean elements in each on average.
template <unsigned kMean>
inline constexpr auto Starts =
    [](size_t i, size_t n, uint64_t r) { return i < n ? i * kMean + r % kMean : n * kMean; };
template <unsigned kBound>
inline constexpr auto Below = [](size_t, size_t, uint64_t r) { return r % kBound; };

template <typename T, typename Element>
constexpr Argument In(Extent count, Element element) {
  return {Role::kIn, kTypeOf<T>, count, 0, FillWith<T>(element)};
}
template <typename T, typename Element>
constexpr Argument InOut(Extent count, Element element) {
  return {Role::kInOut, kTypeOf<T>, count, 0, FillWith<T>(element)};
}
template <typename T>
constexpr Argument Out(Extent count) {
  return {Role::kOut, kTypeOf<T>, count, 0, nullptr};
}
template <typename T = int>
constexpr Argument Number(Extent value) {
  return {Role::kInteger, kTypeOf<T>, value, 0, nullptr};
}
template <typename T = float>
constexpr Argument Real(T value) {
  return {Role::kReal, kTypeOf<T>, {}, value, nullptr};
}

}  // namespace gcnjit::bench::wide
