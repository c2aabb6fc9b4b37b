#include "differential/values.h"

#include <bit>

namespace gcnjit::differential {
namespace {

// Zeros, ones, small and large numbers, halves (ties of rounding), limits of conversions,
// denormals, infinities, quiet and signalling NaNs with payloads; each with both signs somewhere.
constexpr uint32_t kF32[] = {
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x40200000, 0xC0200000,
    0x40490FDB, 0x42C80000, 0x3F7FFFFF, 0x3F800001, 0x34000000, 0x4B000001, 0x4EFFFFFF, 0x4F000000,
    0xCF000000, 0x4F7FFFFF, 0x4F800000, 0x477FE000, 0x47800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000,
    0x80800000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00400000, 0x387FC000, 0x33800000, 0x7F800000,
    0xFF800000, 0x7FC00000, 0xFFC12345, 0x7FFFFFFF, 0x7F800001, 0xFFA00000, 0x7FBFFFFF, 0x1F800000,
};
constexpr uint64_t kF64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000,
    0x3FE0000000000000, 0xC004000000000000, 0x400921FB54442D18, 0x3FEFFFFFFFFFFFFF,
    0x3FF0000000000001, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000,
    0x41EFFFFFFFE00000, 0x41F0000000000000, 0x4330000000000001, 0x47EFFFFFE0000000,
    0x47EFFFFFF0000000, 0x380FFFFFC0000000, 0x36A0000000000000, 0x7FEFFFFFFFFFFFFF,
    0xFFEFFFFFFFFFFFFF, 0x0010000000000000, 0x8010000000000000, 0x0000000000000001,
    0x800FFFFFFFFFFFFF, 0x000FFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000,
    0x7FF8000000000000, 0xFFF8123456789ABC, 0x7FF0000000000001, 0xFFF4000000000000,
};
constexpr uint16_t kF16[] = {
    0x0000, 0x8000, 0x3C00, 0xBC00, 0x3800, 0xB800, 0x4100, 0xC100, 0x4248, 0x5640, 0x3BFF,
    0x3C01, 0x1400, 0x6401, 0x77FF, 0x7800, 0xF800, 0x7BFF, 0xFBFF, 0x0400, 0x8400, 0x0001,
    0x8001, 0x03FF, 0x83FF, 0x7C00, 0xFC00, 0x7E00, 0xFE12, 0x7FFF, 0x7C01, 0xFD00,
};
constexpr uint32_t kIntegers[] = {
    0,          1,          2,          3,          31,         32,         33,         63,
    64,         0x7F,       0x80,       0xFF,       0x100,      0x7FFF,     0x8000,     0xFFFF,
    0x10000,    0x7FFFFF,   0x800000,   0xFFFFFF,   0x1000000,  0x7FFFFFFF, 0x80000000, 0x80000001,
    0xFFFFFFFF, 0xFFFFFFFE, 0xFFFF8000, 0xFFFF7FFF, 0xFFFFFF80, 0xAAAAAAAA, 0x55555555, 0x00FF00FF,
    0x80008000, 0x7FFF8000, 0x01020304, 0xFFFF0000,
};

}  // namespace

std::span<const uint32_t> SpecialF32() { return kF32; }
std::span<const uint64_t> SpecialF64() { return kF64; }
std::span<const uint16_t> SpecialF16() { return kF16; }
std::span<const uint32_t> SpecialIntegers() { return kIntegers; }

ValueKind RandomKind(Random& random) {
  constexpr int kWeights[] = {15, 20, 15, 25, 10, 15, 10};
  static_assert(std::size(kWeights) == static_cast<size_t>(ValueKind::kCount));
  return static_cast<ValueKind>(random.Weighted(kWeights));
}

uint32_t RandomValue(Random& random, ValueKind kind) {
  switch (kind) {
    case ValueKind::kInteger: return random.Pick(kIntegers);
    case ValueKind::kSmall: return random.Below(70) - 4;
    case ValueKind::kF32: return random.Pick(kF32);
    case ValueKind::kF32Near:  // numbers that meet: sums, products and differences stay ordinary
      return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(random.Word())) *
                                     0x1p-26f);
    case ValueKind::kF16: return random.Pick(kF16) | static_cast<uint32_t>(random.Pick(kF16)) << 16;
    case ValueKind::kF64: return static_cast<uint32_t>(random.Pick(kF64) >> 32);
    case ValueKind::kRandom:
    case ValueKind::kCount: break;
  }
  return random.Word();
}

uint64_t RandomF64(Random& random) {
  if (random.Percent(70)) return random.Pick(kF64);
  const auto integer = static_cast<int64_t>(random.Next());
  return std::bit_cast<uint64_t>(static_cast<double>(integer) * 0x1p-58);
}

}  // namespace gcnjit::differential
