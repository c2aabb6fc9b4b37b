// Masks of lanes that have left a loop: the rewrite needs masks that are apart, and pairs that only
// collect such lanes. What it gives: tests/filetests/rewrite/exit_masks.ir.
#include "ir/rewrite/exit_masks.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ir/analysis/uses.h"
#include "ir/parser.h"
#include "ir/verifier.h"
#include "tests/unit/ir/ir_machine.h"

namespace gcnjit::ir {
namespace {

// A block: %1 is EXEC, %2 what lanes leave for, %3 what has collected those that have left.
Function ParseLines(const std::string& lines) {
  ParseResult parsed = Parse(
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s126\n"
      "%2 = get_sgpr64.u64 s6\n%3 = get_sgpr64.u64 s4\n" +
      lines + "exit end, 0x4\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(Verify(parsed.function), std::vector<std::string>{}) << lines;
  return std::move(parsed.function);
}

const std::string kSets = "set_sgpr64 s126, %9\nset_sgpr64 s4, %5\n";
const std::string kAsCompiled = "%4 = and.u64 %1, %2\n%5 = or.u64 %4, %3\n%9 = andnot.u64 %1, %5\n";

// For any masks that are apart; and not for others, or the proof would be for nothing.
TEST(ExitMasks, GiveTheSameWhereTheMasksAreApart) {
  const Function function = ParseLines(kAsCompiled + kSets);
  Function simplified = function;
  SimplifyExitMasks(simplified, SgprPairs().set(4));
  const auto gives_the_same = [&](IrMachine machine) {
    IrMachine other = machine;
    machine.Run(function);
    other.Run(simplified);
    return machine == other;
  };
  std::mt19937_64 random(1);
  int different = 0;
  for (int n = 0; n < 200; ++n) {
    IrMachine machine;
    const auto set = [&](size_t pair, uint64_t value) {
      machine.sgpr[pair] = static_cast<uint32_t>(value);
      machine.sgpr[pair + 1] = static_cast<uint32_t>(value >> 32);
    };
    const uint64_t exec = random();
    const uint64_t gone = random();
    set(126, exec);
    set(6, random());
    set(4, gone & ~exec);
    EXPECT_TRUE(gives_the_same(machine));
    set(4, gone);
    different += !gives_the_same(machine);
  }
  EXPECT_GT(different, 100);
}

bool Collects(const std::string& lines, const std::string& sets) {
  const Function function = ParseLines(lines + "set_sgpr64 s126, %9\n" + sets);
  const Block& block = function.blocks[0];
  const std::vector<uint32_t> uses = CountUses(function, block);
  Value next_exec, collector;
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    if (inst.op != Op::kSetSgpr64) continue;
    (inst.imm == kExec ? next_exec : collector) = inst.imm == kExec ? inst.args[0] : v;
  }
  return IsCollector(function, uses, collector, next_exec);
}

TEST(ExitMasks, AreCollectedInAPair) {
  const std::string left = "%4 = and.u64 %1, %2\n";
  const std::string sum = "%5 = or.u64 %4, %3\n";
  const std::string next = "%9 = andnot.u64 %1, %2\n";
  const std::string set = "set_sgpr64 s4, %5\n";
  EXPECT_TRUE(Collects(left + sum + next, set));
  EXPECT_TRUE(Collects("%4 = and.u64 %2, %1\n%5 = or.u64 %3, %4\n" + next, set));
  // By a mask of the lanes that stay.
  const std::string others = "%4 = andnot.u64 %1, %2\n";
  EXPECT_TRUE(Collects(others + sum + "%9 = and.u64 %1, %2\n", set));
  EXPECT_TRUE(Collects(others + sum + "%9 = and.u64 %2, %1\n", set));
  EXPECT_FALSE(Collects(others + sum + next, set));
  EXPECT_FALSE(Collects(others + sum + "%9 = and.u64 %2, %2\n", set));
  EXPECT_FALSE(Collects("%4 = andnot.u64 %2, %1\n" + sum + "%9 = and.u64 %1, %2\n", set));
  const std::string another = "%6 = get_sgpr64.u64 s8\n";
  EXPECT_FALSE(Collects(another + "%4 = andnot.u64 %6, %2\n" + sum + "%9 = and.u64 %1, %2\n", set));
  EXPECT_FALSE(Collects(another + left + sum + "%9 = andnot.u64 %6, %2\n", set));
  // By copies of one compare, and by two compares.
  const auto by = [&](const std::string& other) {
    return Collects("%6 = get_vgpr.v32 v0\n%10 = get_vgpr.v32 v1\n%7 = lt_u.u64 %6, %10\n%8 = " +
                        other + "\n%4 = and.u64 %1, %7\n" + sum + "%9 = andnot.u64 %1, %8\n",
                    set);
  };
  EXPECT_TRUE(by("lt_u.u64 %6, %10"));
  EXPECT_FALSE(by("lt_u.u64 %10, %6"));
  EXPECT_FALSE(by("lt_u.u64 %6, %6"));
  EXPECT_FALSE(by("le_u.u64 %6, %10"));
  // Other lanes than those that leave.
  EXPECT_FALSE(Collects(left + sum + "%9 = and.u64 %1, %2\n", set));
  EXPECT_FALSE(Collects(left + sum + "%9 = andnot.u64 %2, %1\n", set));
  EXPECT_FALSE(Collects("%6 = get_sgpr64.u64 s8\n%4 = and.u64 %1, %6\n" + sum + next, set));
  EXPECT_FALSE(Collects("%6 = get_sgpr64.u64 s8\n%4 = and.u64 %6, %2\n" + sum + next, set));
  EXPECT_FALSE(Collects("%5 = or.u64 %2, %3\n" + next, set));
  EXPECT_FALSE(Collects("%4 = or.u64 %1, %2\n" + sum + next, set));
  // Not added to what the pair had.
  EXPECT_FALSE(Collects(left + "%5 = xor.u64 %4, %3\n" + next, set));
  EXPECT_FALSE(Collects(left + "%5 = and.u64 %4, %3\n" + next, set));
  EXPECT_FALSE(Collects(left + sum + next, "set_sgpr64 s8, %5\n"));
  EXPECT_FALSE(Collects("%5 = or.u64 %3, %3\n" + next, set));
  // Something else in the loop looks at it, at what is added, or at the sum.
  EXPECT_FALSE(Collects(left + sum + "%6 = not.u64 %3\n" + next, set));
  EXPECT_FALSE(Collects(left + sum + "%6 = not.u64 %4\n" + next, set));
  EXPECT_FALSE(Collects(left + sum + "%6 = not.u64 %5\n" + next, set));
  EXPECT_FALSE(Collects(left + sum + "%9 = andnot.u64 %1, %5\n", set));
}

}  // namespace
}  // namespace gcnjit::ir
