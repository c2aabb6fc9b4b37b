// Which operations nothing wants where the mask of a body is empty.
#include "backend_x64/plan/skipped_lanes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::backend {
namespace {

// So many additions to %first, the last of which is %20 + count - 1.
std::string Sums(int count, const std::string& first = "%10") {
  std::string text;
  for (int n = 0; n < count; ++n) {
    const std::string before = n == 0 ? first : "%" + std::to_string(19 + n);
    text += "%" + std::to_string(20 + n) + " = add.v32 " + before + ", %11\n";
  }
  return text;
}

// How many operations are skipped with the body of mask %12, of a block in which v0 and v1 are %10
// and %11. `before`: lines before the mask is made.
int CountSkipped(const std::string& lines, const std::string& skipped = "{count=40, tested}",
                 const std::string& before = "") {
  const std::string text =
      "block 0x1000 instructions=100\nguest 0 0x0\n%1 = get_sgpr64.u64 s126\n"
      "%10 = get_vgpr.v32 v0\n%11 = get_vgpr.v32 v1\n" +
      before + "%13 = lt_u.u64 %10, %11\n%12 = and.u64 %1, %13\nskipped %12 " + skipped + "\n" +
      lines + "jump 0x2000\n";
  ir::ParseResult parsed = ir::Parse(text);
  EXPECT_FALSE(parsed.error) << text << (parsed.error ? parsed.error->message : "");
  if (parsed.error) return -1;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{}) << text;
  const SkippedLanes found = FindSkippedLanes(parsed.function, parsed.function.blocks[0]);
  int count = 0;
  for (const ir::Value v : parsed.function.blocks[0].insts) count += found.MaskOf(v) ? 1 : 0;
  return count;
}

const std::string kMerge = "%90 = select.v32 %12, %49, %10\nset_vgpr v0, %90\n";

TEST(SkippedLanes, AreWantedInTheBodyAlone) {
  EXPECT_EQ(CountSkipped(Sums(30) + kMerge), 30);
  // A mask of its lanes, whichever way it is made, and what an access of them takes.
  EXPECT_EQ(CountSkipped(Sums(30) + "%80 = lt_u.u64 %49, %10\n%81 = and.u64 %12, %80\n"
                                    "set_sgpr64 s4, %81\n"),
            31);
  EXPECT_EQ(CountSkipped(Sums(30) + "%80 = lt_u.u64 %49, %10\n%81 = andnot.u64 %12, %80\n"
                                    "set_sgpr64 s4, %81\n"),
            31);
  EXPECT_EQ(CountSkipped(Sums(30) + "store %49, %48, %12, %47 {bytes=4}\n"), 31);
  EXPECT_EQ(CountSkipped(Sums(30) + "%80 = and.u64 %13, %12\n%81 = load.v32 %49, %48, %80 "
                                    "{bytes=4}\n%90 = select.v32 %80, %81, %10\nset_vgpr v0, "
                                    "%90\n"),
            31);
}

// Two parts of the mask: the second is not wanted because the first one is empty then.
TEST(SkippedLanes, AreNotBothOfTwoParts) {
  const std::string parts =
      "%80 = lt_u.u64 %49, %10\n%81 = and.u64 %12, %80\n"
      "%82 = lt_u.u64 %48, %10\n%83 = and.u64 %12, %82\n";
  EXPECT_EQ(CountSkipped(Sums(30) + parts + "%84 = and.u64 %81, %83\nset_sgpr64 s4, %84\n"), 33);
  EXPECT_EQ(CountSkipped(Sums(30) + parts + "%84 = andnot.u64 %81, %83\nset_sgpr64 s4, %84\n"), 33);
}

TEST(SkippedLanes, AreNotWhatOthersRead) {
  EXPECT_EQ(CountSkipped(Sums(30) + kMerge + "set_vgpr v2, %49\n"), 0);
  EXPECT_EQ(CountSkipped(Sums(30) + "%90 = select.v32 %12, %10, %49\nset_vgpr v0, %90\n"), 0);
  EXPECT_EQ(CountSkipped(Sums(30) + "%90 = select.v32 %13, %49, %10\nset_vgpr v0, %90\n"), 0);
  EXPECT_EQ(CountSkipped(Sums(30) + kMerge + "%91 = readlane.u32 %49, 3\nset_sgpr s4, %91\n"), 0);
  EXPECT_EQ(CountSkipped(Sums(30) + "%80 = lt_u.u64 %49, %10\nset_sgpr64 s4, %80\n"), 0);
  EXPECT_EQ(CountSkipped(Sums(30) + "store %49, %48, %1, %47 {bytes=4}\n"), 0);
  // Only what comes before the last one that others read.
  EXPECT_EQ(CountSkipped(Sums(40) + "%90 = select.v32 %12, %59, %29\nset_vgpr v0, %90\n"), 30);
}

// The mask is not known yet.
TEST(SkippedLanes, AreNotWhatComesBeforeTheMask) {
  const std::string product = "%18 = mul.v32 %10, %11\n";
  EXPECT_EQ(CountSkipped(product + Sums(30, "%18") + kMerge), 31);
  EXPECT_EQ(CountSkipped(Sums(30, "%18") + kMerge, "{count=40, tested}", product), 30);
}

TEST(SkippedLanes, FewAreNotWorthATest) {
  EXPECT_EQ(CountSkipped(Sums(24) + "%90 = select.v32 %12, %43, %10\nset_vgpr v0, %90\n"), 24);
  EXPECT_EQ(CountSkipped(Sums(23) + "%90 = select.v32 %12, %42, %10\nset_vgpr v0, %90\n"), 0);
  EXPECT_EQ(CountSkipped(Sums(30) + kMerge, "{count=40}"), 0);
}

}  // namespace
}  // namespace gcnjit::backend
