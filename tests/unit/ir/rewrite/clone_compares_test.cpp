// Compares that several ANDs want.
#include "ir/rewrite/clone_compares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "backend_x64/plan/fuse_compares.h"
#include "ir/analysis/uses.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

// A block: %1 and %2 are masks, %3 and %4 lanes; the masks %20 to %22 are results.
ir::Function Parse(const std::string& lines) {
  ir::ParseResult parsed = ir::Parse(
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s126\n%2 = get_sgpr64.u64 s8\n"
      "%3 = get_vgpr.v32 v0\n%4 = get_vgpr.v32 v1\n" +
      lines + "set_sgpr64 s10, %20\nset_sgpr64 s12, %21\nset_sgpr64 s14, %22\nexit end, 0x4\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << '\n'
                             << lines;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{}) << lines;
  return std::move(parsed.function);
}

ir::Function Cloned(const std::string& lines) {
  ir::Function function = Parse(lines);
  std::vector<ir::LaneShape> shapes(function.insts.size());
  CloneCompares(function, shapes);
  EXPECT_EQ(shapes.size(), function.insts.size());
  EXPECT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  return function;
}

long Compares(const ir::Function& function) {
  return std::ranges::count_if(function.blocks[0].insts, [&](ir::Value v) {
    return ir::IsNarrowCompare(function, function[v]);
  });
}

TEST(CloneCompares, OnceForEachAnd) {
  const std::string lines =
      "%10 = ne.u64 %3, 7\n%20 = and.u64 %1, %10\n%21 = andnot.u64 %2, %10\n"
      "%22 = and.u64 %10, %20\n";
  const ir::Function after = Cloned(lines);
  EXPECT_EQ(Compares(after), 3);
  const std::vector<ir::Value>& insts = after.blocks[0].insts;
  for (size_t n = 0; n < insts.size(); ++n) {
    const ir::Op op = after[insts[n]].op;
    if (op != ir::Op::kAnd && op != ir::Op::kAndNot) continue;
    EXPECT_EQ(after[insts[n - 1]].op, ir::Op::kNe) << "right before " << ir::Print(after);
  }
}

TEST(CloneCompares, NotWhatIsWantedOnce) {
  const std::string lines =
      "%10 = ne.u64 %3, 7\n%20 = and.u64 %1, %10\n%21 = or.u64 %1, %2\n%22 = or.u64 %2, %1\n";
  EXPECT_EQ(ir::Print(Cloned(lines)), ir::Print(Parse(lines)));
}

// Who wants it another way gets the one that there was.
TEST(CloneCompares, LeavesTheOriginalToOthers) {
  const std::string kAnd = "%10 = lt_u.u64 %3, %4\n%20 = and.u64 %1, %10\n";
  EXPECT_EQ(Compares(Cloned(kAnd + "%21 = or.u64 %2, %10\n%22 = or.u64 %10, %1\n")), 2);
  // What is complemented can be taken in, but nothing else of an andnot.
  const std::string lines = kAnd + "%21 = andnot.u64 %10, %2\n%22 = and.u64 %2, %10\n";
  const ir::Function before = Parse(lines);
  const ir::Function after = Cloned(lines);
  EXPECT_EQ(Compares(after), 3);
  for (const ir::Value v : after.blocks[0].insts) {
    if (after[v].op != ir::Op::kAndNot) continue;
    EXPECT_EQ(after[v].args[0], before[v].args[0]);
  }
}

TEST(CloneCompares, NotWhereTwoMeet) {
  const std::string lines =
      "%10 = lt_u.u64 %3, %4\n%11 = ne.u64 %3, 7\n%20 = and.u64 %11, %10\n"
      "%21 = and.u64 %10, %11\n%22 = or.u64 %1, %2\n";
  EXPECT_EQ(ir::Print(Cloned(lines)), ir::Print(Parse(lines)));
}

TEST(CloneCompares, NotLanesOf64Bits) {
  const std::string lines =
      "%10 = pack.v64 %3, %4\n%11 = ne.u64 %10, %1\n%20 = and.u64 %1, %11\n"
      "%21 = and.u64 %2, %11\n%22 = or.u64 %1, %2\n";
  EXPECT_EQ(ir::Print(Cloned(lines)), ir::Print(Parse(lines)));
}

TEST(CloneCompares, KeepWhatIsKnown) {
  ir::Function function = Parse(
      "%10 = ne.u64 %3, 7\n%20 = and.u64 %1, %10\n%21 = and.u64 %2, %10\n"
      "%22 = or.u64 %1, %2\n");
  std::vector<ir::LaneShape> shapes(function.insts.size());
  for (ir::LaneShape& shape : shapes) shape.run = 32;
  CloneCompares(function, shapes);
  for (const ir::Value v : function.blocks[0].insts) EXPECT_EQ(shapes[v.id].run, 32);
}

TEST(CloneCompares, GiveTheSame) {
  const std::string lines =
      "%10 = lt_s.u64 %3, %4\n%11 = fcmp.u64 %4, 1.0 {nle_us, rn}\n%12 = and.u64 %1, %10\n"
      "%13 = andnot.u64 %12, %11\n%20 = and.u64 %11, %13\n%21 = andnot.u64 %2, %10\n"
      "%22 = and.u64 %11, %10\n";
  std::mt19937_64 random(1);
  for (int n = 0; n < 20; ++n) {
    Machine machine;
    for (int v = 0; v < 2; ++v) {
      for (uint32_t& lane : machine.vgpr[v])
        lane = 0x3F7FFFFE + static_cast<uint32_t>(random() % 4);
    }
    for (const int sgpr : {8, 9, 126, 127}) machine.sgpr[sgpr] = static_cast<uint32_t>(random());
    const Outcome expected = RunEvaluator(Parse(lines), machine);
    EXPECT_EQ(Difference(RunEvaluator(Cloned(lines), machine), expected), "");
    for (const HostIsa isa : HostIsas()) {
      CompiledBlock compiled(Parse(lines), isa, {});
      EXPECT_EQ(Difference(compiled.Run(machine), expected), "") << NameOf(isa);
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
