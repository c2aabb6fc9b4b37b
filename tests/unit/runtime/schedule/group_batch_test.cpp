// Consecutive groups of a grid: which ones they are, and what is summed up of them.
#include "runtime/schedule/group_batch.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gcnjit::runtime {
namespace {

void ExpectAt(const Dim3& actual, uint32_t x, uint32_t y, uint32_t z) {
  EXPECT_EQ(actual.x, x);
  EXPECT_EQ(actual.y, y);
  EXPECT_EQ(actual.z, z);
}

TEST(GroupBatch, StartsWhereItsNumberIs) {
  const Dim3 groups = {5, 3, 4};
  ExpectAt(GroupBatch(groups, 0, 1).group(), 0, 0, 0);
  ExpectAt(GroupBatch(groups, 4, 1).group(), 4, 0, 0);
  ExpectAt(GroupBatch(groups, 5, 1).group(), 0, 1, 0);
  ExpectAt(GroupBatch(groups, 14, 1).group(), 4, 2, 0);
  ExpectAt(GroupBatch(groups, 15, 1).group(), 0, 0, 1);
  ExpectAt(GroupBatch(groups, 59, 1).group(), 4, 2, 3);
  // The product of two axes need not fit in 32 bits.
  ExpectAt(GroupBatch({0x10000, 0x20000, 4}, 0x6'0001'0003, 1).group(), 3, 1, 3);
}

TEST(GroupBatch, GoesAlongXThenYThenZ) {
  const Dim3 groups = {3, 2, 4};
  for (uint64_t first = 0; first < 24; ++first) {
    GroupBatch batch(groups, first, 24 - first);
    for (uint64_t n = first; n < 24; ++n) {
      const Dim3 here = batch.group();
      ExpectAt(here, static_cast<uint32_t>(n % 3), static_cast<uint32_t>(n / 3 % 2),
               static_cast<uint32_t>(n / 6));
      EXPECT_EQ(batch.left(), 24 - n);
      const Dim3 next = batch.Next();
      // Asking for it does not go there.
      ExpectAt(batch.group(), here.x, here.y, here.z);
      batch.Advance(1);
      ExpectAt(batch.group(), next.x, next.y, next.z);
    }
    EXPECT_EQ(batch.left(), 0u);
  }
}

TEST(GroupBatch, AxesOfOneGroup) {
  GroupBatch column({1, 4, 1}, 2, 2);
  ExpectAt(column.group(), 0, 2, 0);
  ExpectAt(column.Next(), 0, 3, 0);
  GroupBatch line({1, 1, 9}, 7, 2);
  ExpectAt(line.group(), 0, 0, 7);
  ExpectAt(line.Next(), 0, 0, 8);
}

TEST(GroupBatch, SeveralOfARow) {
  GroupBatch batch({6, 3, 2}, 1, 20);
  EXPECT_EQ(batch.LeftInRow(), 4u);
  batch.Advance(9);
  batch.AdvanceInRow(3, 60, 10, 30);
  ExpectAt(batch.group(), 5, 0, 0);
  EXPECT_EQ(batch.left(), 16u);
  EXPECT_EQ(batch.LeftInRow(), 0u);
  EXPECT_EQ(batch.instructions(), 69u);
  EXPECT_EQ(batch.least(), 9u);
  EXPECT_EQ(batch.most(), 30u);
  batch.Advance(9);
  ExpectAt(batch.group(), 0, 1, 0);
  EXPECT_EQ(batch.LeftInRow(), 5u);
  batch.AdvanceInRow(5, 50, 8, 12);
  ExpectAt(batch.group(), 5, 1, 0);
  EXPECT_EQ(batch.least(), 8u);
  EXPECT_EQ(batch.most(), 30u);
  // A batch may end before its row does.
  EXPECT_EQ(GroupBatch({6, 3, 2}, 1, 3).LeftInRow(), 2u);
  EXPECT_EQ(GroupBatch({6, 3, 2}, 5, 1).LeftInRow(), 0u);
}

TEST(GroupBatch, SumsUp) {
  GroupBatch batch({8, 1, 1}, 0, 4);
  EXPECT_EQ(batch.instructions(), 0u);
  batch.Advance(70);
  EXPECT_EQ(batch.least(), 70u);
  EXPECT_EQ(batch.most(), 70u);
  batch.Advance(5'000'000'000);
  batch.Advance(30);
  batch.Advance(40);
  EXPECT_EQ(batch.instructions(), 5'000'000'140u);
  EXPECT_EQ(batch.least(), 30u);
  EXPECT_EQ(batch.most(), 5'000'000'000u);
  EXPECT_EQ(batch.left(), 0u);
}

}  // namespace
}  // namespace gcnjit::runtime
