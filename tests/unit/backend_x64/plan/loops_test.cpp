// Which blocks are loops that a slice may run to its end.
#include "backend_x64/plan/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "backend_x64/plan/repeated_parts.h"
#include "backend_x64/plan/stages.h"
#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::backend {
namespace {

enum class Kind { kNone, kUniform, kUntilNoLane };

void PrintTo(Kind kind, std::ostream* out) {
  constexpr const char* kNames[] = {"no such loop", "uniform", "until no lane"};
  *out << kNames[static_cast<int>(kind)];
}

struct Planned {
  ir::Function function;
  StagePlan plan;
};

constexpr int64_t kNoVgpr = 256;

// VGPRs from `repeating` on hold values that repeat themselves, and have these part bits. Four
// registers are the wave's, or half of it.
Planned PlanOf(const std::string& lines, int64_t repeating = kNoVgpr, uint8_t bits = 0,
               int lanes_per_register = 16, const RegisterCounts& registers = {26, 6, 6},
               LoopAccesses accesses = LoopAccesses::kAny) {
  ir::ParseResult parsed = ir::Parse("block 0x0 instructions=1\nguest 0 0x0\n" + lines);
  if (parsed.error) {
    ADD_FAILURE() << parsed.error->line << ": " << parsed.error->message << '\n' << lines;
    return {};
  }
  const auto messages = ir::Verify(parsed.function);
  if (!messages.empty()) {
    ADD_FAILURE() << messages.front() << '\n' << lines;
    return {};
  }
  Planned planned{std::move(parsed.function), {}};
  std::vector<uint8_t> part_bits(planned.function.insts.size(), kAllPartBits);
  for (size_t id = 0; id < part_bits.size(); ++id) {
    const ir::Inst& inst = planned.function.insts[id];
    if (inst.op == ir::Op::kGetVgpr && inst.imm >= repeating) part_bits[id] = bits;
  }
  planned.plan = PlanStages(
      planned.function, planned.function.blocks[0], lanes_per_register, registers, part_bits,
      FindWanted(planned.function, planned.function.blocks[0], lanes_per_register),
      std::vector<LaneStep>(planned.function.insts.size()), accesses);
  return planned;
}

Kind KindOf(const std::string& lines) {
  const Planned planned = PlanOf(lines);
  if (!planned.plan.loop) return Kind::kNone;
  return planned.plan.loop->until_no_lane ? Kind::kUntilNoLane : Kind::kUniform;
}

// s0 counts down; %2 is its old value, %4 its new one, %1 is v0.
std::string Counting(const std::string& body, const std::string& sets = "",
                     const std::string& end = "branch %5, 0x0, 0x4\n") {
  return "%1 = get_vgpr.v32 v0\n%2 = get_sgpr.u32 s0\n%3 = add.v32 %1, %2\n%4 = sub.u32 %2, 1\n" +
         body + "set_vgpr v0, %3\nset_sgpr s0, %4\n" + sets + "%5 = ne.u1 %4, 0\n" + end;
}

// Lanes leave when v0 reaches 10; %1 is EXEC, %2 is v0, %3 its next value, %5 the next EXEC.
std::string Leaving(const std::string& body, const std::string& sets = "",
                    const std::string& end = "%6 = ne.u1 %5, 0:u64\nbranch %6, 0x0, 0x4\n") {
  return "%1 = get_sgpr64.u64 s126\n%2 = get_vgpr.v32 v0\n%3 = add.v32 %2, 1\n"
         "%4 = lt_u.u64 %3, 10\n%5 = and.u64 %1, %4\n" +
         body + "set_vgpr v0, %3 {active}\nset_sgpr64 s126, %5\n" + sets + end;
}

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

// A counted loop keeps some values in memory before its slices become narrower; what repeats itself
// takes one register.
TEST(LoopPlans, CountedLoopsHaveWideSlices) {
  const auto adding = [](int count) { return Adding(count, Counting, "branch %5, 0x0, 0x4\n"); };
  EXPECT_EQ(PartsOf(adding(4)), 4);
  EXPECT_EQ(PartsOf(adding(14)), 4);
  EXPECT_EQ(PartsOf(adding(21)), 2);
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
  EXPECT_EQ(PartsOf(adding(14)), 1);
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
}  // namespace gcnjit::backend
