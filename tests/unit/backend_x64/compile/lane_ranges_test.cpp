// Sums of extended indices that are taken for extended sums, and products likewise.
#include "backend_x64/compile/lane_ranges.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/backend_x64/compile/guarded_block.h"

namespace gcnjit::backend {
namespace {

// A column %5 of rows of 16 lanes from s8 on, and a row %7; %9 is their sum in 64 bits.
std::string SumBlock(const std::string& sum) {
  return "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr.u32 s8\n%2 = get_sgpr.u32 s9\n"
         "%3 = lane_id.v32\n%4 = and.v32 %3, 15\n%5 = add.v32 %4, %1\n%6 = lshr.v32 %3, 4\n"
         "%7 = add.v32 %6, 3\n" +
         sum +
         "%90 = low.v32 %9\n%91 = high.v32 %9\nset_vgpr v0, %90\nset_vgpr v1, %91\n"
         "exit end, 0x4\n";
}

std::string SumOf(const std::string& x, const std::string& y, const std::string& of_x = "sext",
                  const std::string& of_y = "sext") {
  return "%81 = " + of_x + ".v64 " + x + "\n%82 = " + of_y + ".v64 " + y +
         "\n%9 = add.v64 %81, %82\n";
}

TEST(LaneRanges, SumsAreWhatTheyWere) {
  int holding = 0;
  for (const auto& [of_x, of_y] : {std::pair("sext", "sext"), std::pair("sext", "zext"),
                                   std::pair("zext", "sext"), std::pair("zext", "zext")}) {
    for (const std::string row :
         {"%8 = mul.v32 %7, %2\n", "%80 = sub.v32 %7, 9\n%8 = mul.v32 %2, %80\n",
          "%80 = mul.v32 %7, %2\n%8 = sub.v32 %80, %2\n",
          "%80 = mul.v32 %7, %2\n%8 = sub.v32 %2, %80\n", "%8 = add.v32 %7, %2\n",
          "%8 = sub.v32 %7, %2\n", "%80 = mul.v32 %7, 100000\n%8 = add.v32 %80, %5\n"}) {
      for (const std::string column : {"", "%50 = add.v32 %5, 0xffffffff\n"}) {
        const std::string x = column.empty() ? "%5" : "%50";
        for (const bool is_swapped : {false, true}) {
          const std::string text =
              SumBlock(column + row +
                       (is_swapped ? SumOf("%8", x, of_x, of_y) : SumOf(x, "%8", of_x, of_y)));
          SCOPED_TRACE(text);
          const int count = CountHolding(AssumeNarrowIndices, text);
          EXPECT_GT(count, 0);
          holding += count;
        }
      }
    }
  }
  EXPECT_GT(holding, 10000);
}

TEST(LaneRanges, ProductsAreWhatTheyWere) {
  int holding = 0;
  for (const std::string op : {"mulwide_s", "mulwide_u"}) {
    for (const std::string number : {"3", "12", "24", "40", "100", "4000", "5242880"}) {
      for (const std::string column :
           {"%8 = add.v32 %5, 0\n", "%8 = add.v32 %5, 0xffffffff\n", "%8 = sub.v32 %2, %5\n",
            "%80 = mul.v32 %7, %2\n%8 = add.v32 %80, %5\n",
            "%80 = mul.v32 %5, 4\n%8 = add.v32 %80, 0\n"}) {
        for (const bool is_swapped : {false, true}) {
          const std::string text =
              SumBlock(column + "%9 = " + op + ".v64 " +
                       (is_swapped ? number + ", %8" : "%8, " + number) + "\n");
          SCOPED_TRACE(text);
          const int count = CountHolding(AssumeNarrowIndices, text);
          EXPECT_GT(count, 0);
          holding += count;
        }
      }
    }
  }
  EXPECT_GT(holding, 10000);
}

// As an element's address in an array of several dimensions is.
TEST(LaneRanges, SumsOfProductsAreWhatTheyWere) {
  int holding = 0;
  for (const std::string row : {"%70 = mulwide_u.v64 %7, 1600\n", "%70 = mulwide_s.v64 %7, 24\n",
                                "%70 = mulwide_u.v64 %7, %2\n", "%70 = mulwide_s.v64 %2, %7\n"}) {
    for (const std::string extends : {"sext", "zext"}) {
      for (const std::string x : {"%5", "%50"}) {
        const std::string text = SumBlock(
            "%50 = sub.v32 %5, 1\n" + row +
            "%71 = get_sgpr64.u64 s4\n%72 = add.v64 %70, %71\n%73 = " + extends + ".v64 " + x +
            "\n%74 = shl.v64 %73, 3\n%75 = mulwide_u.v64 %5, 320000\n%76 = add.v64 %74, "
            "%75\n%77 = add.v64 %72, %76\n%9 = add.v64 %77, 0xfffffffffffffff8:u64\n");
        SCOPED_TRACE(text);
        const int count = CountHolding(AssumeNarrowIndices, text);
        EXPECT_GT(count, 0);
        holding += count;
      }
    }
  }
  EXPECT_GT(holding, 1000);
}

// As `y * n + x` is computed by halves where all three have 64 bits: y is %7 + `added` and, above
// it, s12 and the carry; n is `by` and %62.
TEST(LaneRanges, ProductsOfHalvesAreWhatTheyWere) {
  int holding = 0;
  for (const auto& [added, by] :
       {std::pair<std::string, std::string>("%1", "%2"), {"%2", "3000"}}) {
    for (const std::string product : {"mulwide_u", "mulwide_s"}) {
      for (const std::string& upper :
           {"%60 = lt_u.u64 %8, " + added + "\n%61 = select.v32 %60, 1, 0\n",
            std::string("%61 = ashr.v32 %8, 31\n")}) {
        for (const std::string high : {"%62 = get_sgpr.u32 s11\n", "%62 = lshr.u32 %2, 2\n"}) {
          const std::string text = SumBlock(
              "%8 = add.v32 %7, " + added + "\n" + upper + high +
              "%64 = get_sgpr.u32 s12\n%65 = add.v32 %61, %64\n%66 = " + product + ".v64 %8, " +
              by + "\n%67 = zext.v64 %5\n%68 = add.v64 %66, %67\n%69 = low.v32 %68\n" +
              "%70 = high.v32 %68\n%71 = mul.v32 %65, " + by + "\n%72 = mul.v32 %8, %62\n" +
              "%73 = add.v32 %70, %71\n%74 = add.v32 %73, %72\n%75 = pack.v64 %69, %74\n" +
              "%9 = shl.v64 %75, 2\n");
          SCOPED_TRACE(text);
          const int count = CountHolding(AssumeNarrowIndices, text);
          EXPECT_GT(count, 0);
          holding += count;
        }
      }
    }
  }
  EXPECT_GT(holding, 100);
}

// Neighbours have one index, and differ in constants.
TEST(LaneRanges, NeighboursHaveOneIndex) {
  std::string text = SumBlock(
      "%50 = mulwide_u.v64 %7, 1600\n%51 = get_sgpr64.u64 s4\n%52 = add.v64 %50, %51\n"
      "%53 = zext.v64 %5\n%54 = shl.v64 %53, 3\n%9 = add.v64 %52, %54\n"
      "%60 = add.v32 %5, 1\n%61 = zext.v64 %60\n%62 = shl.v64 %61, 3\n%63 = add.v64 %52, %62\n");
  text.replace(
      text.find("%90 ="), std::string::npos,
      "%90 = low.v32 %9\n%91 = high.v32 %9\n%92 = load.v32 %90, %91, "
      "0xffffffffffffffff:u64 {bytes=4}\n%93 = low.v32 %63\n%94 = high.v32 %63\n%95 = "
      "load.v32 %93, %94, 0xffffffffffffffff:u64 {bytes=4}\nset_vgpr v0, %92\nset_vgpr v1, "
      "%95\nexit end, 0x4\n");
  ir::ParseResult parsed = ir::Parse(text);
  ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << text;
  ASSERT_TRUE(AssumeNarrowIndices(parsed.function));
  std::vector<ir::Inst> loads;
  for (const ir::Value v : parsed.function.blocks[0].insts) {
    if (parsed.function[v].op == ir::Op::kLoad) loads.push_back(parsed.function[v]);
  }
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_TRUE(loads[0].IsIndexed());
  EXPECT_EQ(loads[0].args[0], loads[1].args[0]) << ir::Print(parsed.function);
  EXPECT_EQ(loads[0].args[1], loads[1].args[1]) << ir::Print(parsed.function);
  EXPECT_EQ(loads[1].imm - loads[0].imm, 8);
}

// The odd factor is in the index, so that elements of 12 bytes are consecutive ones.
TEST(LaneRanges, ProductsAreIndices) {
  std::string text = SumBlock("%9 = mulwide_s.v64 %5, 12\n");
  text.replace(text.find("set_vgpr v1"), std::string::npos,
               "%30 = get_sgpr64.u64 s4\n%31 = add.v64 %9, %30\n%32 = low.v32 %31\n%33 = high.v32 "
               "%31\n%34 = load.v32 %32, %33, 0xffffffffffffffff:u64 {bytes=4}\nset_vgpr v1, "
               "%34\nexit end, 0x4\n");
  ir::ParseResult parsed = ir::Parse(text);
  ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << text;
  ASSERT_TRUE(AssumeNarrowIndices(parsed.function));
  EXPECT_NE(ir::Print(parsed.function).find("index=sext<<2"), std::string::npos)
      << ir::Print(parsed.function);
}

// What is not known stays; so do sums after a store that needs them no sooner.
TEST(LaneRanges, OtherSumsStay) {
  const auto stays = [](const std::string& text) {
    ir::ParseResult parsed = ir::Parse(text);
    ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << text;
    EXPECT_FALSE(AssumeNarrowIndices(parsed.function)) << text;
  };
  stays(SumBlock("%8 = xor.v32 %7, %2\n" + SumOf("%5", "%8")));
  stays(SumBlock("%8 = mul.v32 %7, %5\n" + SumOf("%5", "%8")));
  stays(SumBlock("%80 = get_vgpr.v32 v1\n%8 = add.v32 %7, %80\n" + SumOf("%5", "%8")));
  for (const std::string number : {"0", "1", "8", "0xfffffffd", "0x1000001"}) {
    stays(SumBlock("%9 = mulwide_s.v64 %5, " + number + "\n"));
  }
  stays(SumBlock("%9 = mulwide_s.v64 %5, %7\n"));
  stays(SumBlock("%80 = get_vgpr.v32 v1\n%9 = mulwide_u.v64 %80, 12\n"));
  stays(
      SumBlock("%70 = get_sgpr64.u64 s4\nstore %4, %70, 0:u64, %4 {bytes=4, index=zext<<2}\n"
               "%71 = get_sgpr.u32 s10\n%8 = mul.v32 %7, %71\n" +
               SumOf("%5", "%8")));
}

}  // namespace
}  // namespace gcnjit::backend
