// Which blocks are loops that a slice may run to its end: by their branch and by what they access.
#include "backend_x64/plan/loops.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/backend_x64/plan/planned_loop.h"

namespace gcnjit::backend::loop_plan_tests {
namespace {

TEST(LoopPlans, ABranchThatGoesBackOneWay) {
  EXPECT_EQ(KindOf(Counting("")), Kind::kUniform);
  EXPECT_EQ(KindOf(Counting("", "", "branch %5, 0x4, 0x0\n")), Kind::kUniform);
  EXPECT_EQ(KindOf(Counting("", "", "branch %5, 0x8, 0x4\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Counting("", "", "branch %5, 0x0, 0x0\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Counting("", "", "jump 0x0\n")), Kind::kNone);
  // Nothing for slices to do.
  EXPECT_EQ(KindOf("%1 = get_sgpr.u32 s0\n%2 = sub.u32 %1, 1\nset_sgpr s0, %2\n"
                   "%3 = ne.u1 %2, 0\nbranch %3, 0x0, 0x4\n"),
            Kind::kNone);
}

TEST(LoopPlans, SaysWhereTheLoopGoes) {
  const Planned on_true = PlanOf(Counting(""));
  ASSERT_TRUE(on_true.plan.loop);
  EXPECT_TRUE(on_true.plan.loop->branch.continues_if);
  EXPECT_EQ(on_true.plan.loop->branch.after, 4u);
  const Planned on_false = PlanOf(Counting("", "", "branch %5, 0x8, 0x0\n"));
  ASSERT_TRUE(on_false.plan.loop);
  EXPECT_FALSE(on_false.plan.loop->branch.continues_if);
  EXPECT_EQ(on_false.plan.loop->branch.after, 8u);
}

TEST(LoopPlans, WritesBackLaneValuesAtItsEndOnly) {
  const Planned planned = PlanOf(Leaving("%10 = get_vgpr.v32 v1\n%11 = add.v32 %10, %3\n",
                                         "set_vgpr v2, %11 {active}\n%12 = get_sgpr.u32 s4\n"
                                         "%13 = add.u32 %12, 1\nset_sgpr s4, %13\n"),
                                 kNoVgpr, 0, /*lanes_per_register=*/8);
  ASSERT_TRUE(planned.plan.loop);
  const LoopPlan& loop = *planned.plan.loop;
  EXPECT_EQ(loop.lanes.sets.size(), 3u);     // v0, v2, EXEC
  EXPECT_EQ(loop.lanes.carried.size(), 2u);  // v0, EXEC
  ASSERT_EQ(loop.lanes.invariant.size(), 1u);
  EXPECT_EQ(planned.function[loop.lanes.invariant[0]].imm, 1);
  ASSERT_EQ(planned.plan.stages.size(), 1u);
  for (const ir::Value v : planned.plan.stages[0].lane_ops) {
    EXPECT_NE(planned.function[v].op, ir::Op::kSetVgpr);
  }
  for (const ir::Value v : planned.plan.final_ops) {
    EXPECT_NE(planned.function[v].op, ir::Op::kSetSgpr64);
  }
}

TEST(LoopPlans, ABranchThatDependsOnMemory) {
  const std::string load =
      "%10 = get_sgpr64.u64 s2\n%11 = load_scalar.u32 %10 {dwords=2}\n"
      "%12 = part.u32 %11 {dword=1}\n";
  const auto branch = [](const std::string& on) {
    return "%20 = ne.u1 " + on + ", 0\nbranch %20, 0x0, 0x4\n";
  };
  // Loaded, but the branch does not care.
  EXPECT_EQ(KindOf(Counting(load, "set_sgpr s5, %12\n")), Kind::kUniform);
  EXPECT_EQ(KindOf(Counting(load, "", branch("%11"))), Kind::kNone);
  EXPECT_EQ(KindOf(Counting(load, "", branch("%12"))), Kind::kNone);
  EXPECT_EQ(KindOf(Counting(load + "%13 = add.u32 %12, %4\n", "", branch("%13"))), Kind::kNone);
  // By registers that it leaves to the next iteration, in one step and in two.
  EXPECT_EQ(KindOf(Counting(load + "%14 = get_sgpr.u32 s5\n", "set_sgpr s5, %12\n", branch("%14"))),
            Kind::kNone);
  EXPECT_EQ(KindOf(Counting(load + "%14 = get_sgpr.u32 s5\n", "set_sgpr s6, %12\n", branch("%14"))),
            Kind::kUniform);
  EXPECT_EQ(KindOf(Counting(load + "%14 = get_sgpr.u32 s5\n%15 = get_sgpr.u32 s6\n",
                            "set_sgpr s6, %12\nset_sgpr s5, %15\n", branch("%14"))),
            Kind::kNone);
  // The second half of a pair, and a pair of which one half is loaded.
  EXPECT_EQ(KindOf(Counting(load + "%14 = get_sgpr.u32 s7\n%16 = pack.u64 %12, %12\n",
                            "set_sgpr64 s6, %16\n", branch("%14"))),
            Kind::kNone);
  EXPECT_EQ(KindOf(Counting(load + "%14 = get_sgpr64.u64 s6\n%15 = low.u32 %14\n",
                            "set_sgpr s7, %12\n", branch("%15"))),
            Kind::kNone);
  // Through SCC.
  const std::string scc = load + "%14 = get_scc.u1\n%15 = ne.u1 %12, 0\n";
  EXPECT_EQ(KindOf(Counting(scc, "set_scc %15\n", "branch %14, 0x0, 0x4\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Counting(scc, "set_scc %14\n", "branch %14, 0x0, 0x4\n")), Kind::kUniform);
  // What lanes load never becomes a scalar in such a loop.
  EXPECT_EQ(KindOf(Counting("%10 = load.v32 %1, 0x7000, 1:u64 {bytes=4}\n", "set_vgpr v1, %10\n")),
            Kind::kUniform);
}

TEST(LoopPlans, NoWritesAndNothingAcrossLanes) {
  EXPECT_EQ(KindOf(Counting("%10 = load_lds.v32 %1, 1:u64, 64 {bytes=4}\n", "set_vgpr v1, %10\n")),
            Kind::kUniform);
  EXPECT_EQ(KindOf(Counting("store %1, 0x7000, 1:u64, %3 {bytes=4}\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Counting("store_lds %1, 1:u64, 64, %3 {bytes=4}\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Counting("atomic %1, 0x7000, 1:u64, %3 {bytes=4, add}\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Counting("%10 = readlane.u32 %1, 5\n", "set_sgpr s4, %10\n")), Kind::kNone);
  EXPECT_EQ(KindOf(Counting("%10 = bpermute.v32 %1, %3, 1:u64\n", "set_vgpr v1, %10\n")),
            Kind::kNone);
  EXPECT_EQ(KindOf(Counting("%10 = get_sgpr64.u64 s4\n%11 = mask_below.v32 %10 {all}\n",
                            "set_vgpr v1, %11\n")),
            Kind::kNone);
  EXPECT_EQ(KindOf(Counting("%10 = get_sgpr64.u64 s4\nskipped %10 {count=1}\n")), Kind::kNone);
}

// Loads report faults with EXEC as it is before the loop, which has to be found out otherwise
// where lanes leave.
TEST(LoopPlans, LoopsThatReadMemoryAndChangeExec) {
  const auto is_undone = [](const std::string& lines) {
    const Planned planned = PlanOf(lines);
    return planned.plan.loop && planned.plan.loop->is_undone_if_fault;
  };
  for (const char* load : {"load.v32 %2, 0x7000, %1 {bytes=4}", "load_lds.v32 %2, %1, 64 {bytes=4}",
                           "load_scalar.u32 0x700000000000:u64 {dwords=1}"}) {
    const bool is_scalar = std::string(load).starts_with("load_scalar");
    const std::string leaving =
        Leaving("%10 = " + std::string(load) + "\n",
                is_scalar ? "set_sgpr s4, %10\n" : "set_vgpr v1, %10 {active}\n");
    EXPECT_EQ(KindOf(leaving), Kind::kUntilNoLane);
    EXPECT_TRUE(is_undone(leaving));
  }
  EXPECT_FALSE(is_undone(Leaving("")));
  const std::string load = "%10 = get_sgpr64.u64 s126\n%11 = load.v32 %1, 0x7000, %10 {bytes=4}\n";
  const auto counting = [&](const std::string& body, const std::string& sets) {
    return KindOf(Counting(load + body, "set_vgpr v1, %11\n" + sets));
  };
  EXPECT_EQ(counting("", ""), Kind::kUniform);
  EXPECT_EQ(counting("%12 = lt_u.u64 %1, 7\n%13 = and.u64 %10, %12\n", "set_sgpr64 s126, %13\n"),
            Kind::kNone);
  EXPECT_EQ(counting("", "set_sgpr s127, %4\n"), Kind::kNone);
  EXPECT_EQ(counting("note_exec 0:u64\n", ""), Kind::kNone);
}

TEST(LoopPlans, VgprsThatKeepTheirInactiveLanes) {
  const std::string old = "%10 = get_vgpr.v32 v1\n%11 = add.v32 %10, %2\n";
  const auto with = [&](const std::string& value, const std::string& set) {
    return KindOf(Leaving(old + "%20 = get_sgpr64.u64 s4\n" + value, set));
  };
  const auto written = [&](const std::string& value) { return with(value, "set_vgpr v1, %21\n"); };
  EXPECT_EQ(written("%21 = select.v32 %1, %11, %10\n"), Kind::kUntilNoLane);
  EXPECT_EQ(written("%21 = select.v32 %5, %11, %10\n"), Kind::kUntilNoLane);
  // The other lanes change.
  EXPECT_EQ(written("%21 = not.v32 %11\n"), Kind::kNone);
  EXPECT_EQ(written("%21 = select.v32 %20, %11, %2\n"), Kind::kNone);
  EXPECT_EQ(written("%21 = select.v32 %1, %11, %2\n"), Kind::kNone);
  // Under one mask, then under another one that is within EXEC, too.
  EXPECT_EQ(written("%22 = select.v32 %1, %11, %10\n%21 = select.v32 %5, %2, %22\n"),
            Kind::kUntilNoLane);
  // Masks that are not empty where EXEC is.
  EXPECT_EQ(written("%21 = select.v32 %20, %11, %10\n"), Kind::kNone);
  EXPECT_EQ(written("%21 = select.v32 %4, %11, %10\n"), Kind::kNone);
  EXPECT_EQ(written("%22 = select.v32 %20, %11, %10\n%21 = select.v32 %1, %2, %22\n"), Kind::kNone);
  EXPECT_EQ(written("%22 = not.u64 %1\n%21 = select.v32 %22, %10, %11\n"), Kind::kNone);
  // The other lanes are never read.
  for (const char* value : {"not.v32 %11", "select.v32 %20, %11, %10", "select.v32 %4, %10, %11"}) {
    EXPECT_EQ(with("%21 = " + std::string(value) + "\n", "set_vgpr v1, %21 {active}\n"),
              Kind::kUntilNoLane);
  }
  // Lanes of their own, as v_writelane writes them.
  EXPECT_EQ(written("%22 = lane_id.v32\n%23 = eq.u64 %22, 3\n%21 = select.v32 %23, %11, %10\n"),
            Kind::kNone);
  // In loops where all slices run equally long, all this does not matter.
  EXPECT_EQ(KindOf(Counting("%10 = get_vgpr.v32 v1\n%22 = lane_id.v32\n%23 = eq.u64 %22, 3\n"
                            "%21 = select.v32 %23, %1, %10\n",
                            "set_vgpr v1, %21\n")),
            Kind::kUniform);
}

}  // namespace
}  // namespace gcnjit::backend::loop_plan_tests
