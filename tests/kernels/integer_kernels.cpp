// References of integer.cl: plain C++ integers, 128-bit where that is the simplest.
#include <algorithm>
#include <limits>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace integer_kernels {
namespace {

using Int128 = __int128;
using Uint128 = unsigned __int128;
constexpr uint32_t kItems = 300;  // a partial last group
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{128};

template <typename T>
T Saturate(Int128 value) {
  const Int128 low = std::numeric_limits<T>::min();
  const Int128 high = std::numeric_limits<T>::max();
  return static_cast<T>(std::clamp(value, low, high));
}

template <typename T>
T RotateLeft(T value, uint64_t by) {
  return std::rotl(value, static_cast<int>(by % (sizeof(T) * 8)));
}

// Runs a kernel(out, a, b) whose reference gives `per_item` words for each pair of inputs.
template <typename Word, typename Input, typename Function>
void Binary(Run& run, const std::vector<Input>& a, const std::vector<Input>& b, Function function) {
  run.Grid({static_cast<uint32_t>(a.size())}, kLocal);
  std::vector<Word> expected;
  for (size_t i = 0; i < a.size(); ++i) {
    for (const auto word : function(a[i], b[i])) expected.push_back(static_cast<Word>(word));
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
}

template <typename T>
std::pair<std::vector<T>, std::vector<T>> EdgyPair(Run& run) {
  auto a = run.random().EdgyIntegers<T>(kItems);
  auto b = run.random().EdgyIntegers<T>(kItems);
  return {a, b};
}

int32_t Low24Signed(uint32_t value) { return static_cast<int32_t>(value << 8) >> 8; }

void Arithmetic(Run& run) {
  const auto [a, b] = EdgyPair<uint32_t>(run);
  Binary<uint32_t>(run, a, b, [](uint32_t x, uint32_t y) {
    const int64_t sx = static_cast<int32_t>(x);
    const int64_t sy = static_cast<int32_t>(y);
    const uint64_t ux = x;
    const uint64_t uy = y;
    return std::array<int64_t, 16>{
        static_cast<int64_t>(ux + uy),
        static_cast<int64_t>(ux - uy),
        static_cast<int64_t>(ux * uy),
        static_cast<int64_t>((ux * uy) >> 32),
        (sx * sy) >> 32,
        static_cast<int64_t>((ux & 0xffffff) * (uy & 0xffffff) + ux),
        static_cast<int64_t>(Low24Signed(x)) * Low24Signed(y),
        static_cast<int64_t>(std::max(ux, uy) - std::min(ux, uy)),
        (std::max(sx, sy) >> 1) - (std::min(sx, sy) >> 1),
        static_cast<int64_t>((ux + uy) / 2),
        (sx + sy + 1) >> 1,
        static_cast<int64_t>(std::max(std::min(x, y), x ^ y)),
        std::min(std::max(sx, std::min<int64_t>(sy, 100)), std::max<int64_t>(sy, 100)),
        sx < 0 ? -sx : sx,
        static_cast<int64_t>(((ux * uy) >> 32) + ux),
        static_cast<int64_t>((ux + 3) * 5 - uy * 4)};
  });
}

void Saturating(Run& run) {
  // Inputs whose low 8, 16, 32 and 64 bits are all interesting.
  auto a = run.random().EdgyIntegers<uint64_t>(kItems);
  auto b = run.random().EdgyIntegers<uint64_t>(kItems);
  for (size_t i = 0; i < kItems; i += 3) {
    const auto word = run.random().EdgyIntegers<uint32_t>(2);
    a[i] = (a[i] & 0xffffffff00000000) | word[0];
    b[i] = (b[i] & 0xffffffff00000000) | word[1];
  }
  Binary<int64_t>(run, a, b, [](uint64_t x, uint64_t y) {
    const auto s8 = [](uint64_t v) { return Int128{static_cast<int8_t>(v)}; };
    const auto s16 = [](uint64_t v) { return Int128{static_cast<int16_t>(v)}; };
    const auto s32 = [](uint64_t v) { return Int128{static_cast<int32_t>(v)}; };
    const auto s64 = [](uint64_t v) { return Int128{static_cast<int64_t>(v)}; };
    const auto u8 = [](uint64_t v) { return Int128{static_cast<uint8_t>(v)}; };
    const auto u16 = [](uint64_t v) { return Int128{static_cast<uint16_t>(v)}; };
    const auto u32 = [](uint64_t v) { return Int128{static_cast<uint32_t>(v)}; };
    const auto u64 = [](uint64_t v) { return Int128{v}; };
    return std::array<int64_t, 14>{Saturate<int8_t>(s8(x) + s8(y)),
                                   Saturate<int8_t>(s8(x) - s8(y)),
                                   Saturate<uint8_t>(u8(x) + u8(y)),
                                   Saturate<uint16_t>(u16(x) - u16(y)),
                                   Saturate<int16_t>(s16(x) + s16(y)),
                                   Saturate<int32_t>(s32(x) + s32(y)),
                                   Saturate<int32_t>(s32(x) - s32(y)),
                                   Saturate<uint32_t>(u32(x) + u32(y)),
                                   Saturate<uint32_t>(u32(x) - u32(y)),
                                   Saturate<int64_t>(s64(x) + s64(y)),
                                   Saturate<int64_t>(s64(x) - s64(y)),
                                   static_cast<int64_t>(Saturate<uint64_t>(u64(x) + u64(y))),
                                   static_cast<int64_t>(Saturate<uint64_t>(u64(x) - u64(y))),
                                   Saturate<int32_t>(s32(x) * s32(y) + s32(x >> 32))};
  });
}

void BitOperations(Run& run) {
  const auto [a, b] = EdgyPair<uint32_t>(run);
  Binary<uint32_t>(run, a, b, [](uint32_t x, uint32_t y) {
    const uint32_t by = y % 32;
    uint32_t reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= ((x >> bit) & 1) << (31 - bit);
    uint32_t mixed = 0;
    for (int bit = 0; bit < 32; ++bit) {
      const uint32_t from = (0x00ff0ff0u >> bit) & 1 ? y : x;
      mixed |= from & (1u << bit);
    }
    const uint32_t swapped = (x << 24) | ((x & 0xff00) << 8) | ((x >> 8) & 0xff00) | (x >> 24);
    return std::array<uint32_t, 16>{
        x << by,
        x >> by,
        static_cast<uint32_t>(static_cast<int32_t>(x) >> by),
        RotateLeft(x, y),
        static_cast<uint32_t>(std::countl_zero(x)),
        static_cast<uint32_t>(std::popcount(x)),
        x == 0 ? 77 : static_cast<uint32_t>(std::countr_zero(x)),
        mixed,
        reversed,
        (x & y) ^ (x | ~y),
        (x / 32) % 128,
        static_cast<uint32_t>(static_cast<int32_t>(x << 9) >> 20),
        ((x & 0xffff) << 16) | (y & 0xffff),
        swapped,
        (x & 0xff00u) | (y & 0xffff00ffu),
        std::rotr(x, static_cast<int>(by)) +
            static_cast<uint32_t>(std::countl_zero(static_cast<uint16_t>(y)))};
  });
}

void Divide32(Run& run) {
  const auto [a, b] = EdgyPair<uint32_t>(run);
  Binary<uint32_t>(run, a, b, [](uint32_t x, uint32_t raw) {
    const uint32_t y = raw == 0 ? 3 : raw;
    const int64_t sx = static_cast<int32_t>(x);
    const int64_t sy = x == 0x80000000u && y == 0xffffffffu ? 7 : static_cast<int32_t>(y);
    const int64_t narrow = static_cast<int16_t>((sy & 0x7ff) | 1);
    return std::array<int64_t, 8>{
        x / y,    x % y,
        sx / sy,  sx % sy,
        x / 7,    sx % 1000,
        sx / -16, (x & 0xff) / ((y | 1) & 0xff) + static_cast<int16_t>(sx) / narrow};
  });
}

void Divide64(Run& run) {
  auto [a, b] = EdgyPair<uint64_t>(run);
  for (size_t i = 0; i < kItems; i += 2) b[i] >>= run.random().Between(0, 63);
  Binary<uint64_t>(run, a, b, [](uint64_t x, uint64_t raw) {
    const uint64_t y = raw == 0 ? 3 : raw;
    const Int128 sx = static_cast<int64_t>(x);
    const Int128 sy = x == uint64_t{1} << 63 && y == ~uint64_t{0} ? 7 : static_cast<int64_t>(y);
    return std::array<uint64_t, 8>{x / y,
                                   x % y,
                                   static_cast<uint64_t>(sx / sy),
                                   static_cast<uint64_t>(sx % sy),
                                   x / 1000000007,
                                   static_cast<uint64_t>(sx % 12345),
                                   x / ((y & 0xffffffff) | 1),
                                   static_cast<uint64_t>(sx / 64)};
  });
}

void LongArithmetic(Run& run) {
  const auto [a, b] = EdgyPair<uint64_t>(run);
  Binary<uint64_t>(run, a, b, [](uint64_t x, uint64_t y) {
    const Int128 sx = static_cast<int64_t>(x);
    const Int128 sy = static_cast<int64_t>(y);
    const Uint128 ux = x;
    const uint64_t by = y % 64;
    const int64_t sx32 = static_cast<int32_t>(x);
    const int64_t sy32 = static_cast<int32_t>(y);
    return std::array<uint64_t, 20>{x + y,
                                    x - y,
                                    x * y,
                                    static_cast<uint64_t>((ux * y) >> 64),
                                    static_cast<uint64_t>((sx * sy) >> 64),
                                    x << by,
                                    x >> by,
                                    static_cast<uint64_t>(sx >> by),
                                    RotateLeft(x, y),
                                    static_cast<uint64_t>(std::countl_zero(x)),
                                    static_cast<uint64_t>(std::popcount(x)),
                                    std::min(x, y),
                                    static_cast<uint64_t>(std::max(sx, sy)),
                                    std::max(x, y) - std::min(x, y),
                                    static_cast<uint64_t>((sx + sy) >> 1),
                                    uint64_t{x < y} + 2 * uint64_t{sx < sy} + 4 * uint64_t{x == y} +
                                        8 * uint64_t{sx >= sy} + 16 * uint64_t{x > y} +
                                        32 * uint64_t{x != y},
                                    (x & 0xffffffff) * (y & 0xffffffff) + x,
                                    static_cast<uint64_t>(sx32 * sy32) - y,
                                    ((x & y) | (~x & (y >> 3))) ^ (x << 7),
                                    static_cast<uint64_t>(std::countr_zero(x))};
  });
}

void Narrow(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a8 = run.random().EdgyIntegers<int8_t>(kItems * 4);
  const auto a16 = run.random().EdgyIntegers<int16_t>(kItems * 2);
  std::vector<int8_t> out8;
  std::vector<int16_t> out16;
  std::vector<uint8_t> sums;
  for (size_t i = 0; i < kItems; ++i) {
    const int x = a8[4 * i], y = a8[4 * i + 1], z = a8[4 * i + 2], w = a8[4 * i + 3];
    const int s = a16[2 * i], t = a16[2 * i + 1];
    for (const int value : {x + y, y * z, z >> 2, w - x}) {
      out8.push_back(static_cast<int8_t>(value));
    }
    out16.push_back(static_cast<int16_t>(s * t - x));
    out16.push_back(static_cast<int16_t>(s * 8 - w));
    const unsigned sum =
        (static_cast<uint8_t>(x) + static_cast<uint8_t>(y) + static_cast<uint8_t>(s >> 8)) & 0xffu;
    sums.push_back(static_cast<uint8_t>(sum / 2));
  }
  run.Out(out8);
  run.Out(out16);
  run.Out(sums);
  run.In(a8);
  run.In(a16);
}

void CompareSelect(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().EdgyIntegers<int32_t>(kItems * 4);
  auto b = run.random().EdgyIntegers<int32_t>(kItems * 4);
  for (size_t i = 0; i < b.size(); i += 5) b[i] = a[i];
  for (size_t i = 0; i < 40; ++i) b[i] |= std::numeric_limits<int32_t>::min();
  std::vector<int32_t> expected;
  for (size_t i = 0; i < kItems; ++i) {
    bool any_large = false;
    bool all_negative = true;
    for (size_t j = 4 * i; j < 4 * i + 4; ++j) {
      any_large |= a[j] > 1000000000;
      all_negative &= b[j] < 0;
    }
    for (size_t j = 4 * i; j < 4 * i + 4; ++j) {
      uint32_t r = static_cast<uint32_t>(std::max(a[j], b[j]));
      if (a[j] == b[j]) r -= 3;  // true is -1 in a vector comparison
      if (any_large) r ^= 0x55;
      if (all_negative) r = ~r;
      if (static_cast<uint32_t>(a[j]) < static_cast<uint32_t>(b[j])) r += 16;
      expected.push_back(static_cast<int32_t>(r));
    }
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
}

void Shuffle(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Integers<uint8_t>(kItems * 16);
  const auto masks = run.random().Integers<uint8_t>(kItems * 16);
  std::vector<uint8_t> expected;
  for (size_t i = 0; i < kItems; ++i) {
    const uint8_t* v = &a[16 * i];
    uint8_t both[32];
    for (size_t j = 0; j < 16; ++j) both[j] = v[j];
    for (size_t j = 0; j < 16; ++j) both[16 + j] = v[15 - j];
    const uint8_t* w = both + 16;
    for (size_t j = 0; j < 16; ++j) expected.push_back(both[masks[16 * i + j] % 32]);
    const uint8_t first[16] = {v[0], v[2], v[4], v[6], v[8], v[10], v[12], v[14],
                               v[1], v[3], v[5], v[7], v[9], v[11], v[13], v[15]};
    const uint8_t second[16] = {w[8], w[9], w[10], w[11], v[4], v[5], v[6], v[7],
                                w[0], w[2], w[4],  w[6],  v[1], v[3], v[5], v[7]};
    for (size_t j = 0; j < 16; ++j) expected.push_back(static_cast<uint8_t>(first[j] + second[j]));
  }
  run.Out(expected);
  run.In(a);
  run.In(masks);
}

void Wide(Run& run) {
  run.Grid(kGlobal, kLocal);
  auto a = run.random().EdgyIntegers<uint32_t>(kItems * 4);
  auto b = run.random().EdgyIntegers<uint32_t>(kItems * 4);
  for (size_t i = 0; i < 20; ++i) a[i] = ~uint32_t{0};
  b[0] = 1;
  b[1] = b[2] = b[3] = 0;
  const auto load = [](const std::vector<uint32_t>& words, size_t i) {
    Uint128 value = 0;
    for (size_t j = 4; j-- > 0;) value = (value << 32) | words[4 * i + j];
    return value;
  };
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < kItems; ++i) {
    for (Uint128 value : {load(a, i) + load(b, i), load(a, i) * load(b, i)}) {
      for (int j = 0; j < 4; ++j, value >>= 32) expected.push_back(static_cast<uint32_t>(value));
    }
  }
  run.Out(expected);
  run.In(a);
  run.In(b);
}

}  // namespace
}  // namespace integer_kernels

void AddIntegerKernels(Suite& suite) {
  using namespace integer_kernels;
  const std::string source = "integer.cl";
  suite.Add({source, "int_arithmetic", Arithmetic});
  suite.Add({source, "int_saturating", Saturating});
  suite.Add({source, "int_bits", BitOperations});
  suite.Add({source, "int_divide32", Divide32});
  suite.Add({source, "int_divide64", Divide64});
  suite.Add({source, "long_arithmetic", LongArithmetic});
  suite.Add({source, "int_narrow", Narrow});
  suite.Add({source, "int_compare_select", CompareSelect});
  suite.Add({source, "int_shuffle", Shuffle});
  suite.Add({source, "int_wide", Wide});
}

}  // namespace gcnjit::kernel_tests
