// Patterns of lanes that are kept: which are found, when they are looked for again, which go.
#include "backend_x64/abi/permutation_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace gcnjit::backend {
namespace {

using CachedIndices = std::array<uint32_t, ir::kLanes>;

template <typename F>
CachedIndices MakeIndices(F f) {
  CachedIndices indices;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) indices[lane] = static_cast<uint32_t>(f(lane));
  return indices;
}

// ---- Patterns

// What a pattern has to say, worked out lane by lane.
void ExpectMeaning(const CachedPermutation& p, const CachedIndices& indices, uint32_t shift) {
  const auto bytes = [&](int lane) {
    return int64_t{static_cast<int32_t>(indices[lane] - indices[0])} * (1 << shift);
  };
  int64_t lowest = 0;
  int64_t highest = 0;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    lowest = std::min(lowest, bytes(lane));
    highest = std::max(highest, bytes(lane));
    EXPECT_EQ(p.offsets[lane], indices[lane] - indices[0]);
  }
  EXPECT_EQ(int64_t{static_cast<int32_t>(p.lowest)} * (1 << shift), lowest);
  const int64_t span = (highest - lowest) >> shift;
  EXPECT_EQ(p.most_unsigned, int64_t{UINT32_MAX} - span);
  EXPECT_EQ(p.most_signed, int64_t{INT32_MAX} - span);
  EXPECT_EQ(p.hits, 0u);
  int64_t reach = 0;
  for (int part = 0; part < 4; ++part) {
    int64_t begin = INT64_MAX;
    int last_of[32];
    std::fill_n(last_of, 32, -1);
    for (int lane = part * 16; lane < part * 16 + 16; ++lane) {
      begin = std::min(begin, bytes(lane) - lowest);
      ASSERT_LT(p.dword_of[lane], 32u);
      last_of[p.dword_of[lane]] = lane - part * 16;
      EXPECT_EQ(p.begin[part] + 4 * int64_t{p.dword_of[lane]}, bytes(lane) - lowest) << lane;
    }
    EXPECT_EQ(p.begin[part], begin);
    reach = std::max(reach, begin + 31 * 4);
    for (int dword = 0; dword < 32; ++dword) {
      const bool is_written = (p.is_written[part][dword / 16] >> dword % 16 & 1) != 0;
      EXPECT_EQ(is_written, last_of[dword] >= 0) << dword;
      if (!is_written) continue;
      EXPECT_EQ(static_cast<int>(p.lane_of[part][dword / 16][dword % 16]), last_of[dword]);
    }
  }
  EXPECT_EQ(p.reach, reach);
}

bool IsPattern(const CachedIndices& indices, uint32_t shift) {
  if (shift > 4) return false;
  const auto of = [&](int lane) {
    return int64_t{static_cast<int32_t>(indices[lane] - indices[0])};
  };
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if (std::abs(of(lane)) > 1 << 20) return false;
    for (int other = lane & -16; other < (lane & -16) + 16; ++other) {
      const int64_t bytes = (of(lane) - of(other)) * (1 << shift);
      if (bytes % 4 != 0 || bytes >= 32 * 4) return false;
    }
  }
  return true;
}

void CheckPattern(const CachedIndices& indices, uint32_t shift, bool expected) {
  ASSERT_EQ(IsPattern(indices, shift), expected);
  CachedPermutation pattern;
  std::memset(static_cast<void*>(&pattern), 0xCD, sizeof pattern);
  ASSERT_EQ(MakePermutation(indices, shift, pattern), expected);
  if (expected) ExpectMeaning(pattern, indices, shift);
}

TEST(PermutationCache, HaveTheirLanes) {
  for (uint32_t shift = 0; shift <= 4; ++shift) {
    const uint32_t dword = shift >= 2 ? 1 : 4u >> shift;  // as an index
    const uint32_t dwords = shift >= 2 ? 1u << (shift - 2) : 1;
    for (const uint32_t first : {0u, 1000u, 0x7FFFFFF0u, 0xFFFFFFFFu}) {
      const auto check = [&](bool expected, auto f) {
        CheckPattern(MakeIndices([&](uint32_t lane) { return first + f(lane) * dword; }), shift,
                     expected);
      };
      check(true, [](uint32_t) { return 0; });
      check(15 * dwords < 32, [](uint32_t lane) { return lane; });
      check(15 * dwords < 32, [](uint32_t lane) { return 63 - lane; });
      check(30 * dwords < 32, [](uint32_t lane) { return 2 * lane; });
      check(30 * dwords < 32, [](uint32_t lane) { return 0u - 2 * lane; });
      check(false, [](uint32_t lane) { return 3 * lane; });
      // Permuted, in rows with gaps, in rows that lie backwards.
      check(15 * dwords < 32, [](uint32_t lane) { return (lane & 48) + lane * 7 % 16; });
      check(31 * dwords < 32, [](uint32_t lane) { return lane / 16 * 999 + lane * 11 % 32; });
      check(15 * dwords < 32, [](uint32_t lane) { return lane % 16 - lane / 16 * 5000; });
      // Several lanes of a part, and of several parts, are one dword.
      check(7 * dwords < 32, [](uint32_t lane) { return lane % 8; });
      check(3 * dwords < 32, [](uint32_t lane) { return lane / 4 % 4 + lane / 32 * 2; });
      for (const uint32_t odd : {0u, 5u, 16u, 63u}) {
        // As far as there may be, and one farther.
        const uint32_t most = 31 / dwords;
        check(true, [=](uint32_t lane) { return lane == odd ? most : 0; });
        check(false, [=](uint32_t lane) { return lane == odd ? most + 1 : 0; });
        check(false, [=](uint32_t lane) { return lane == odd ? 0u - most - 1 : 0; });
      }
    }
    for (const uint32_t less : {1u, 2u, 3u}) {
      // No whole number of dwords, within a part; between parts it does not matter.
      const bool whole = (less << shift) % 4 == 0;
      CheckPattern(MakeIndices([=](uint32_t lane) { return lane == 20 ? less : 0; }), shift, whole);
      CheckPattern(MakeIndices([=](uint32_t lane) { return lane / 16 * less; }), shift, true);
    }
    for (const uint32_t far : {1u << 20, (1u << 20) + 1, 0u - (1u << 20), 0u - (1u << 20) - 1,
                               0x40000000u, 0x80000000u}) {
      const bool expected = far == 1u << 20 || far == 0u - (1u << 20);
      CheckPattern(MakeIndices([=](uint32_t lane) { return lane / 48 * far; }), shift, expected);
    }
    // The farthest on both sides.
    CheckPattern(MakeIndices([](uint32_t lane) {
                   return lane / 16 == 1 ? 1u << 20 : lane / 16 == 2 ? 0u - (1u << 20) : 0;
                 }),
                 shift, true);
  }
  CheckPattern(MakeIndices([](uint32_t) { return 0; }), 5, false);
}

TEST(PermutationCache, OfRandomLanes) {
  std::mt19937 random(1);
  for (int run = 0; run < 2000; ++run) {
    const auto shift = static_cast<uint32_t>(random() % 5);
    const uint32_t dword = shift >= 2 ? 1 : 4u >> shift;
    const uint32_t most = shift >= 2 ? 32u >> (shift - 2) : 32;
    const auto first = static_cast<uint32_t>(random());
    uint32_t rows[4];
    for (uint32_t& row : rows) row = static_cast<uint32_t>(random() % (1 << 18));
    CheckPattern(MakeIndices([&](uint32_t lane) {
                   return first + rows[lane / 16] + static_cast<uint32_t>(random() % most) * dword;
                 }),
                 shift, true);
    if (HasFailure()) return;
  }
}

// ---- When they are looked for

TEST(PermutationCacheUpdates, LookEverMoreSeldom) {
  PermutationCache store;
  store.Resize(2);
  PermutationSlot& slot = store.slots()[1];
  EXPECT_EQ(slot.pattern, nullptr);
  EXPECT_EQ(slot.misses_left, PermutationSlot::kLeastPatience);
  uint32_t patience = PermutationSlot::kLeastPatience;
  for (int n = 0; n < 30; ++n) {
    const CachedIndices indices =
        MakeIndices([&](uint32_t lane) { return 2 * lane + (lane == 63) * n; });
    store.Learn(slot, indices, 2);
    patience = std::min(patience * 2, 1u << 20);
    EXPECT_EQ(slot.patience, patience);
    EXPECT_EQ(slot.misses_left, patience);
    ASSERT_NE(slot.pattern, nullptr);
    EXPECT_EQ(slot.pattern->offsets[63], n < 2 ? indices[63] : 127);
  }
  EXPECT_EQ(store.slots()[0].pattern, nullptr);
  // As many hits as misses are not worth it; more are.
  slot.pattern->hits = patience;
  store.Learn(slot, MakeIndices([](uint32_t) { return 0; }), 2);
  EXPECT_EQ(slot.patience, patience);
  slot.pattern->hits = patience + 1;
  store.Learn(slot, MakeIndices([](uint32_t) { return 7; }), 2);
  EXPECT_EQ(slot.patience, PermutationSlot::kLeastPatience);
  EXPECT_EQ(slot.misses_left, PermutationSlot::kLeastPatience);
  EXPECT_EQ(slot.pattern->hits, 0u);
}

// What is learnt takes the place of what was known; what is no pattern leaves it alone.
TEST(PermutationCacheUpdates, ReplacePatterns) {
  PermutationCache store;
  store.Resize(1);
  PermutationSlot& slot = store.slots()[0];
  const CachedIndices far = MakeIndices([](uint32_t lane) { return lane << 16; });
  store.Learn(slot, far, 2);
  EXPECT_EQ(slot.pattern, nullptr);
  store.Learn(slot, MakeIndices([](uint32_t lane) { return lane * 2; }), 2);
  CachedPermutation* const pattern = slot.pattern;
  ASSERT_NE(pattern, nullptr);
  store.Learn(slot, far, 2);
  EXPECT_EQ(slot.pattern, pattern);
  EXPECT_EQ(pattern->offsets[1], 2u);
  store.Learn(slot, MakeIndices([](uint32_t lane) { return 0 - lane; }), 2);
  EXPECT_EQ(slot.pattern, pattern);
  EXPECT_EQ(pattern->offsets[1], ~0u);
  store.Clear();
  store.Resize(1);
  EXPECT_EQ(store.slots()[0].pattern, nullptr);
}

// A pattern that was good once does not excuse disorder for ever.
TEST(PermutationCacheUpdates, LookMoreSeldomAgain) {
  PermutationCache store;
  store.Resize(1);
  PermutationSlot& slot = store.slots()[0];
  store.Learn(slot, MakeIndices([](uint32_t lane) { return lane * 2; }), 2);
  slot.pattern->hits = 1000;
  uint32_t patience = PermutationSlot::kLeastPatience;
  for (int n = 0; n < 10; ++n) {
    store.Learn(slot, MakeIndices([](uint32_t lane) { return lane << 16; }), 2);
    EXPECT_EQ(slot.patience, patience);
    patience *= 2;
  }
}

TEST(PermutationCacheUpdates, KeepNoMoreThanEnough) {
  PermutationCache store;
  store.Resize(600);
  for (int n = 0; n < 600; ++n) {
    store.Learn(store.slots()[n], MakeIndices([](uint32_t lane) { return lane * 2; }), 2);
    EXPECT_EQ(store.slots()[n].pattern != nullptr, n < 512);
  }
}

}  // namespace
}  // namespace gcnjit::backend
