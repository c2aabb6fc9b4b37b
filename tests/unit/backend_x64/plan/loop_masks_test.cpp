// Lane masks in loops: as scalars or vectors, as numbers, carried, and EXEC, until it is empty.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/backend_x64/plan/planned_loop.h"

namespace gcnjit::backend::loop_plan_tests {
namespace {

// A scalar register has the mask of a whole wave: not where a slice has a few rows of it.
TEST(LoopPlans, MasksOfLoopsThatStoreRowsStayInSlices) {
  const std::string body =
      "%10 = get_sgpr64.u64 s126\n%11 = get_vgpr.v32 v2\n%12 = get_vgpr.v32 v3\n"
      "store %11, %12, %10, %3 {bytes=4}\n%13 = add.v32 %11, 4\nset_vgpr v2, %13 {active}\n"
      "%14 = lt_u.u64 %3, %11\n";
  const Planned planned = PlanOf(Counting(body, "set_sgpr64 s4, %14\n"), kNoVgpr, 0, 16, {26, 6, 6},
                                 LoopAccesses::kDisjoint);
  ASSERT_TRUE(planned.plan.loop);
  EXPECT_TRUE(planned.plan.loop->stores_rows);
  EXPECT_EQ(planned.plan.stages[0].slice_parts, 1);
  for (const uint8_t is_wave_mask : planned.plan.is_wave_mask) EXPECT_EQ(is_wave_mask, 0);
}

// Masks that are handed on, and what they are made of, are scalars where a slice is the wave.
TEST(LoopPlans, MasksOfTheWave) {
  const std::string body =
      "%10 = get_vgpr.v32 v1\n%11 = lt_u.u64 %10, 7\n%12 = select.v32 %11, 1, %10\n"
      "%13 = eq.u64 %10, 5\n%14 = and.u64 %1, %13\n%15 = get_sgpr64.u64 s8\n"
      "%16 = or.u64 %15, %14\n";
  const std::string sets = "set_vgpr v2, %12 {active}\nset_sgpr64 s8, %16\n";
  const auto is_wave = [](const Planned& planned, ir::Op op) {
    std::vector<int> flags;
    for (const ir::Value v : planned.function.blocks[0].insts) {
      if (planned.function[v].op == op) flags.push_back(planned.plan.is_wave_mask[v.id]);
    }
    return flags;
  };
  const auto count = [](const Planned& planned, const std::vector<ir::Value>& in, ir::Op op) {
    return std::count_if(in.begin(), in.end(),
                         [&](ir::Value v) { return planned.function[v].op == op; });
  };
  for (const int lanes : {8, 16}) {
    const bool is_whole = lanes == 16;
    const Planned planned = PlanOf(Leaving(body, sets), kNoVgpr, 0, lanes);
    ASSERT_TRUE(planned.plan.loop);
    const LoopPlan& loop = *planned.plan.loop;
    EXPECT_EQ(planned.plan.stages[0].slice_parts, is_whole ? 4 : 2);
    EXPECT_EQ(planned.plan.is_wave_mask[loop.branch.condition.id], is_whole);
    EXPECT_EQ(is_wave(planned, ir::Op::kEq), std::vector<int>{is_whole});
    EXPECT_EQ(is_wave(planned, ir::Op::kOr), std::vector<int>{is_whole});
    // What only chooses lanes is not.
    EXPECT_EQ(is_wave(planned, ir::Op::kLtU), (std::vector<int>{is_whole, 0}));
    EXPECT_EQ(count(planned, loop.lanes.sets, ir::Op::kSetSgpr64), is_whole ? 0 : 2);
    EXPECT_EQ(count(planned, planned.plan.final_ops, ir::Op::kSetSgpr64), is_whole ? 2 : 0);
    EXPECT_EQ(count(planned, loop.lanes.carried, ir::Op::kGetSgpr64), is_whole ? 0 : 2);
    EXPECT_EQ(count(planned, loop.lanes.residents, ir::Op::kGetSgpr64) > 0, !is_whole);
  }
}

// A mask as a number needs all slices.
TEST(LoopPlans, MasksAsNumbers) {
  const std::string compare = "%10 = lt_u.u64 %1, 7\n";
  // Carried in a pair of SGPRs, and a mask everywhere.
  EXPECT_EQ(KindOf(Counting(compare + "%11 = get_sgpr64.u64 s4\n%12 = or.u64 %10, %11\n"
                                      "%13 = select.v32 %12, %3, %1\n",
                            "set_sgpr64 s4, %12\nset_vgpr v1, %13\n")),
            Kind::kUniform);
  EXPECT_EQ(KindOf(Counting(compare + "%12 = popcount.u32 %10\n", "set_sgpr s4, %12\n")),
            Kind::kNone);
  // What the iteration before left is used as a number.
  EXPECT_EQ(KindOf(Counting(compare + "%11 = get_sgpr64.u64 s4\n%12 = popcount.u32 %11\n",
                            "set_sgpr64 s4, %10\nset_sgpr s6, %12\n")),
            Kind::kNone);
  // Copied to another pair, by scalar code.
  EXPECT_EQ(KindOf(Counting(compare + "%11 = get_sgpr64.u64 s4\n",
                            "set_sgpr64 s4, %10\nset_sgpr64 s6, %11\n")),
            Kind::kNone);
  EXPECT_EQ(KindOf(Counting(compare + "%11 = get_sgpr64.u64 s4\n%12 = ne.u1 %11, 0:u64\n",
                            "set_sgpr64 s4, %10\n", "branch %12, 0x0, 0x4\n")),
            Kind::kNone);
  // A mask of the same value that no iteration changes may be a number.
  EXPECT_EQ(KindOf(Counting("%11 = get_sgpr64.u64 s4\n%12 = popcount.u32 %11\n"
                            "%13 = select.v32 %11, %3, %1\n",
                            "set_vgpr v1, %13\nset_sgpr s6, %12\n")),
            Kind::kUniform);
}

TEST(LoopPlans, HalvesAndOverlapsOfCarriedMasks) {
  const std::string compare = "%10 = lt_u.u64 %1, 7\n";
  const std::string sets = "set_sgpr64 s4, %10\n";
  EXPECT_EQ(KindOf(Counting(compare + "%11 = get_sgpr.u32 s6\n%12 = add.v32 %11, %1\n",
                            sets + "set_vgpr v1, %12\n")),
            Kind::kUniform);
  for (const char* half : {"s4", "s5"}) {
    EXPECT_EQ(KindOf(Counting(compare + "%11 = get_sgpr.u32 " + half + "\n%12 = add.v32 %11, %1\n",
                              sets + "set_vgpr v1, %12\n")),
              Kind::kNone);
    EXPECT_EQ(KindOf(Counting(compare, sets + "set_sgpr " + half + ", %4\n")), Kind::kNone);
  }
  for (const char* pair : {"s3", "s5"}) {
    EXPECT_EQ(KindOf(Counting(
                  compare + "%11 = get_sgpr64.u64 " + pair + "\n%12 = select.v32 %11, %3, %1\n",
                  sets + "set_vgpr v1, %12\n")),
              Kind::kNone);
  }
  EXPECT_EQ(KindOf(Counting(compare + "%11 = lt_u.u64 %1, 9\n", sets + "set_sgpr64 s5, %11\n")),
            Kind::kNone);
  EXPECT_EQ(KindOf(Counting(compare + "%11 = lt_u.u64 %1, 9\n", sets + "set_sgpr64 s6, %11\n")),
            Kind::kUniform);
}

TEST(LoopPlans, UntilExecIsEmpty) {
  EXPECT_EQ(KindOf(Leaving("")), Kind::kUntilNoLane);
  EXPECT_EQ(KindOf(Leaving("", "", "%6 = eq.u1 %5, 0:u64\nbranch %6, 0x4, 0x0\n")),
            Kind::kUntilNoLane);
  // The other way round: while it is empty.
  EXPECT_EQ(KindOf(Leaving("", "", "%6 = eq.u1 %5, 0:u64\nbranch %6, 0x0, 0x4\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Leaving("", "", "%6 = ne.u1 %5, 1:u64\nbranch %6, 0x0, 0x4\n")), Kind::kNone);
  // The test's result has another use.
  EXPECT_EQ(KindOf(Leaving("", "", "%6 = ne.u1 %5, 0:u64\nset_scc %6\nbranch %6, 0x0, 0x4\n")),
            Kind::kNone);
  // Another mask than the one that becomes EXEC.
  EXPECT_EQ(KindOf(Leaving("%7 = lt_u.u64 %3, 9\n%8 = and.u64 %1, %7\n", "",
                           "%6 = ne.u1 %8, 0:u64\nbranch %6, 0x0, 0x4\n")),
            Kind::kNone);
  EXPECT_EQ(KindOf("%2 = get_vgpr.v32 v0\n%3 = add.v32 %2, 1\n%4 = lt_u.u64 %3, 10\n"
                   "set_vgpr v0, %3\n%6 = ne.u1 %4, 0:u64\nbranch %6, 0x0, 0x4\n"),
            Kind::kNone);
}

// EXEC must stay empty where it is.
TEST(LoopPlans, WhatBecomesExec) {
  const auto with_exec = [](const std::string& exec) {
    return "%1 = get_sgpr64.u64 s126\n%2 = get_vgpr.v32 v0\n%3 = add.v32 %2, 1\n"
           "%4 = lt_u.u64 %3, 10\n%5 = get_sgpr64.u64 s4\n%6 = and.u64 %1, %4\n" +
           exec +
           "set_vgpr v0, %3 {active}\nset_sgpr64 s126, %9\n%10 = ne.u1 %9, 0:u64\nbranch %10, 0x0, "
           "0x4\n";
  };
  EXPECT_EQ(KindOf(with_exec("%9 = andnot.u64 %1, %4\n")), Kind::kUntilNoLane);
  EXPECT_EQ(KindOf(with_exec("%8 = or.u64 %4, %5\n%9 = andnot.u64 %1, %8\n")), Kind::kUntilNoLane);
  EXPECT_EQ(KindOf(with_exec("%8 = and.u64 %5, %6\n%9 = or.u64 %8, %6\n")), Kind::kUntilNoLane);
  EXPECT_EQ(KindOf(with_exec("%9 = xor.u64 %1, %6\n")), Kind::kUntilNoLane);
  EXPECT_EQ(KindOf(with_exec("%9 = and.u64 %4, %5\n")), Kind::kNone);
  EXPECT_EQ(KindOf(with_exec("%9 = or.u64 %6, %5\n")), Kind::kNone);
  EXPECT_EQ(KindOf(with_exec("%9 = xor.u64 %6, %5\n")), Kind::kNone);
  EXPECT_EQ(KindOf(with_exec("%8 = not.u64 %1\n%9 = and.u64 %8, %4\n")), Kind::kNone);
  EXPECT_EQ(KindOf(with_exec("%9 = andnot.u64 %4, %1\n")), Kind::kNone);
}

// What is written under a wider EXEC is written for lanes that the loop does without.
TEST(LoopPlans, ExecThatGrowsWithinTheLoop) {
  EXPECT_EQ(KindOf(Leaving("note_exec %5\n")), Kind::kUntilNoLane);
  EXPECT_EQ(KindOf(Leaving("note_exec 0xffffffffffffffff:u64\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Leaving("%10 = get_sgpr64.u64 s4\n%11 = or.u64 %1, %10\nnote_exec %11\n")),
            Kind::kNone);
  EXPECT_EQ(KindOf(Counting("note_exec 0xffffffffffffffff:u64\n")), Kind::kUniform);
}

TEST(LoopPlans, OtherMasksKeepTheirValueWithoutLanes) {
  const std::string body = "%10 = get_sgpr64.u64 s4\n%11 = andnot.u64 %1, %4\n";
  // Lanes are added to the pair, or taken from it, only where EXEC is.
  EXPECT_EQ(KindOf(Leaving(body + "%12 = or.u64 %10, %11\n", "set_sgpr64 s4, %12\n")),
            Kind::kUntilNoLane);
  EXPECT_EQ(KindOf(Leaving(body + "%12 = xor.u64 %11, %10\n", "set_sgpr64 s4, %12\n")),
            Kind::kUntilNoLane);
  // Empty at last, whatever it was before.
  EXPECT_EQ(KindOf(Leaving(body, "set_sgpr64 s4, %11\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Leaving(body, "set_sgpr64 s4, %4\n")), Kind::kNone);
  // Another pair's value.
  EXPECT_EQ(KindOf(Leaving(body + "%12 = or.u64 %10, %11\n", "set_sgpr64 s6, %12\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Leaving(body + "%12 = or.u64 %10, %4\n", "set_sgpr64 s4, %12\n")), Kind::kNone);
}

// Chains of choices and of masks that refer to their predecessor more than once: as many ways
// through them as 2 to the power of their length.
TEST(LoopPlans, LongChainsTakeNoTime) {
  std::string body = "%100 = get_vgpr.v32 v1\n%200 = add.v32 %100, %2\n%300 = get_sgpr64.u64 s4\n";
  for (int n = 1; n < 90; ++n) {
    const auto v = [n](int base, int by) { return "%" + std::to_string(base + n + by); };
    body += v(400, 0) + " = lt_u.u64 %2, " + std::to_string(n) + "\n";
    body += v(300, 0) + " = xor.u64 " + v(300, -1) + ", " + v(500, 0) + "\n";
    const size_t xor_line = body.rfind(v(300, 0) + " = xor");
    body.insert(xor_line, v(500, 0) + " = and.u64 " + v(400, 0) + ", " + v(300, -1) + "\n");
    body += v(100, 0) + " = select.v32 " + v(400, 0) + ", " + v(100, -1) + ", " + v(200, -1) + "\n";
    body += v(200, 0) + " = select.v32 " + v(400, 0) + ", " + v(100, 0) + ", " + v(200, -1) + "\n";
  }
  const std::string sets = "set_sgpr64 s4, %389\nset_vgpr v1, %189\nset_vgpr v2, %289\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(KindOf(Leaving(body, sets)), Kind::kNone);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace gcnjit::backend::loop_plan_tests
