// Compares that AVX2 would have to invert.
#include "ir/rewrite/invert_compares.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

// A block: %1 is EXEC, %2 and %3 are lanes.
ir::Function Parse(const std::string& lines, const std::string& result) {
  ir::ParseResult parsed = ir::Parse(
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s126\n"
      "%2 = get_vgpr.v32 v0\n%3 = get_vgpr.v32 v1\n" +
      lines + (result.ends_with("v32") ? "set_vgpr v2, %9\n" : "set_sgpr64 s4, %9\n") +
      "exit end, 0x4\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << '\n'
                             << lines;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{}) << lines;
  return std::move(parsed.function);
}

// Values that meet each other, and the ends of both kinds of numbers.
Machine SomeLanes(std::mt19937_64& random) {
  constexpr uint32_t kValues[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, ~0u - 1, ~0u};
  Machine machine;
  for (int n = 0; n < 2; ++n) {
    for (uint32_t& lane : machine.vgpr[n]) lane = kValues[random() % std::size(kValues)];
  }
  machine.sgpr[126] = static_cast<uint32_t>(random());
  machine.sgpr[127] = static_cast<uint32_t>(random());
  return machine;
}

// The block becomes another one, which gives the same.
void Becomes(const std::string& lines, const std::string& wanted, const std::string& result) {
  const ir::Function before = Parse(lines, result);
  ir::Function after = before;
  std::vector<ir::LaneShape> shapes(after.insts.size());
  InvertCompares(after, shapes);
  EXPECT_EQ(ir::Print(after), ir::Print(Parse(wanted, result))) << lines;
  EXPECT_EQ(ir::Verify(after), std::vector<std::string>{}) << lines;
  std::mt19937_64 random(1);
  for (int n = 0; n < 20; ++n) {
    const Machine machine = SomeLanes(random);
    EXPECT_EQ(Difference(RunEvaluator(after, machine), RunEvaluator(before, machine)), "") << lines;
  }
}

void Stays(const std::string& lines, const std::string& result) { Becomes(lines, lines, result); }

TEST(InvertCompares, ThatGoIntoAnAnd) {
  const std::string with_exec = "%9 = and.u64 %1, %4\n";
  const std::string without = "%9 = andnot.u64 %1, %4\n";
  const struct {
    const char* compare;
    const char* opposite;
  } kCompares[] = {
      {"%4 = ne.u64 %2, %3\n", "%4 = eq.u64 %2, %3\n"},
      {"%4 = ne.u64 %2, 7\n", "%4 = eq.u64 %2, 7\n"},
      {"%4 = le_s.u64 %2, %3\n", "%4 = lt_s.u64 %3, %2\n"},
      {"%4 = lt_u.u64 %2, %3\n", "%4 = le_u.u64 %3, %2\n"},
  };
  for (const auto& [compare, opposite] : kCompares) {
    Becomes(compare + with_exec, opposite + without, "u64");
    Becomes(compare + without, opposite + with_exec, "u64");
    // The other way round.
    Becomes(compare + std::string("%9 = and.u64 %4, %1\n"), opposite + without, "u64");
  }
  for (const std::string compare :
       {"%4 = eq.u64 %2, %3\n", "%4 = lt_s.u64 %2, %3\n", "%4 = le_u.u64 %2, %3\n",
        "%4 = lt_u.u64 %2, 9\n", "%4 = lt_u.u64 9, %2\n"}) {
    Stays(compare + with_exec, "u64");
    Stays(compare + without, "u64");
  }
}

TEST(InvertCompares, OneOfTwo) {
  Becomes("%4 = ne.u64 %2, 1\n%5 = ne.u64 %3, 2\n%9 = and.u64 %4, %5\n",
          "%4 = eq.u64 %2, 1\n%5 = ne.u64 %3, 2\n%9 = andnot.u64 %5, %4\n", "u64");
  Becomes("%4 = eq.u64 %2, 1\n%5 = ne.u64 %3, 2\n%9 = and.u64 %5, %4\n",
          "%4 = eq.u64 %2, 1\n%5 = eq.u64 %3, 2\n%9 = andnot.u64 %4, %5\n", "u64");
}

TEST(InvertCompares, ThatChooseBetweenLanes) {
  Becomes("%4 = ne.u64 %2, %3\n%9 = select.v32 %4, %2, %3\n",
          "%4 = eq.u64 %2, %3\n%9 = select.v32 %4, %3, %2\n", "v32");
  Becomes("%4 = le_s.u64 %2, 5\n%9 = select.v32 %4, 1, 0\n",
          "%4 = lt_s.u64 5, %2\n%9 = select.v32 %4, 0, 1\n", "v32");
  Stays("%4 = eq.u64 %2, %3\n%9 = select.v32 %4, %2, %3\n", "v32");
}

TEST(InvertCompares, NotIfOthersWantThem) {
  Stays("%4 = ne.u64 %2, %3\n%9 = and.u64 %1, %4\nset_sgpr64 s6, %4\n", "u64");
  Stays("%4 = ne.u64 %2, %3\n%9 = andnot.u64 %4, %1\n", "u64");
  Stays("%4 = ne.u64 %2, %3\n%9 = or.u64 %4, %1\n", "u64");
  Stays(
      "%4 = ne.u64 %2, %3\n%5 = and.u64 %1, %4\n%9 = select.v32 %4, %2, %3\n"
      "set_sgpr64 s6, %5\n",
      "v32");
  // Of 64 bits.
  Stays("%4 = zext.v64 %2\n%5 = zext.v64 %3\n%6 = ne.u64 %4, %5\n%9 = and.u64 %1, %6\n", "u64");
}

// What was known of the mask is not known of its opposite.
TEST(InvertCompares, ForgetsShapes) {
  ir::Function function = Parse("%4 = ne.u64 %2, %3\n%9 = and.u64 %1, %4\n", "u64");
  std::vector<ir::LaneShape> shapes(function.insts.size());
  for (ir::LaneShape& shape : shapes) shape.run = 64;
  InvertCompares(function, shapes);
  for (const ir::Value v : function.blocks[0].insts) {
    EXPECT_EQ(shapes[v.id].run, function[v].op == ir::Op::kEq ? 1 : 64);
  }
}

}  // namespace
}  // namespace gcnjit::backend
