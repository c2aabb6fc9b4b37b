// Accesses that compiled code permutes as their lanes last lay (isa/avx512/permutation_cache.cpp).
#include "tests/unit/backend_x64/isa/avx512/permuted_access.h"

namespace gcnjit::backend {
namespace {

constexpr uint64_t kFirstByte = GuestPages::kBegin;
constexpr uint64_t kPastLastByte = GuestPages::kBegin + GuestPages::kSize;

// Distances from the first lane in dwords, or in indices where `scale` is 1.
template <typename F>
LaneIndices MakeIndices(uint32_t first, uint32_t scale, F f) {
  LaneIndices indices;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    indices[lane] = first + (static_cast<uint32_t>(f(lane)) - static_cast<uint32_t>(f(0u))) * scale;
  }
  return indices;
}

template <typename F>
void ForAllLearnedForms(F f) {
  if (!HostHas(HostIsa::kAvx512)) GTEST_SKIP() << "AVX2 looks at each part";
  for (const bool is_store : {false, true}) {
    for (const bool is_signed : {false, true}) {
      for (const uint8_t shift : {uint8_t{0}, uint8_t{1}, uint8_t{2}}) {
        for (const int32_t imm : {0, 4, -8, 4095, -4096}) {
          for (const bool is_second : {false, true}) {
            if (is_second && imm != 0) continue;
            f(LearnedForm{is_store, is_signed, shift, imm, is_second});
            if (::testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

uint32_t Twice(uint32_t lane) { return lane * 2; }
uint32_t Backwards(uint32_t lane) { return 63 - lane; }
uint32_t Mixed(uint32_t lane) { return lane / 16 * 100 + lane * 11 % 32; }
uint32_t RowsBackwards(uint32_t lane) { return lane % 16 + (3 - lane / 16) * 40; }
// Lanes of a part, and of different parts, share dwords.
uint32_t Alike(uint32_t lane) { return lane * 5 % 8 + lane / 16 * 3; }
uint32_t AlikeBackwards(uint32_t lane) { return (63 - lane) / 3; }
constexpr uint32_t (*kPatterns[])(uint32_t) = {Twice,         Backwards, Mixed,
                                               RowsBackwards, Alike,     AlikeBackwards};

TEST(PermutedAccesses, AreLearnt) {
  ForAllLearnedForms([](const LearnedForm& form) {
    LearnedAccess access(form);
    for (const auto& f : kPatterns) {
      for (const uint32_t first : {1000u, 0x7FFF0000u}) {
        ASSERT_TRUE(access.Learn(MakeIndices(first, form.dword(), f)));
      }
    }
    // Parts may lie at any distance: no whole number of dwords, and overlapping.
    for (const uint32_t apart : {1u, 33u, 0u - 7u}) {
      ASSERT_TRUE(access.Learn(MakeIndices(1000, 1, [&](uint32_t lane) {
        return lane % 16 * 2 * form.dword() + lane / 16 * apart;
      })));
    }
  });
}

TEST(PermutedAccesses, ThatLieOtherwise) {
  ForAllLearnedForms([](const LearnedForm& form) {
    if (form.imm > 0 || form.is_second) return;
    LearnedAccess access(form);
    for (const auto& f : {Twice, Mixed, AlikeBackwards}) {
      const LaneIndices indices = MakeIndices(1000, form.dword(), f);
      for (size_t lane = 0; lane < ir::kLanes; ++lane) {
        for (const uint32_t by : {form.dword(), 0u - form.dword(), 1u}) {
          ASSERT_TRUE(access.Run(indices, kMiddleOfMemory) || access.Learn(indices));
          LaneIndices moved = indices;
          moved[lane] += by;
          EXPECT_FALSE(access.Run(moved, kMiddleOfMemory)) << "lane " << lane;
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  });
}

// All that the pattern moves has to be in the window; its lanes alone may be.
TEST(PermutedAccesses, AtTheEndsOfMemory) {
  ForAllLearnedForms([](const LearnedForm& form) {
    LearnedAccess access(form);
    for (const auto& f : kPatterns) {
      const LaneIndices indices = MakeIndices(0x100000, form.dword(), f);
      ASSERT_TRUE(access.Learn(indices));
      const uint64_t reach = access.slot().pattern->reach;
      int64_t lowest = 0;
      int64_t highest = 0;
      for (const uint32_t index : indices) {
        const int64_t bytes = int64_t{static_cast<int32_t>(index - indices[0])} << form.shift;
        lowest = std::min(lowest, bytes);
        highest = std::max(highest, bytes);
      }
      const auto check = [&](uint64_t from) {
        ASSERT_TRUE(access.Run(indices, kMiddleOfMemory) || access.Learn(indices));
        const uint64_t end = from + static_cast<uint64_t>(highest - lowest) + 4;
        EXPECT_EQ(access.Run(indices, from - static_cast<uint64_t>(lowest)),
                  from >= kFirstByte && from + reach + 4 <= kPastLastByte);
        EXPECT_EQ(access.faulted(), from < kFirstByte || end > kPastLastByte);
      };
      for (const uint64_t near : {0, 1, 4, 0 - 1, 0 - 4, 0 - 200}) {
        check(kFirstByte + near);
        check(kPastLastByte - reach - 4 + near);
        check(kPastLastByte - static_cast<uint64_t>(highest - lowest) - 4 + near);
      }
      check(kPastLastByte - 4);
      check(kPastLastByte);
      // Far outside, also where the low dwords look like inside.
      for (const uint64_t far : {uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{1} << 63}) {
        check(kMiddleOfMemory + far);
        check(kMiddleOfMemory - far);
      }
      if (::testing::Test::HasFailure()) return;
    }
  });
}

// An index of the pattern is beyond the limit: addresses are no more at the same distances.
TEST(PermutedAccesses, ThatWrapAround) {
  ForAllLearnedForms([](const LearnedForm& form) {
    if (form.imm > 0 || form.is_second) return;
    LearnedAccess access(form);
    const uint32_t limit = form.is_signed ? 0x80000000 : 0;
    for (const auto& f : {Twice, Backwards, Mixed, RowsBackwards}) {
      const LaneIndices known = MakeIndices(0x1000, form.dword(), f);
      const auto check = [&](uint32_t first) {
        ASSERT_TRUE(access.Run(known, kMiddleOfMemory) || access.Learn(known));
        const LaneIndices indices = MakeIndices(first, form.dword(), f);
        const auto extended = [&](uint32_t index) {
          return form.is_signed ? int64_t{static_cast<int32_t>(index)} : int64_t{index};
        };
        const auto [low, high] =
            std::minmax_element(indices.begin(), indices.end(),
                                [&](uint32_t x, uint32_t y) { return extended(x) < extended(y); });
        const bool wraps = extended(*high) - extended(*low) > 1 << 20;
        EXPECT_EQ(access.Run(indices, kMiddleOfMemory), !wraps) << first;
        EXPECT_EQ(access.faulted(), wraps) << first;
      };
      for (uint32_t n = 0; n < 70; ++n) {
        // Around the first lane, and around the last.
        check(limit + (n - 35) * form.dword());
        check(limit + (n - 35) * form.dword() - (known[63] - known[0]));
      }
      check(limit - 1);
      check(limit + 1);
      // Around the place where the other extension would wrap around.
      for (const uint32_t n : {0u, 1u, 10u, 50u}) {
        check((limit ^ 0x80000000) - n);
        check((limit ^ 0x80000000) + n);
      }
      if (::testing::Test::HasFailure()) return;
    }
  });
}

// The pattern is learnt where accesses fault, but there is no window that would hold it.
TEST(PermutedAccesses, TooFarApart) {
  ForAllLearnedForms([](const LearnedForm& form) {
    if (form.is_second) return;  // the one in front faults
    LearnedAccess access(form);
    ASSERT_TRUE(access.Learn(MakeIndices(0x100000, form.dword(), Twice)));
    const LaneIndices far = MakeIndices(
        0x100000, form.dword(), [](uint32_t lane) { return lane % 16 * 2 + lane / 16 * 5000; });
    for (int run = 0; run < 24; ++run) {
      EXPECT_FALSE(access.Run(far, kMiddleOfMemory));
      EXPECT_TRUE(access.faulted());
    }
    EXPECT_EQ(access.slot().pattern->offsets[63], far[63] - far[0]);
  });
}

// Other sizes and masks have no patterns.
TEST(PermutedAccesses, AreOfWholeWavesAndDwords) {
  ForAllLearnedForms([](const LearnedForm& plain) {
    if (plain.imm != 0 || plain.is_second) return;
    for (const uint8_t bytes : {uint8_t{1}, uint8_t{2}, uint8_t{8}, uint8_t{16}, uint8_t{4}}) {
      LearnedForm form = plain;
      form.bytes = bytes;
      form.is_masked = bytes == 4;
      LearnedAccess access(form);
      for (int run = 0; run < 12; ++run) {
        EXPECT_FALSE(access.Run(MakeIndices(1000, form.dword(), Mixed), kMiddleOfMemory));
      }
      EXPECT_EQ(access.slot().pattern, nullptr);
    }
  });
}

TEST(PermutedAccesses, OfRandomLanes) {
  std::mt19937 random(3);
  ForAllLearnedForms([&](const LearnedForm& form) {
    LearnedAccess access(form);
    for (int run = 0; run < 4; ++run) {
      uint32_t rows[4];
      for (uint32_t& row : rows) row = static_cast<uint32_t>(random() % 500);
      uint32_t distances[ir::kLanes];
      for (uint32_t& distance : distances) distance = static_cast<uint32_t>(random() % 32);
      ASSERT_TRUE(access.Learn(MakeIndices(0x10000, form.dword(), [&](uint32_t lane) {
        return rows[lane / 16] + distances[lane];
      })));
    }
  });
}

}  // namespace
}  // namespace gcnjit::backend
