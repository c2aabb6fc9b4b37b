// Values at which instructions tend to differ, and random registers made of them.
#pragma once

#include <cstdint>
#include <span>

#include "differential/random.h"

namespace gcnjit::differential {

std::span<const uint32_t> SpecialF32();
std::span<const uint64_t> SpecialF64();
std::span<const uint16_t> SpecialF16();
std::span<const uint32_t> SpecialIntegers();

// What a register holds.
enum class ValueKind : uint8_t { kRandom, kInteger, kSmall, kF32, kF32Near, kF16, kF64, kCount };

ValueKind RandomKind(Random& random);
// kF64 gives the high dword; its low dword is random or 0.
uint32_t RandomValue(Random& random, ValueKind kind);
uint64_t RandomF64(Random& random);

}  // namespace gcnjit::differential
