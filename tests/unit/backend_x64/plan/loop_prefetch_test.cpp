#include "backend_x64/plan/loop_prefetch.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::backend {
namespace {

constexpr int kEnough = 20;

// A block that computes `lane_ops` values and does `more`.
std::string Quiet(const std::string& begin, int lane_ops, const std::string& more,
                  const std::string& end) {
  const int first = std::stoi(begin, nullptr, 16) * 10;  // values have their numbers once
  const auto value = [first](int n) { return "%" + std::to_string(first + n); };
  std::string text = "block " + begin + " instructions=1\nguest 0 " + begin + "\n";
  text += value(0) + " = get_vgpr.v32 v7\n";
  for (int n = 1; n < lane_ops; ++n) {
    text += value(n) + " = add.v32 " + value(n - 1) + ", " + value(0) + "\n";
  }
  return text + "set_vgpr v7, " + value(lane_ops - 1) + "\n" + more + end + "\n";
}

// A block at 0x40 that loads by the index %9, which goes on with the loop.
std::string Loads(const std::string& index, const std::string& end,
                  const std::string& form = "{bytes=4, index=sext<<2}") {
  return "block 0x40 instructions=1\nguest 0 0x40\n%1 = get_sgpr64.u64 s0\n%2 = get_vgpr.v32 v0\n"
         "%3 = get_sgpr.u32 s4\n%4 = get_vgpr.v32 v1\n" +
         index + "%10 = load.v32 %9, %1, 0xffffffffffffffff:u64 " + form +
         "\nset_vgpr v2, %10\n%11 = add.v32 %2, 16\nset_vgpr v0, %11\n" + end + "\n";
}
const std::string kPrefetchIndex = "%9 = add.v32 %2, 0\n";

// Which blocks ask for what: "0x80: v0 v1 s4 s[0:1]", a line a load.
std::string Plan(const std::string& text) {
  const ir::ParseResult parsed = ir::Parse(text);
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << "\n" << text;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  const LoopAhead plan = PlanLoopAhead(parsed.function);
  EXPECT_EQ(plan.asked_in.size(), plan.asked_for.size());
  std::string result;
  for (const auto& [begin, loads] : plan.asked_in) {
    EXPECT_EQ(plan.asked_for, std::set<uint64_t>{0x40});
    for (const AheadLoad& load : loads) {
      std::string line = std::to_string(begin) + ":";
      for (const int n : load.vgprs) line += " v" + std::to_string(n);
      for (const int n : load.sgprs) line += " s" + std::to_string(n);
      line += " base s" + std::to_string(load.base);
      if (load.offset != 0) line += " + " + std::to_string(load.offset);
      result += line + "\n";
    }
  }
  return result;
}

TEST(LoopPrefetch, IsAskedForInABlockThatComputes) {
  EXPECT_EQ(Plan(Loads(kPrefetchIndex, "jump 0x80") + Quiet("0x80", kEnough, "", "jump 0x40")),
            "128: v0 base s0\n");
  // After a barrier, with a way out of the loop; the block with the most to do.
  EXPECT_EQ(Plan(Loads("%8 = add.v32 %2, %4\n%7 = add.v32 %3, 5\n%9 = add.v32 %7, %8\n",
                       "exit barrier, 0x60") +
                 Quiet("0x60", kEnough, "", "exit barrier, 0x80") +
                 Quiet("0x80", kEnough + 1, "%90 = get_scc.u1\n", "branch %90, 0xc0, 0x40") +
                 Quiet("0xc0", 100, "", "exit end, 0")),
            "128: v0 v1 s4 base s0 + 20\n");
}

TEST(LoopPrefetch, NeedsAWayBackThatLeavesTheRegistersAlone) {
  const auto after = [](const std::string& more) {
    return Plan(Loads("%9 = add.v32 %3, %2\n", "jump 0x80") +
                Quiet("0x80", kEnough, more, "jump 0xc0") + Quiet("0xc0", 1, "", "jump 0x40"));
  };
  EXPECT_EQ(after("%90 = get_vgpr.v32 v3\nset_vgpr v5, %90\nset_sgpr s5, 1\n"),
            "128: v0 s4 base s0\n");
  EXPECT_EQ(after("%90 = get_vgpr.v32 v3\nset_vgpr v0, %90\n"), "");
  EXPECT_EQ(after("set_sgpr s4, 1\n"), "");
  EXPECT_EQ(after("set_sgpr s1, 1\n"), "");
  EXPECT_EQ(Plan(Loads(kPrefetchIndex, "jump 0x80") + Quiet("0x80", kEnough, "", "jump 0xc0") +
                 Quiet("0xc0", 1, "%90 = get_vgpr.v32 v3\nset_vgpr v0, %90\n", "jump 0x40")),
            "");
  EXPECT_EQ(Plan(Loads(kPrefetchIndex, "jump 0x80") + Quiet("0x80", kEnough, "", "exit end, 0")),
            "");
  EXPECT_EQ(Plan(Loads(kPrefetchIndex, "jump 0x80") + Quiet("0x80", kEnough, "", "jump 0x400")),
            "");
}

TEST(LoopPrefetch, NeedsABlockWithEnoughToDoButNoAccesses) {
  EXPECT_EQ(Plan(Loads(kPrefetchIndex, "jump 0x80") + Quiet("0x80", 3, "", "jump 0x40")), "");
  EXPECT_EQ(Plan(Loads(kPrefetchIndex, "jump 0x80") +
                 Quiet("0x80", kEnough,
                       "%90 = get_sgpr64.u64 s8\n%92 = get_vgpr.v32 v3\n"
                       "%91 = load.v32 %92, %90, 0xffffffffffffffff:u64 "
                       "{bytes=4, index=sext<<2}\nset_vgpr v3, %91\n",
                       "jump 0x40")),
            "");
}

TEST(LoopPrefetch, NeedsSumsOfRegisters) {
  EXPECT_EQ(Plan(Loads("%8 = mul.v32 %2, %4\n%9 = add.v32 %8, %2\n", "jump 0x80") +
                 Quiet("0x80", kEnough, "", "jump 0x40")),
            "");
  EXPECT_EQ(Plan(Loads(kPrefetchIndex, "jump 0x80", "{bytes=4, index=sext<<4}") +
                 Quiet("0x80", kEnough, "", "jump 0x40")),
            "");
  // An index that no iteration changes.
  EXPECT_EQ(
      Plan(Loads("%9 = add.v32 %4, 1\n", "jump 0x80") + Quiet("0x80", kEnough, "", "jump 0x40")),
      "");
}

}  // namespace
}  // namespace gcnjit::backend
