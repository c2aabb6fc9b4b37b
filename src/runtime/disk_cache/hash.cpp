#include "runtime/disk_cache/hash.h"

#include <fmt/format.h>

// All of it is compiled in, so that libhsa-runtime64.so.1 needs no other library for it.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gcnjit::runtime {

std::string Hash128::Hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Hash128 HashOf(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

}  // namespace gcnjit::runtime
