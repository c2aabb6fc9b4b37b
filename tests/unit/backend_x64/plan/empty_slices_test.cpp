// Which stages leave out slices without an active lane.
#include "backend_x64/plan/empty_slices.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "backend_x64/plan/repeated_parts.h"
#include "backend_x64/plan/stages.h"
#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::backend {
namespace {

// Products have lanes that are known. A block by its stages: '.' all slices are run, 'x' empty ones
// are left out; after it, for each mask that these leave, '0' or the SGPR pair. `parts`: of the
// stages' slices, if not as planned.
std::string StagesOf(const std::string& lines, const std::vector<int>& parts = {}) {
  const std::string text =
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s126\n" + lines + "jump 0x4\n";
  ir::ParseResult parsed = ir::Parse(text);
  if (parsed.error) return parsed.error->message + " in " + text;
  const auto messages = ir::Verify(parsed.function);
  if (!messages.empty()) return messages.front() + " in " + text;
  const ir::Function& function = parsed.function;
  const size_t values = function.insts.size();
  const ir::Block& block = function.blocks[0];
  StagePlan plan = PlanStages(function, block, /*lanes_per_register=*/8, {13, 0, 0},
                              std::vector<uint8_t>(values, kAllPartBits),
                              FindWanted(function, block, 8), std::vector<LaneStep>(values));
  std::vector<ir::LaneShape> shapes(values);
  for (size_t id = 0; id < values; ++id) {
    if (function.insts[id].op == ir::Op::kSetVgpr) {
      shapes[id] = shapes[function.insts[id].args[0].id];
    } else if (function.insts[id].op == ir::Op::kMul) {
      shapes[id].run = 8;
    }
  }
  for (size_t n = 0; n < parts.size(); ++n) plan.stages.at(n).slice_parts = parts[n];
  FindEmptySlices(function, block, FindWanted(function, block, 8), shapes, 8, plan);
  std::string text_of_stages;
  for (const Stage& stage : plan.stages) {
    if (stage.lane_ops.empty()) continue;
    text_of_stages += stage.idle_masks ? 'x' : '.';
    if (!stage.idle_masks) continue;
    for (const IdleMask& idle : *stage.idle_masks) {
      text_of_stages += idle.pair ? "s" + std::to_string(*idle.pair) : "0";
    }
  }
  return text_of_stages;
}

// %10 is v0, %11 v1, %12 a mask of lanes.
const std::string kCompare =
    "%10 = get_vgpr.v32 v0\n%11 = get_vgpr.v32 v1\n%12 = lt_u.u64 %10, %11\n"
    "%13 = add.v32 %10, %11\n";

TEST(EmptySlices, VgprsThatKeepTheirOtherLanes) {
  EXPECT_EQ(StagesOf(kCompare + "%14 = select.v32 %1, %13, %10\nset_vgpr v0, %14\n"), "x");
  EXPECT_EQ(StagesOf(kCompare + "%15 = and.u64 %1, %12\n%14 = select.v32 %15, %13, %10\n"
                                "set_vgpr v0, %14\n"),
            "x");
  EXPECT_EQ(StagesOf(kCompare + "set_vgpr v0, %13 {active}\n"), "x");
  // All lanes, other ones, and those of another register.
  EXPECT_EQ(StagesOf(kCompare + "set_vgpr v0, %13\n"), ".");
  EXPECT_EQ(StagesOf(kCompare + "%14 = select.v32 %12, %13, %10\nset_vgpr v0, %14\n"), ".");
  EXPECT_EQ(StagesOf(kCompare + "%14 = select.v32 %1, %13, %11\nset_vgpr v0, %14\n"), ".");
}

TEST(EmptySlices, MasksThatOthersRead) {
  EXPECT_EQ(StagesOf(kCompare + "%15 = and.u64 %1, %12\nset_sgpr64 s4, %15\n"), "x0");
  EXPECT_EQ(StagesOf(kCompare + "%15 = andnot.u64 %1, %12\nset_sgpr64 s4, %15\n"), "x0");
  EXPECT_EQ(StagesOf(kCompare + "%15 = and.u64 %1, %12\n%16 = get_sgpr64.u64 s8\n"
                                "%17 = or.u64 %16, %15\nset_sgpr64 s4, %17\n"),
            "xs8");
  EXPECT_EQ(StagesOf(kCompare + "set_sgpr64 s4, %12\n"), ".");
  EXPECT_EQ(StagesOf(kCompare + "%15 = andnot.u64 %12, %1\n%16 = not.u64 %15\n"
                                "set_sgpr64 s4, %16\n"),
            ".");
}

TEST(EmptySlices, Memory) {
  const std::string low = "%20 = get_vgpr.v32 v2\n%21 = get_vgpr.v32 v3\n";
  const auto load = [](const std::string& mask) {
    return "%22 = load.v32 %20, %21, " + mask + " {bytes=4}\n";
  };
  const auto store = [](const std::string& mask) {
    return "store %20, %21, " + mask + ", %10 {bytes=4}\n";
  };
  const std::string before = kCompare + low + "%15 = and.u64 %1, %12\n%16 = get_sgpr64.u64 s8\n";
  EXPECT_EQ(StagesOf(before + load("%1") + "set_vgpr v4, %22 {active}\n"), "x");
  EXPECT_EQ(StagesOf(before + load("%16") + "set_vgpr v4, %22 {active}\n"), ".");
  EXPECT_EQ(StagesOf(before + store("%1") + load("%15") + "set_vgpr v4, %22 {active}\n"), "x0x");
  EXPECT_EQ(StagesOf(before + store("%16") + load("%15") + "set_vgpr v4, %22 {active}\n"), ".x");
}

// What the lanes of another slice are read from is made by all slices.
TEST(EmptySlices, ReadersOfOtherLanes) {
  const std::string sum = kCompare + "%14 = select.v32 %1, %13, %10\nset_vgpr v0, %14\n";
  EXPECT_EQ(StagesOf(sum + "%15 = readlane.u32 %14, 3\nset_sgpr s4, %15\n"), ".");
  EXPECT_EQ(StagesOf(sum + "%15 = readlane.u32 %11, 3\nset_sgpr s4, %15\n"), "x");
}

// Slices that do not write a VGPR do not keep what it had.
TEST(EmptySlices, ReadersOfTheOldValue) {
  const std::string write = kCompare + "%14 = select.v32 %1, %13, %10\nset_vgpr v0, %14\n";
  const std::string low = "%20 = get_vgpr.v32 v2\n%21 = get_vgpr.v32 v3\n";
  const auto store = [](const std::string& mask, const std::string& value) {
    return "store %20, %21, " + mask + ", " + value + " {bytes=4}\n";
  };
  EXPECT_EQ(StagesOf(write + low + store("%1", "%11") + store("%1", "%10")), "xx");
  EXPECT_EQ(StagesOf(write + low + store("%1", "%11") + "%16 = get_sgpr64.u64 s8\n" +
                     store("%16", "%10")),
            "..");
  EXPECT_EQ(StagesOf(write + low + store("%1", "%11") + "%16 = get_sgpr64.u64 s8\n" +
                     store("%16", "%11")),
            "x.");
}

// A wider slice need not be empty where a narrower one was.
TEST(EmptySlices, WiderSlicesOfLaterStages) {
  const std::string lines = kCompare +
                            "%20 = get_vgpr.v32 v2\n%21 = get_vgpr.v32 v3\n"
                            "store %20, %21, %1, %10 {bytes=4}\n"
                            "store %20, %21, %1, %13 {bytes=4}\n";
  EXPECT_EQ(StagesOf(lines, {2, 2}), "xx");
  EXPECT_EQ(StagesOf(lines, {4, 1}), "xx");
  EXPECT_EQ(StagesOf(lines, {1, 4}), ".x");
}

// Others rely on all lanes of what is known.
TEST(EmptySlices, LanesThatAreKnown) {
  const std::string product = kCompare + "%20 = mul.v32 %10, 12\n";
  EXPECT_EQ(StagesOf(product + "set_vgpr v4, %20 {active}\n"), ".");
  EXPECT_EQ(StagesOf(product + "%21 = add.v32 %20, %11\nset_vgpr v4, %21 {active}\n"), "x");
  EXPECT_EQ(StagesOf(product + "%21 = select.v32 %1, %20, %10\nset_vgpr v0, %21\n"), "x");
}

// EXEC that gets lanes back: those are active that it has then.
TEST(EmptySlices, MoreLanesThanAtTheBegin) {
  const std::string write = "set_vgpr v0, %13 {active}\n";
  const std::string more = "%16 = get_sgpr64.u64 s8\n%17 = or.u64 %1, %16\n";
  const auto of_lanes = [](const std::string& mask) {
    return "%18 = select.v32 " + mask + ", %13, %11\nset_vgpr v1, %18\n";
  };
  EXPECT_EQ(StagesOf(kCompare + more + "note_exec %17\n" + write), "x");
  EXPECT_EQ(StagesOf(kCompare + more + "note_exec %17\n" + of_lanes("%17")), "x");
  EXPECT_EQ(StagesOf(kCompare + more + "note_exec %17\n" + of_lanes("%1") + write), "x");
  EXPECT_EQ(StagesOf(kCompare + more + of_lanes("%17") + write), ".");
  EXPECT_EQ(StagesOf(kCompare + "note_exec 0xffffffffffffffff:u64\n" + write), ".");
  // Lanes that have nothing to do with the begin's.
  EXPECT_EQ(StagesOf(kCompare + "%16 = get_sgpr64.u64 s8\nnote_exec %16\n" + write), ".");
}

}  // namespace
}  // namespace gcnjit::backend
