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
            "%80 = mul.v32 %7, %2\n%8 = add.v32 %80, %5\n"}) {
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
