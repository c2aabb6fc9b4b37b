// Fills registers and memory of test machines with random bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gcnjit {

// One number of `random` is the seed of all: a call of std::mt19937_64 for each dword takes most of
// a test's time where nothing is optimised.
template <typename Random, typename Range>
void FillRandom(Random& random, Range& range) {
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(range));
  uint64_t state = random();
  for (size_t at = 0; at < bytes.size(); at += sizeof state) {
    state += 0x9E3779B97F4A7C15;  // splitmix64
    uint64_t number = state;
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
    number = (number ^ number >> 27) * 0x94D049BB133111EB;
    number ^= number >> 31;
    std::memcpy(&bytes[at], &number, std::min(sizeof number, bytes.size() - at));
  }
}

}  // namespace gcnjit
