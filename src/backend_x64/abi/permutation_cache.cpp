#include "backend_x64/abi/permutation_cache.h"

#include <algorithm>

namespace gcnjit::backend {
namespace {

// Of indices, in either direction: further than any stride that is worth it, and sums stay small.
constexpr int32_t kMostDistance = 1 << 20;
constexpr int32_t kDwords = 2 * CachedPermutation::kPartLanes;
// Addresses in disorder are looked at ever more seldom.
constexpr uint32_t kMostPatience = 1 << 20;
// More than sites that are worth it in any program, and not much memory.
constexpr size_t kMostPatterns = 512;

}  // namespace

bool MakePermutation(const std::array<uint32_t, ir::kLanes>& indices, uint32_t shift,
                     CachedPermutation& pattern) {
  if (shift > CachedPermutation::kMostShift) return false;
  int32_t offsets[ir::kLanes];
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    pattern.offsets[lane] = indices[lane] - indices[0];
    offsets[lane] = static_cast<int32_t>(pattern.offsets[lane]);
    if (offsets[lane] > kMostDistance || offsets[lane] < -kMostDistance) return false;
  }
  const auto [least, most] = std::minmax_element(std::begin(offsets), std::end(offsets));
  const int32_t lowest = *least, highest = *most;
  const auto bytes = [&](int lane) { return (offsets[lane] - lowest) << shift; };
  pattern.hits = 0;
  pattern.reach = 0;
  for (int part = 0; part < CachedPermutation::kParts; ++part) {
    const int first = part * CachedPermutation::kPartLanes;
    const int end = first + CachedPermutation::kPartLanes;
    const int32_t begin = (*std::min_element(offsets + first, offsets + end) - lowest) << shift;
    pattern.begin[part] = begin;
    for (auto& lanes : pattern.lane_of[part]) std::fill(std::begin(lanes), std::end(lanes), 0);
    uint32_t is_written = 0;
    for (int lane = first; lane < end; ++lane) {
      const int32_t distance = bytes(lane) - begin;
      if (distance % 4 != 0 || distance / 4 >= kDwords) return false;
      const auto dword = static_cast<uint32_t>(distance / 4);
      pattern.dword_of[lane] = dword;
      pattern.lane_of[part][dword / 16][dword % 16] = static_cast<uint32_t>(lane - first);
      is_written |= 1u << dword;
    }
    pattern.is_written[part][0] = static_cast<uint16_t>(is_written);
    pattern.is_written[part][1] = static_cast<uint16_t>(is_written >> 16);
    pattern.reach = std::max(pattern.reach, static_cast<uint32_t>(begin + (kDwords - 1) * 4));
  }
  const auto span = static_cast<uint32_t>(highest - lowest);
  pattern.lowest = static_cast<uint32_t>(lowest);
  pattern.most_unsigned = UINT32_MAX - span;
  pattern.most_signed = INT32_MAX - static_cast<int32_t>(span);
  return true;
}

void PermutationCache::Clear() {
  slots_.clear();
  patterns_.clear();
}

void PermutationCache::Learn(PermutationSlot& slot, const std::array<uint32_t, ir::kLanes>& indices,
                             uint32_t shift) {
  const bool was_good = slot.pattern != nullptr && slot.pattern->hits > slot.patience;
  slot.patience =
      was_good ? PermutationSlot::kLeastPatience : std::min(slot.patience * 2, kMostPatience);
  slot.misses_left = slot.patience;
  if (slot.pattern != nullptr) slot.pattern->hits = 0;  // it has to be good again
  CachedPermutation pattern;
  if (!MakePermutation(indices, shift, pattern)) return;
  if (slot.pattern != nullptr) {
    *slot.pattern = pattern;
  } else if (patterns_.size() < kMostPatterns) {
    patterns_.push_back(std::make_unique<CachedPermutation>(pattern));
    slot.pattern = patterns_.back().get();
  }
}

}  // namespace gcnjit::backend
