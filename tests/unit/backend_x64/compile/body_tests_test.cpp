// Long divisions, and other bodies that seldom have a lane, in group code.
#include "backend_x64/compile/body_tests.h"

#include <gtest/gtest.h>

#include <string>

#include "backend_x64/compile/lane_guards.h"
#include "tests/unit/backend_x64/compile/guarded_block.h"

namespace gcnjit::backend {
namespace {

// %8: the high halves of an id of 64 bits, which begins at s8:s9 and s8.
const std::string kId =
    "block 0x0 instructions=100\nguest 0 0x0\n%1 = get_sgpr.u32 s8\n%2 = get_sgpr.u32 s9\n"
    "%3 = lane_id.v32\n%4 = add.v32 %3, %1\n%5 = get_sgpr64.u64 s8\n%6 = zext.v64 %4\n"
    "%7 = add.v64 %5, %6\n%8 = high.v32 %7\n%9 = low.v32 %7\n";
const std::string kBody =
    "skipped %11 {count=90, tested}\n%12 = mul.v32 %8, %9\n%13 = select.v32 %11, %12, 0\n"
    "%14 = eq.u64 %10, 0\n%15 = mul.v32 %9, %9\n%16 = select.v32 %14, %15, %13\nset_vgpr v0, %16\n"
    "set_vgpr v1, %13\n";

ir::Function Parse(const std::string& text) {
  ir::ParseResult parsed = ir::Parse(text);
  EXPECT_FALSE(parsed.error) << text << (parsed.error ? parsed.error->message : "");
  return std::move(parsed.function);
}

int CountOps(const ir::Function& function, ir::Op op) {
  const auto& insts = function.blocks[0].insts;
  return static_cast<int>(
      std::count_if(insts.begin(), insts.end(), [&](ir::Value v) { return function[v].op == op; }));
}

// `test` makes %10 of the halves; the body is empty where all of that is 0.
std::string TestOf(const std::string& test, const std::string& more = "") {
  return kId + test + "%11 = ne.u64 %10, 0\n" + kBody + more + "exit end, 0x4\n";
}

const std::string kTests[] = {"%10 = or.v32 %8, %2\n", "%10 = or.v32 %2, %8\n",
                              "%10 = high.v32 %7\n",
                              "%20 = or.v32 %8, %2\n%21 = and.u32 %1, 0\n%10 = or.v32 %20, %21\n",
                              "%20 = ashr.u32 %2, 31\n%10 = or.v32 %8, %20\n"};

TEST(BodyTests, BodiesWithoutLanesAreWhatTheyWere) {
  for (const std::string& test : kTests) {
    SCOPED_TRACE(test);
    EXPECT_GT(CountHolding(AssumeLaneGuards, TestOf(test)), 0);
  }
}

TEST(BodyTests, AreTakenOut) {
  for (const std::string& test : kTests) {
    SCOPED_TRACE(test);
    ir::Function function = Parse(TestOf(test));
    EXPECT_TRUE(HasBodyTests(function));
    ASSERT_TRUE(AssumeLaneGuards(function));
    EXPECT_FALSE(HasBodyTests(function)) << ir::Print(function);
    EXPECT_EQ(CountOps(function, ir::Op::kMul), 1) << ir::Print(function);
    EXPECT_EQ(CountOps(function, ir::Op::kSelect), 0) << ir::Print(function);
    EXPECT_EQ(function.blocks[0].instruction_count, 10u);
  }
}

// The quotient is divided once more: its high half is 0 where the first body is empty.
TEST(BodyTests, OneAfterTheOther) {
  const std::string second =
      "%30 = or.v32 %13, %2\n%31 = ne.u64 %30, 0\nskipped %31 {count=5, tested}\n"
      "%32 = add.v32 %13, %9\n%33 = select.v32 %31, %32, %16\nset_vgpr v1, %33\n";
  ir::Function function = Parse(TestOf(kTests[0], second));
  ASSERT_TRUE(AssumeLaneGuards(function));
  EXPECT_FALSE(HasBodyTests(function)) << ir::Print(function);
  EXPECT_EQ(function.blocks[0].instruction_count, 5u);
  EXPECT_GT(CountHolding(AssumeLaneGuards, TestOf(kTests[0], second)), 0);
}

// Waves of a group have a guard for all.
TEST(BodyTests, EqualTestsShareTheirGuards) {
  const std::string same =
      "%40 = add.v32 %4, 64\n%41 = zext.v64 %40\n%42 = add.v64 %5, %41\n"
      "%43 = high.v32 %42\n%44 = or.v32 %43, %2\n%45 = ne.u64 %44, 0\n"
      "skipped %45 {count=7, tested}\n%46 = select.v32 %45, %9, 0\n"
      "set_vgpr v1, %46\n";
  ir::Function one = Parse(TestOf(kTests[0]));
  ir::Function both = Parse(TestOf(kTests[0], same));
  ASSERT_TRUE(AssumeLaneGuards(one));
  ASSERT_TRUE(AssumeLaneGuards(both));
  EXPECT_FALSE(HasBodyTests(both)) << ir::Print(both);
  EXPECT_EQ(CountOps(both, ir::Op::kGuard), CountOps(one, ir::Op::kGuard)) << ir::Print(both);
}

// A carry in a body that stays may be set as well.
TEST(BodyTests, NothingOfABodyIsAGuard) {
  const auto guards = [](const std::string& wanted_in) {
    std::string text = kId + "%50 = get_vgpr.v32 v1\n%11 = ne.u64 %50, 0\n" +
                       "skipped %11 {count=90, tested}\n%60 = lt_u.u1 %1, %2\n"
                       "%61 = select.u64 %60, 0xffffffffffffffff:u64, 0:u64\n"
                       "%62 = lt_u.u64 %4, %2\n%63 = select.v32 %61, %50, %9\n"
                       "%64 = select.v32 %62, %63, %50\n";
    for (int n = 65; n < 95; ++n) {
      text += "%" + std::to_string(n) + " = mul.v32 %50, %" + std::to_string(n - 1) + "\n";
    }
    ir::Function function = Parse(text + "%95 = select.v32 " + wanted_in +
                                  ", %94, %9\nset_vgpr v0, %95\nexit end, 0x4\n");
    AssumeLaneGuards(function);
    return CountOps(function, ir::Op::kGuard);
  };
  EXPECT_EQ(guards("%11"), 0);
  EXPECT_GT(guards("0xffffffffffffffff:u64"), 0);
}

// A body of some ids is as likely to have lanes as not.
TEST(BodyTests, OtherBodiesAreNotAssumedEmpty) {
  for (const char* const test : {"lt_u.u64 %4, %2", "ne.u64 %4, 0", "ne.u64 %4, %2"}) {
    SCOPED_TRACE(test);
    ir::Function function =
        Parse(kId + "%10 = high.v32 %7\n%11 = " + test + "\n" + kBody + "exit end, 0x4\n");
    AssumeLaneGuards(function);
    EXPECT_EQ(CountOps(function, ir::Op::kMul), 2) << ir::Print(function);
  }
}

// Lanes that a load or a register decides are no guard.
TEST(BodyTests, OfLoadedLanesStay) {
  ir::Function function =
      Parse(kId + "%50 = get_vgpr.v32 v1\n%10 = or.v32 %50, 0\n%11 = ne.u64 %10, 0\n" + kBody +
            "exit end, 0x4\n");
  AssumeLaneGuards(function);
  EXPECT_TRUE(HasBodyTests(function));
  EXPECT_EQ(function.blocks[0].instruction_count, 100u);
}

}  // namespace
}  // namespace gcnjit::backend
