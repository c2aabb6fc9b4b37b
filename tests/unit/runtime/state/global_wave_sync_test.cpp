// Barriers between waves of different groups: which waves wait, and until when.
#include "runtime/state/global_wave_sync.h"

#include <gtest/gtest.h>

#include <vector>

namespace gcnjit::runtime {
namespace {

TEST(GlobalWaveSync, TheLastOneOpensTheBarrier) {
  GlobalWaveSync sync;
  sync.Init(0, 2);
  for (int round = 0; round < 3; ++round) {
    const uint64_t first = sync.Arrive(0, 2);
    const uint64_t second = sync.Arrive(0, 2);
    EXPECT_NE(first, 0u);
    EXPECT_NE(second, 0u);
    EXPECT_FALSE(sync.IsOpen(0, first));
    EXPECT_FALSE(sync.IsOpen(0, second));
    EXPECT_EQ(sync.Arrive(0, 2), 0u);
    EXPECT_TRUE(sync.IsOpen(0, first));
    EXPECT_TRUE(sync.IsOpen(0, second));
  }
}

// A wave may come to the next barrier before another one has left this one.
TEST(GlobalWaveSync, SlowWavesPass) {
  GlobalWaveSync sync;
  sync.Init(5, 1);
  const uint64_t slow = sync.Arrive(5, 1);
  EXPECT_EQ(sync.Arrive(5, 1), 0u);
  const uint64_t again = sync.Arrive(5, 1);
  EXPECT_TRUE(sync.IsOpen(5, slow));
  EXPECT_FALSE(sync.IsOpen(5, again));
}

TEST(GlobalWaveSync, TheNextBarrierMayHaveAnotherSize) {
  GlobalWaveSync sync;
  EXPECT_EQ(sync.Arrive(1, 1), 0u);
  const uint64_t first = sync.Arrive(1, 9);
  EXPECT_EQ(sync.Arrive(1, 0), 0u);
  EXPECT_TRUE(sync.IsOpen(1, first));
  EXPECT_EQ(sync.Arrive(1, 0), 0u);
}

TEST(GlobalWaveSync, ResourcesAreApart) {
  GlobalWaveSync sync;
  sync.Init(0, 1);
  const uint64_t first = sync.Arrive(0, 1);
  EXPECT_EQ(sync.Arrive(63, 1), 0u);
  EXPECT_FALSE(sync.IsOpen(0, first));
}

}  // namespace
}  // namespace gcnjit::runtime
