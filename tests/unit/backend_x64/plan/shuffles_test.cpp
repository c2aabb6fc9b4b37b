// What a permutation of lanes means for one host register.
#include "backend_x64/plan/shuffles.h"

#include <gtest/gtest.h>

#include <random>

namespace gcnjit::backend {
namespace {

constexpr uint64_t kEveryLane = ~uint64_t{0};

template <typename F>
ir::LanePattern Pattern(const F& from) {
  ir::LanePattern pattern;
  for (int lane = 0; lane < ir::kLanes; ++lane) pattern[lane] = static_cast<uint8_t>(from(lane));
  return pattern;
}

TEST(Shuffles, IsWhatThePatternSays) {
  std::mt19937 random(1);
  for (int n = 0; n < 2000; ++n) {
    const int lanes = random() % 2 == 0 ? 8 : 16;
    const int a = static_cast<int>(random() % 64) / lanes;
    const int b = static_cast<int>(random() % 64) / lanes;
    const ir::LanePattern pattern = Pattern([&](int) {
      const int part = random() % 2 == 0 ? a : b;
      return random() % 9 == 0 ? ir::kNoLane
                               : part * lanes + static_cast<int>(random() % 16) % lanes;
    });
    const uint64_t wanted = random() % 3 == 0 ? kEveryLane : random() | uint64_t{random()} << 32;
    const int first = static_cast<int>(random() % 64) / lanes * lanes;
    const auto part = ShuffleOf(pattern, first, lanes, wanted);
    ASSERT_TRUE(part.has_value());
    for (int lane = 0; lane < lanes; ++lane) {
      const int8_t index = part->index[static_cast<size_t>(lane)];
      const uint8_t from = pattern[static_cast<size_t>(first + lane)];
      if ((wanted >> (first + lane) & 1) == 0) {
        ASSERT_EQ(index, PartShuffle::kAny);
      } else if (from == ir::kNoLane) {
        ASSERT_EQ(index, PartShuffle::kZero);
        ASSERT_TRUE(part->HasZeros());
      } else {
        ASSERT_LT(index / lanes, part->source_count);
        const int source = part->sources[static_cast<size_t>(index / lanes)];
        ASSERT_EQ(source * lanes + index % lanes, from);
        ASSERT_EQ(part->LanesFrom(index / lanes) >> lane & 1, 1u);
      }
    }
  }
}

TEST(Shuffles, HasTwoSourcesAtMost) {
  const ir::LanePattern pattern = Pattern([](int lane) { return lane * 16 % 64; });
  EXPECT_FALSE(ShuffleOf(pattern, 0, 16, kEveryLane));
  EXPECT_TRUE(ShuffleOf(pattern, 0, 16, 0b11)) << "of which lanes are wanted";
  EXPECT_FALSE(ShuffleOf(pattern, 0, 16, 0b111));
}

TEST(Shuffles, Distances) {
  const auto distance = [](const ir::LanePattern& pattern, uint64_t wanted) {
    return ShuffleOf(pattern, 0, 16, wanted)->Distance();
  };
  const ir::LanePattern next = Pattern([](int lane) { return (lane + 3) % 64; });
  EXPECT_EQ(distance(next, kEveryLane), 3);
  EXPECT_EQ(distance(next, 0b1), 3);
  EXPECT_EQ(distance(Pattern([](int lane) { return lane; }), kEveryLane), 0);
  const ir::LanePattern around = Pattern([](int lane) { return (lane + 3) % 16; });
  EXPECT_EQ(distance(around, kEveryLane), std::nullopt) << "lanes 13 to 15 are before the others";
  EXPECT_EQ(distance(around, 0x1FFF), 3);
  EXPECT_EQ(distance(Pattern([](int lane) { return lane ^ 1; }), kEveryLane), std::nullopt);
  EXPECT_EQ(distance(Pattern([](int lane) { return lane == 2 ? ir::kNoLane : lane; }), kEveryLane),
            std::nullopt);
  EXPECT_EQ(distance(next, 0), std::nullopt) << "no lane is read";
}

TEST(Shuffles, WithinFours) {
  const auto within = [](const ir::LanePattern& pattern, uint64_t wanted) {
    return ShuffleOf(pattern, 0, 16, wanted)->WithinFours();
  };
  EXPECT_EQ(within(Pattern([](int lane) { return lane ^ 1; }), kEveryLane), 0b10'11'00'01);
  EXPECT_EQ(within(Pattern([](int lane) { return lane ^ 3; }), kEveryLane), 0b00'01'10'11);
  EXPECT_EQ(within(Pattern([](int lane) { return lane ^ 4; }), kEveryLane), std::nullopt);
  const ir::LanePattern next = Pattern([](int lane) { return (lane + 1) % 64; });
  EXPECT_EQ(within(next, kEveryLane), std::nullopt);
  EXPECT_EQ(within(next, 0b111), 0b00'11'10'01);
  const ir::LanePattern differs = Pattern([](int lane) { return lane < 4 ? lane ^ 1 : lane; });
  EXPECT_EQ(within(differs, kEveryLane), std::nullopt);
  EXPECT_EQ(within(Pattern([](int lane) { return lane == 2 ? ir::kNoLane : lane; }), kEveryLane),
            std::nullopt);
}

}  // namespace
}  // namespace gcnjit::backend
