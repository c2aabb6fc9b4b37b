// When a work-group's turns are over: TurnWatch, told what its waves do.
#include "runtime/schedule/turn_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kSlice = 16 * kTurn;

// Lets the group's one wave take whole turns until it is another group's turn; returns what it has
// executed. `fingerprint(executed)`: the wave's.
template <typename Fingerprint>
uint64_t RunUntilOver(TurnWatch& watch, const Fingerprint& fingerprint) {
  uint64_t executed = 0;
  while (!watch.IsOver() && executed < 100 * kSlice) {
    executed += watch.turn();
    watch.Took(watch.turn(), 1, /*have_moved=*/false);
    if (watch.WantsLook()) watch.Look(fingerprint(executed));
  }
  return executed;
}

TEST(TurnWatch, WhatComputesHasItsSlice) {
  TurnWatch watch;
  watch.Begin(/*is_careful=*/false);
  watch.BeginTurns();
  const auto computes = [](uint64_t executed) { return executed; };
  EXPECT_EQ(RunUntilOver(watch, computes), kSlice);
  EXPECT_FALSE(watch.waits());
  watch.GoOn(/*is_careful=*/true);
  const uint64_t careful = RunUntilOver(watch, [](uint64_t executed) { return ~executed; });
  EXPECT_GE(careful, kSlice);
  EXPECT_LT(careful, kSlice + kTurn);
  EXPECT_FALSE(watch.waits());
}

TEST(TurnWatch, WhatSpinsIsSoonFound) {
  TurnWatch watch;
  watch.Begin(/*is_careful=*/false);
  watch.BeginTurns();
  const auto spins = [](uint64_t) { return 5; };
  EXPECT_LE(RunUntilOver(watch, spins), 4 * kTurn);
  EXPECT_TRUE(watch.waits());
  // And when it is asked again, sooner.
  watch.GoOn(/*is_careful=*/true);
  EXPECT_FALSE(watch.IsOver());
  EXPECT_LE(RunUntilOver(watch, spins), kTurn / 16);
  EXPECT_TRUE(watch.waits());
  // Until it gets on.
  watch.GoOn(/*is_careful=*/true);
  EXPECT_GE(RunUntilOver(watch, [](uint64_t executed) { return 6 + executed; }), kSlice);
  EXPECT_FALSE(watch.waits());
}

// One that computes first and then waits.
TEST(TurnWatch, FromWorkToWaiting) {
  TurnWatch watch;
  watch.Begin(/*is_careful=*/true);
  watch.BeginTurns();
  const uint64_t executed =
      RunUntilOver(watch, [](uint64_t so_far) { return std::min(so_far, kTurn); });
  EXPECT_TRUE(watch.waits());
  EXPECT_LT(executed, kSlice);
}

TEST(TurnWatch, WhatSleepsWaits) {
  TurnWatch watch;
  watch.Begin(/*is_careful=*/false);
  watch.BeginTurns();
  int turns = 0;
  for (; !watch.IsOver() && turns < 1000; ++turns) watch.Took(/*executed=*/4 * 3, 4, false);
  EXPECT_TRUE(watch.waits());
  EXPECT_LT(turns, 100);
  // Waves that come to a barrier every few instructions do not.
  watch.GoOn(/*is_careful=*/false);
  for (turns = 0; turns < 1000; ++turns) watch.Took(/*executed=*/4 * 3, 4, true);
  EXPECT_FALSE(watch.IsOver());
}

TEST(TurnWatch, FingerprintsTellWavesThatCompute) {
  const auto state = std::make_unique<WaveState>();
  state->vgpr_count = 8;
  state->SetPair(frontend::kCodeExecLo, ~uint64_t{0} << 40);
  const uint64_t before = FingerprintOf(*state);
  EXPECT_EQ(FingerprintOf(*state), before);
  const auto differs = [&](uint32_t& value) {
    ++value;
    EXPECT_NE(FingerprintOf(*state), before);
    --value;
  };
  differs(state->sgpr[0]);
  differs(state->sgpr[127]);
  differs(state->scc);
  // A lane that is on.
  differs(state->vgpr[0][40]);
  differs(state->vgpr[7][43]);
  ++state->pc;
  EXPECT_NE(FingerprintOf(*state), before);
}

}  // namespace
}  // namespace gcnjit::runtime
