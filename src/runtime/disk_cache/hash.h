// Fingerprints of bytes: XXH3 of 128 bits. Against accidents, not against attackers: a user
// who may write to the cache's folder may run code as its owner anyway.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gcnjit::runtime {

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;

  std::string Hex() const;
};

Hash128 HashOf(std::span<const std::byte> bytes);

}  // namespace gcnjit::runtime
