// How many lanes a slice has, by what fits into registers; in loops and elsewhere.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "tests/unit/backend_x64/plan/planned_loop.h"

namespace gcnjit::backend::loop_plan_tests {
namespace {

// A loop that adds to `count` more VGPRs, from v100 on.
std::string Adding(int count,
                   std::string (*loop)(const std::string&, const std::string&, const std::string&),
                   const std::string& end) {
  std::string body, sets;
  for (int n = 100; n < 100 + count; ++n) {
    const std::string number = std::to_string(n);
    body += "%" + number + " = get_vgpr.v32 v" + number + "\n%2" + number + " = add.v32 %" +
            number + ", 7\n";
    sets += "set_vgpr v" + number + ", %2" + number + " {active}\n";
  }
  return loop(body, sets, end);
}

int PartsOf(const std::string& lines, int64_t repeating = kNoVgpr, uint8_t bits = 0) {
  const Planned planned = PlanOf(lines, repeating, bits);
  return planned.plan.stages.at(0).slice_parts;
}

// A counted loop keeps what it changes in registers, in slices as wide as that allows; where none
// is narrow enough, some of it is in memory. What repeats itself takes one register.
TEST(LoopPlans, CountedLoopsHoldWhatTheyChange) {
  const auto adding = [](int count) { return Adding(count, Counting, "branch %5, 0x0, 0x4\n"); };
  EXPECT_EQ(PartsOf(adding(4)), 4);
  EXPECT_EQ(PartsOf(adding(5)), 4);
  EXPECT_EQ(PartsOf(adding(6)), 2);
  EXPECT_EQ(PartsOf(adding(12)), 2);
  EXPECT_EQ(PartsOf(adding(13)), 1);
  EXPECT_EQ(PartsOf(adding(40)), 1);
  EXPECT_EQ(PartsOf(adding(40), 100), 4);
  EXPECT_EQ(PartsOf(adding(30), 100, /*bits=*/1), 4);
  EXPECT_EQ(PartsOf(adding(30), 100, /*bits=*/2), 4);
  EXPECT_EQ(PartsOf(adding(30), 100, /*bits=*/3), 2);
}

// In another one, lanes that have left cost less the narrower slices are. But masks cost less where
// a slice is the wave.
TEST(LoopPlans, SlicesOfLoopsThatLanesLeaveFitIntoRegisters) {
  const std::string end = "%6 = ne.u1 %5, 0:u64\nbranch %6, 0x0, 0x4\n";
  const auto adding = [&](int count) { return Adding(count, Leaving, end); };
  EXPECT_EQ(PartsOf(adding(3)), 4);
  EXPECT_EQ(PartsOf(adding(9)), 2);
  EXPECT_EQ(PartsOf(adding(13)), 1);
  EXPECT_EQ(PartsOf(adding(14), 100), 4);
}

// Nor do masks in vector registers have to fit altogether; and what the loop hands on keeps nearly
// all registers, then.
TEST(LoopPlans, SlicesOfLoopsThatLanesLeaveMayBeCrowded) {
  const std::string end = "%6 = ne.u1 %5, 0:u64\nbranch %6, 0x0, 0x4\n";
  const auto plan = [&](int count) {
    const Planned planned =
        PlanOf(Adding(count, Leaving, end), kNoVgpr, 0, /*lanes_per_register=*/8,
               {.vectors = 13, .masks = 0, .loop_masks = 0});
    return std::pair(planned.plan.stages.at(0).slice_parts,
                     planned.plan.loop->lanes.residents.size());
  };
  EXPECT_EQ(plan(1), (std::pair<int, size_t>(4, 3)));
  EXPECT_EQ(plan(4), (std::pair<int, size_t>(2, 6)));
  EXPECT_EQ(plan(5), (std::pair<int, size_t>(2, 6)));
  EXPECT_EQ(plan(9), (std::pair<int, size_t>(2, 6)));
  EXPECT_EQ(plan(11), (std::pair<int, size_t>(1, 7)));
}

// Other blocks: one step wider than what fits into registers, unless that is far too much.
// Nor are slices narrow where lanes leave one by one, but load side by side: all leave together.
TEST(LoopPlans, SlicesThatLoadSideBySideAreWide) {
  const auto parts = [](const std::string& address, LaneStep step) {
    const std::string body =
        "%10 = get_vgpr.v32 v9\n%11 = get_sgpr64.u64 s8\n%12 = get_sgpr.u32 s10\n" + address +
        "%20 = load.v32 %19, %11, %1 {bytes=4, index=zext<<2}\n";
    const Planned planned = PlanOf(
        Leaving(body, "set_vgpr v9, %20 {active}\n", "%6 = ne.u1 %5, 0:u64\nbranch %6, 0x0, 0x4\n"),
        kNoVgpr, 0, /*lanes_per_register=*/8, {.vectors = 13, .masks = 0, .loop_masks = 0},
        LoopAccesses::kUndone, step);
    return planned.plan.stages.at(0).slice_parts;
  };
  const std::string moved = "%19 = add.v32 %10, %12\n";
  const std::string shifted = "%19 = shl.v32 %10, 3\n";
  EXPECT_EQ(parts(moved, LaneStep::kElement), 4);
  EXPECT_EQ(parts(moved, LaneStep::kNone), 4);
  EXPECT_LE(parts(moved, LaneStep::kUnknown), 2);
  EXPECT_LE(parts(shifted, LaneStep::kElement), 2);
  EXPECT_LE(parts(moved + "%21 = load_lds.v32 %10, %1, 4096 {bytes=4}\n", LaneStep::kElement), 2);
}

TEST(SliceWidths, OfBlocksThatAreNoLoops) {
  const auto with_values = [](int count) {  // that are all wanted once more at the end
    std::string body = "%98 = get_vgpr.v32 v0\n%99 = get_vgpr.v32 v1\n";
    const auto n_of = [](int base, int n) { return "%" + std::to_string(base + n); };
    for (int n = 0; n < count; ++n) {
      body += n_of(100, n) + " = add.v32 %98, " + std::to_string(n + 1) + "\n";
    }
    for (int n = 0; n < count; ++n) {
      body += n_of(200, n) + " = xor.v32 " + (n == 0 ? "%99" : n_of(199, n)) + ", " + n_of(100, n) +
              "\n";
    }
    for (int n = 0; n < count; ++n) {
      body += n_of(300, n) + " = mul.v32 " + (n == 0 ? n_of(199, count) : n_of(299, n)) + ", " +
              n_of(100, n) + "\n";
    }
    return body + "set_vgpr v1, " + n_of(299, count) + "\nexit end, 0x4\n";
  };
  EXPECT_EQ(PartsOf(with_values(4)), 4);
  EXPECT_EQ(PartsOf(with_values(8)), 4);   // 2 fit
  EXPECT_EQ(PartsOf(with_values(16)), 2);  // 1 fits
  EXPECT_EQ(PartsOf(with_values(23)), 2);
  EXPECT_EQ(PartsOf(with_values(44)), 1);
}

}  // namespace
}  // namespace gcnjit::backend::loop_plan_tests
