#include "runtime/jit/aperture_lanes.h"

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/interpreter/memory_segments.h"
#include "runtime/jit/slow_lanes.h"

namespace gcnjit::runtime {
namespace {

using backend::AccessBlock;
using backend::MemorySite;

constexpr uint32_t kLaneCount = backend::kMaxPartLanes;

// Where lanes' accesses are.
struct LaneOffsets {
  alignas(32) uint32_t of_lane[kLaneCount];  // in whatever segment
  uint32_t in_lds = 0;                       // lanes, active or not
  uint32_t in_scratch = 0;
};

// Eight lanes from lane `first` on: low and high dwords of their addresses.
void FindOffsets(const MemorySite& site, const AccessBlock& block, uint32_t first,
                 LaneOffsets& offsets) {
  const auto load = [](const uint32_t* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  };
  const __m256i before = load(block.low + first);
  const __m256i low = _mm256_add_epi32(before, _mm256_set1_epi32(site.imm));
  const __m256i no_carry = _mm256_cmpeq_epi32(_mm256_max_epu32(low, before), low);
  const __m256i carry = _mm256_add_epi32(no_carry, _mm256_set1_epi32(1));
  const __m256i of_sign = _mm256_set1_epi32(site.imm >> 31);
  const __m256i high = _mm256_add_epi32(_mm256_add_epi32(load(block.high + first), of_sign), carry);
  const auto lanes_in = [&](uint64_t aperture) {
    const __m256i wanted = _mm256_set1_epi32(static_cast<int>(aperture >> 32));
    const __m256i is_in = _mm256_cmpeq_epi32(high, wanted);
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(is_in))) << first;
  };
  _mm256_store_si256(reinterpret_cast<__m256i*>(offsets.of_lane + first), low);
  offsets.in_lds |= lanes_in(kSharedAperture);
  offsets.in_scratch |= lanes_in(kPrivateAperture);
}

// Of the active lanes.
struct Extremes {
  uint32_t least = ~0u;
  uint32_t most = 0;
  uint32_t set_bits = 0;  // in any of them
};
Extremes ExtremesOf(const uint32_t (&offsets)[kLaneCount], uint32_t mask) {
  Extremes extremes;
  for (uint32_t n = 0; n < kLaneCount; ++n) {  // without branches, for the compiler's vectors
    const uint32_t active = 0u - (mask >> n & 1);
    extremes.least = std::min(extremes.least, offsets[n] | ~active);
    extremes.most = std::max(extremes.most, offsets[n] & active);
    extremes.set_bits |= offsets[n] & active;
  }
  return extremes;
}

template <typename Access>
void EachActiveLane(const AccessBlock& block, const Access& access) {
  for (uint32_t left = block.mask; left != 0; left &= left - 1) {
    access(static_cast<uint32_t>(std::countr_zero(left)));
  }
}

// What a register has of `raw`, whose upper bytes are 0.
template <uint32_t kBytes>
uint32_t Loaded(const MemorySite& site, uint32_t raw) {
  if constexpr (kBytes < 4) {
    constexpr int kBits = 32 - static_cast<int>(kBytes) * 8;
    if (site.access.sign_extend) {
      return static_cast<uint32_t>(static_cast<int32_t>(raw << kBits) >> kBits);
    }
  }
  return raw;
}

template <uint32_t kBytes>
bool InLds(const Wave& w, const MemorySite& site, AccessBlock& block, LaneOffsets& offsets) {
  constexpr uint32_t kAlignment = std::min(kBytes, 4u);
  if (!frontend::Has(w.generation(), frontend::kUnalignedLds)) {
    for (uint32_t& offset : offsets.of_lane) offset &= ~(kAlignment - 1);
  }
  const uint32_t most = ExtremesOf(offsets.of_lane, block.mask).most;
  if (uint64_t{most} + kBytes > w.group.lds_bytes) return false;
  constexpr uint32_t kDwords = (kBytes + 3) / 4;
  EachActiveLane(block, [&](uint32_t n) {
    std::byte* const at = w.group.lds + offsets.of_lane[n];
    uint32_t raw[kDwords] = {};
    if (site.is_store) {
      for (uint32_t d = 0; d < kDwords; ++d) raw[d] = block.data[d][n];
      std::memcpy(at, raw, kBytes);
    } else {
      std::memcpy(raw, at, kBytes);
      for (uint32_t d = 0; d < kDwords; ++d) block.data[d][n] = Loaded<kBytes>(site, raw[d]);
    }
  });
  return true;
}

// What of a dword of scratch the access is to.
template <uint32_t kBytes>
void MoveDword(const MemorySite& site, uint32_t& data, std::byte* at) {
  constexpr uint32_t kMoved = std::min(kBytes, 4u);
  if (site.is_store) {
    std::memcpy(at, &data, kMoved);
  } else {
    uint32_t raw = 0;
    std::memcpy(&raw, at, kMoved);
    data = Loaded<kBytes>(site, raw);
  }
}

// A dword of each lane, in a row of scratch; `row`: the first lane's.
template <uint32_t kBytes>
void MoveRow(const MemorySite& site, AccessBlock& block, std::byte* row, uint32_t dword) {
  constexpr uint32_t kAll = (1u << kLaneCount) - 1;
  if (kBytes >= 4 && block.mask == kAll) {
    uint32_t* const data = block.data[dword];
    std::memcpy(site.is_store ? row : reinterpret_cast<std::byte*>(data),
                site.is_store ? reinterpret_cast<std::byte*>(data) : row, 4 * kLaneCount);
    return;
  }
  EachActiveLane(block,
                 [&](uint32_t n) { MoveDword<kBytes>(site, block.data[dword][n], row + n * 4); });
}

template <uint32_t kBytes>
bool InScratch(const Wave& w, const MemorySite& site, AccessBlock& block,
               const LaneOffsets& offsets) {
  constexpr uint32_t kAlignment = std::min(kBytes, 4u);
  constexpr uint32_t kDwords = (kBytes + 3) / 4;
  const ScratchWindow window = FlatScratchOf(w);
  const Extremes extremes = ExtremesOf(offsets.of_lane, block.mask);
  if (extremes.set_bits % kAlignment != 0) return false;
  if (uint64_t{extremes.most} + kBytes > window.bytes_per_lane) return false;
  const auto is_accessible = [&](uint64_t address, uint32_t bytes) {
    const GuestMemory& memory = *w.dispatch.memory;
    return site.is_store ? memory.Writable(address, bytes) : memory.Readable(address, bytes);
  };
  const auto first = static_cast<int>(block.first_lane);
  if (extremes.least == extremes.most) {  // rows of dwords
    bool is_row = true;
    const auto row = [&](uint32_t d) {
      return ScratchAddress(window, extremes.least + 4 * d, first);
    };
    for (uint32_t d = 0; d < kDwords; ++d) {
      is_row &= is_accessible(row(d) - extremes.least % 4, 4 * kLaneCount);
    }
    for (uint32_t d = 0; is_row && d < kDwords; ++d) {
      MoveRow<kBytes>(site, block, reinterpret_cast<std::byte*>(row(d)), d);
    }
    return is_row;
  }
  const auto at = [&](uint32_t n, uint32_t d) {
    return ScratchAddress(window, offsets.of_lane[n] + 4 * d, first + static_cast<int>(n));
  };
  bool is_in_memory = true;
  EachActiveLane(block, [&](uint32_t n) {
    for (uint32_t d = 0; d < kDwords; ++d) is_in_memory &= is_accessible(at(n, d), kAlignment);
  });
  if (!is_in_memory) return false;
  EachActiveLane(block, [&](uint32_t n) {
    for (uint32_t d = 0; d < kDwords; ++d) {
      MoveDword<kBytes>(site, block.data[d][n], reinterpret_cast<std::byte*>(at(n, d)));
    }
  });
  return true;
}

template <uint32_t kBytes>
bool AccessOf(const Wave& w, const MemorySite& site, AccessBlock& block) {
  LaneOffsets offsets;
  for (uint32_t first = 0; first < kLaneCount; first += 8) FindOffsets(site, block, first, offsets);
  if ((block.mask & ~offsets.in_scratch) == 0) return InScratch<kBytes>(w, site, block, offsets);
  return (block.mask & ~offsets.in_lds) == 0 && InLds<kBytes>(w, site, block, offsets);
}

}  // namespace

bool AccessAperture(const Wave& w, const MemorySite& site, AccessBlock& block) {
  switch (site.access.bytes) {
    case 1: return AccessOf<1>(w, site, block);
    case 2: return AccessOf<2>(w, site, block);
    case 4: return AccessOf<4>(w, site, block);
    case 8: return AccessOf<8>(w, site, block);
    case 12: return AccessOf<12>(w, site, block);
    default: return AccessOf<16>(w, site, block);
  }
}

}  // namespace gcnjit::runtime
