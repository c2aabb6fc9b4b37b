// Indices in rows: written otherwise, they are what they were.
#include "backend_x64/compile/row_indices.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "backend_x64/plan/row_index.h"
#include "ir/analysis/known_lanes.h"
#include "ir/evaluator.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::backend {
namespace {

constexpr int kLeastLanes = 8;

using Accesses = std::vector<std::tuple<uint64_t, uint32_t, bool>>;

Accesses AccessesOf(const ir::Function& function, const std::array<uint32_t, 4>& scalars) {
  std::array<uint32_t, 128> sgprs = {};
  for (size_t n = 0; n < scalars.size(); ++n) sgprs[8 + n] = scalars[n];
  sgprs[4] = 0x10000000;
  Accesses accesses;
  ir::EvaluatorState state;
  state.sgpr = sgprs.data();
  state.memory = [&](uint64_t address, void* data, uint32_t bytes, bool is_write) {
    accesses.emplace_back(address, bytes, is_write);
    if (!is_write) std::memset(data, 0x11, bytes);
    return true;
  };
  ir::Evaluate(function, function.blocks[0], state);
  return accesses;
}

// A load and a store of an index that is `%9`: of a column %5 and a row %7 of rows of `lanes`.
std::string RowBlock(int shift, const std::string& index) {
  const int lanes = 1 << shift;
  return "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr.u32 s8\n%2 = get_sgpr.u32 s9\n"
         "%3 = get_sgpr.u32 s10\n%30 = get_sgpr.u32 s11\n%31 = get_sgpr64.u64 s4\n%4 = "
         "lane_id.v32\n"
         "%40 = and.v32 %4, " +
         std::to_string(lanes - 1) + "\n%5 = add.v32 %40, %1\n%6 = lshr.v32 %4, " +
         std::to_string(shift) + "\n%7 = add.v32 %6, %2\n" + index +
         "%10 = load.v32 %9, %31, 0xffffffffffffffff:u64 {bytes=4, index=sext<<2}\n"
         "store %9, %31, 0xffffffffffffffff:u64, %10 {bytes=4, index=sext<<2}\nexit end, 0x4\n";
}

ir::Function ParseRows(const std::string& text) {
  ir::ParseResult parsed = ir::Parse(text);
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << '\n' << text;
  return parsed.function;
}

ir::Value IndexOfLoad(const ir::Function& function) {
  for (const ir::Value v : function.blocks[0].insts) {
    if (function[v].op == ir::Op::kLoad) return function[v].args[0];
  }
  return {};
}

const char* const kIndices[] = {
    "%8 = mul.v32 %7, %3\n%9 = add.v32 %5, %8\n",
    "%8 = mul.v32 %3, %7\n%80 = add.v32 %5, %8\n%9 = add.v32 %80, 0xffffffff\n",
    "%8 = mul.v32 %7, %3\n%80 = sub.v32 %8, %30\n%9 = add.v32 %80, %5\n",
    "%8 = mul.v32 %7, %3\n%80 = sub.v32 %30, %8\n%9 = add.v32 %80, %5\n",
    "%8 = add.v32 %7, 3\n%80 = mul.v32 %8, %3\n%9 = add.v32 %5, %80\n",
    "%8 = shl.v32 %7, 7\n%9 = add.v32 %5, %8\n",
    "%8 = mul.v32 %7, %3\n%80 = mul.v32 %8, %30\n%9 = add.v32 %5, %80\n",
    "%8 = mul.v32 %7, 100\n%80 = mul.v32 %8, %30\n%81 = add.v32 %5, %80\n%9 = add.v32 %81, %2\n",
};

constexpr std::array<uint32_t, 4> kScalars[] = {{0, 0, 100, 7},
                                                {3, 5, 1, 0},
                                                {0xffffffff, 0x80000000, 0x7fffffff, 0xfffffff0},
                                                {1u << 31, 9, 0xffffff00, 12},
                                                {64, 2, 0, 1u << 30}};

TEST(RowIndices, AreWhatTheyWere) {
  for (int shift = 3; shift <= 5; ++shift) {
    for (const char* const index : kIndices) {
      SCOPED_TRACE(std::to_string(1 << shift) + ": " + index);
      const ir::Function before = ParseRows(RowBlock(shift, index));
      ir::Function after = before;
      ASSERT_TRUE(WriteRowIndices(after, kLeastLanes));
      ASSERT_EQ(ir::Verify(after), std::vector<std::string>{}) << ir::Print(after);
      const auto rows = RowIndexOf(after, IndexOfLoad(after));
      ASSERT_TRUE(rows) << ir::Print(after);
      EXPECT_EQ(rows->lanes, 1 << shift);
      for (const std::array<uint32_t, 4>& scalars : kScalars) {
        ASSERT_EQ(AccessesOf(after, scalars), AccessesOf(before, scalars)) << ir::Print(after);
      }
    }
  }
}

// A wave that is one row: its first number is a scalar, all else is known of each lane.
TEST(RowIndices, OfWholeWaves) {
  for (const std::string index :
       {"%8 = add.v32 %4, %1\n%9 = add.v32 %8, 0xfffffffd\n",
        "%8 = add.v32 %4, 64\n%80 = sub.v32 %8, %1\n%9 = add.v32 %80, 2\n",
        "%8 = mul.u32 %2, %3\n%80 = add.v32 %4, %8\n%81 = add.v32 %80, 5\n%9 = add.v32 %81, "
        "%1\n"}) {
    SCOPED_TRACE(index);
    const ir::Function before = ParseRows(RowBlock(4, index));
    ir::Function after = before;
    ASSERT_TRUE(WriteRowIndices(after, kLeastLanes));
    ASSERT_EQ(ir::Verify(after), std::vector<std::string>{}) << ir::Print(after);
    const ir::Inst& sum = after[IndexOfLoad(after)];
    EXPECT_EQ(after[sum.args[0]].type, ir::Type::kU32) << ir::Print(after);
    EXPECT_TRUE(ir::KnownLane(after, sum.args[1], 63)) << ir::Print(after);
    for (const std::array<uint32_t, 4>& scalars : kScalars) {
      ASSERT_EQ(AccessesOf(after, scalars), AccessesOf(before, scalars)) << ir::Print(after);
    }
  }
}

// Beside a run of the whole wave, too: %9 is of rows, and %90 is not.
TEST(RowIndices, BesideRunsOfTheWave) {
  std::string text = RowBlock(4, std::string(kIndices[0]) + "%90 = add.v32 %4, %1\n");
  text.replace(text.find("store %9,"), 9, "store %90,");
  const ir::Function before = ParseRows(text);
  ir::Function after = before;
  ASSERT_TRUE(WriteRowIndices(after, kLeastLanes));
  EXPECT_TRUE(RowIndexOf(after, IndexOfLoad(after))) << ir::Print(after);
  for (const std::array<uint32_t, 4>& scalars : kScalars) {
    ASSERT_EQ(AccessesOf(after, scalars), AccessesOf(before, scalars)) << ir::Print(after);
  }
}

// Of rows that are too short, and lanes that are farther apart.
TEST(RowIndices, StayWhereTheyAreNoRows) {
  ir::Function rows_of_8 = ParseRows(RowBlock(3, kIndices[0]));
  EXPECT_FALSE(WriteRowIndices(rows_of_8, 16));
  for (const char* const index :
       {"%8 = shl.v32 %5, 1\n%9 = add.v32 %7, %8\n", "%8 = mul.v32 %5, %3\n%9 = add.v32 %7, %8\n",
        "%8 = xor.v32 %5, %3\n%9 = add.v32 %7, %8\n", "%9 = add.v32 %7, %3\n"}) {
    ir::Function other = ParseRows(RowBlock(4, index));
    EXPECT_FALSE(WriteRowIndices(other, kLeastLanes)) << index;
  }
  // Rows that are all the same, and consecutive ones.
  ir::Function same = ParseRows(RowBlock(4, "%9 = add.v32 %5, 7\n"));
  EXPECT_FALSE(WriteRowIndices(same, kLeastLanes));
  ir::Function whole = ParseRows(RowBlock(4, "%8 = shl.v32 %6, 4\n%9 = add.v32 %5, %8\n"));
  EXPECT_FALSE(WriteRowIndices(whole, kLeastLanes));
}

}  // namespace
}  // namespace gcnjit::backend
