// What lanes that leave loops leave behind.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "backend_x64/plan/fuse_compares.h"
#include "ir/analysis/uses.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/rewrite/exit_masks.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

// A block: %1 is EXEC, %2 what lanes leave for, %3 what has collected those that have left.
ir::Function Parse(const std::string& lines) {
  ir::ParseResult parsed = ir::Parse(
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s126\n"
      "%2 = get_sgpr64.u64 s6\n%3 = get_sgpr64.u64 s4\n" +
      lines + "exit end, 0x4\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{}) << lines;
  return std::move(parsed.function);
}

std::string Simplified(const std::string& lines, size_t apart) {
  ir::Function function = Parse(lines);
  SimplifyExitMasks(function, ir::SgprPairs().set(apart));
  return ir::Print(function);
}

const std::string kSets = "set_sgpr64 s126, %9\nset_sgpr64 s4, %5\n";
const std::string kAsCompiled = "%4 = and.u64 %1, %2\n%5 = or.u64 %4, %3\n%9 = andnot.u64 %1, %5\n";

TEST(ExitMasks, AreWhatTheMaskIsTakenFrom) {
  const std::string wanted =
      ir::Print(Parse("%4 = and.u64 %1, %2\n%5 = or.u64 %4, %3\n%9 = andnot.u64 %1, %2\n" + kSets));
  EXPECT_EQ(Simplified(kAsCompiled + kSets, 4), wanted);
  // Either way round.
  for (const std::string sum : {"%4, %3", "%3, %4"}) {
    for (const std::string left : {"%1, %2", "%2, %1"}) {
      const auto with_exec = [&](const std::string& gone) {
        return "%4 = and.u64 " + left + "\n%5 = or.u64 " + sum + "\n%9 = andnot.u64 %1, " + gone +
               "\n" + kSets;
      };
      EXPECT_EQ(Simplified(with_exec("%5"), 4), ir::Print(Parse(with_exec("%2"))));
    }
  }
}

TEST(ExitMasks, NothingElseIsTouched) {
  for (const std::string& lines : {
           // Of another mask than EXEC, and masks that are not apart.
           "%4 = and.u64 %1, %2\n%5 = or.u64 %4, %3\n%9 = andnot.u64 %2, %5\n" + kSets,
           "%5 = xor.u64 %2, %3\n%9 = andnot.u64 %1, %5\n" + kSets,
           "%4 = not.u64 %3\n%5 = or.u64 %4, %2\n%9 = andnot.u64 %1, %5\n" + kSets,
           "%5 = and.u64 %2, %3\n%9 = andnot.u64 %1, %5\n" + kSets,
           "%5 = or.u64 %1, %3\n%9 = and.u64 %1, %5\n" + kSets,
       }) {
    EXPECT_EQ(Simplified(lines, 4), ir::Print(Parse(lines))) << lines;
  }
  // s4 may have lanes in common; what is taken from EXEC may be taken under EXEC or not.
  EXPECT_EQ(Simplified("%5 = or.u64 %2, %3\n%9 = andnot.u64 %1, %5\n" + kSets, 8),
            ir::Print(Parse("%5 = or.u64 %2, %3\n%9 = andnot.u64 %1, %5\n" + kSets)));
}

// For any masks that are apart; and not for others, or the proof would be for nothing.
TEST(ExitMasks, GiveTheSameWhereTheMasksAreApart) {
  const ir::Function function = Parse(kAsCompiled + kSets);
  ir::Function simplified = function;
  SimplifyExitMasks(simplified, ir::SgprPairs().set(4));
  std::mt19937_64 random(1);
  int different = 0;
  for (int n = 0; n < 200; ++n) {
    Machine machine;
    const auto set = [&](size_t pair, uint64_t value) {
      machine.sgpr[pair] = static_cast<uint32_t>(value);
      machine.sgpr[pair + 1] = static_cast<uint32_t>(value >> 32);
    };
    const uint64_t exec = random();
    const uint64_t gone = random();
    set(126, exec);
    set(6, random());
    set(4, gone & ~exec);
    EXPECT_EQ(Difference(RunEvaluator(simplified, machine), RunEvaluator(function, machine)), "");
    set(4, gone);
    different +=
        !Difference(RunEvaluator(simplified, machine), RunEvaluator(function, machine)).empty();
  }
  EXPECT_GT(different, 100);
}

bool Collects(const std::string& lines, const std::string& sets) {
  const ir::Function function = Parse(lines + "set_sgpr64 s126, %9\n" + sets);
  const ir::Block& block = function.blocks[0];
  const std::vector<uint32_t> uses = ir::CountUses(function, block);
  ir::Value next_exec, collector;
  for (const ir::Value v : block.insts) {
    const ir::Inst& inst = function[v];
    if (inst.op != ir::Op::kSetSgpr64) continue;
    (inst.imm == ir::kExec ? next_exec : collector) = inst.imm == ir::kExec ? inst.args[0] : v;
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
}  // namespace gcnjit::backend
