// Whether group code reads LDS that none of its waves has written.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "group_code.h"
#include "workgroup/specialise.h"

namespace gcnjit::workgroup {
namespace {

// Of two waves: the second one is not in `extra`, so that there is group code.
bool WantsZeroedLds(const std::string& lines, const std::string& end = "exit end, 64\n",
                    const std::string& rest = "") {
  ir::Function function =
      Parse(Block(0, IfBelow(64, 16, 32)) + Block(16, kStore + std::string("jump 32\n")) +
            Block(32, "%1 = get_vgpr.v32 v0\n%2 = shl.v32 %1, 2\n" + lines + end) + rest);
  const std::optional<GroupCode> group = AppendGroupCode(function, Waves(2));
  EXPECT_TRUE(group);
  return group && group->wants_zeroed_lds;
}

TEST(Specialise, KnowsWhatHasBeenWrittenToLds) {
  constexpr const char* kAll = "0xffffffffffffffff:u64, 0xffffffff";
  const auto write = [](const std::string& address, const std::string& lanes, int offset = 0,
                        int bytes = 4) {
    return "store_lds " + address + ", " + lanes + ", %1 {bytes=" + std::to_string(bytes) +
           ", offset=" + std::to_string(offset) + "}\n";
  };
  const auto read = [](const std::string& number, const std::string& address,
                       const std::string& lanes, int offset = 0) {
    return "%" + number + " = load_lds.v32 " + address + ", " + lanes +
           " {bytes=4, offset=" + std::to_string(offset) + "}\n";
  };
  EXPECT_FALSE(WantsZeroedLds(""));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll)));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll) + read("3", "%2", kAll)));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll) + read("3", "0", kAll) + read("4", "252", kAll)));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll, 8) + read("3", "%2", kAll, 8)));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll, 4) + read("3", "%2", "0xfffe:u64, 0xffffffff")));
  EXPECT_FALSE(WantsZeroedLds(read("3", "%2", "0:u64, 0xffffffff"))) << "no lane";
  EXPECT_FALSE(WantsZeroedLds(read("3", "0x10000", kAll) + read("4", "0xfffd", kAll)))
      << "none there";

  EXPECT_TRUE(WantsZeroedLds(read("3", "%2", kAll)));
  EXPECT_TRUE(WantsZeroedLds(read("3", "%2", kAll) + write("%2", kAll))) << "too late";
  EXPECT_TRUE(WantsZeroedLds(write("%2", kAll) + read("3", "%2", kAll, 260)))
      << "the second wave's";
  EXPECT_TRUE(WantsZeroedLds(write("%2", kAll, 1) + read("3", "%2", kAll))) << "the first byte";
  EXPECT_TRUE(WantsZeroedLds(write("%2", kAll, 0, 2) + read("3", "%2", kAll)));
  EXPECT_TRUE(
      WantsZeroedLds(write("%2", "0xfffffffffffffffd:u64, 0xffffffff") + read("3", "%2", kAll)));
  EXPECT_TRUE(WantsZeroedLds(write("%2", "0xffffffffffffffff:u64, 1024") + read("3", "%2", kAll)))
      << "limited";
  const std::string unknown =
      "%7 = get_vgpr.v32 v1\n%8 = get_sgpr64.u64 s2\n%9 = get_sgpr.u32 s4\n";
  EXPECT_TRUE(WantsZeroedLds(unknown + write("%7", kAll) + read("3", "%2", kAll)));
  EXPECT_TRUE(WantsZeroedLds(unknown + write("%2", "%8, 0xffffffff") + read("3", "%2", kAll)));
  EXPECT_TRUE(
      WantsZeroedLds(unknown + write("%2", "0xffffffffffffffff:u64, %9") + read("3", "%2", kAll)));
  EXPECT_TRUE(WantsZeroedLds(unknown + write("%2", kAll) + read("3", "%7", kAll)));
  EXPECT_FALSE(WantsZeroedLds(unknown + write("%2", kAll) + read("3", "%2", "%8, 0xffffffff")));
  EXPECT_TRUE(WantsZeroedLds(unknown + write("%2", kAll) + "%3 = atomic_lds.v32 %2, " + kAll +
                             ", %1 {bytes=4, add}\n"));
  EXPECT_TRUE(
      WantsZeroedLds(unknown + write("%2", kAll) + "%3 = load.v32 %7, %7, %8 {bytes=4, flat}\n"));
  EXPECT_FALSE(
      WantsZeroedLds(unknown + write("%2", kAll) + "%3 = load.v32 %7, %7, %8 {bytes=4}\n"));
}

// A wave's turn comes before the next one's, up to the barrier; what data decide about is not
// certain.
TEST(Specialise, KnowsWhoHasWrittenToLds) {
  constexpr const char* kAll = "0xffffffffffffffff:u64, 0xffffffff";
  const std::string write = "store_lds %2, " + std::string(kAll) + ", %1 {bytes=4}\n";
  const std::string exchange =
      "%3 = get_vgpr.v32 v0\n%4 = shl.v32 %3, 2\n%5 = xor.v32 %4, 256\n%6 = load_lds.v32 %5, " +
      std::string(kAll) + " {bytes=4}\nexit end, 96\n";
  EXPECT_FALSE(WantsZeroedLds(write, "exit barrier, 64\n", Block(64, exchange)));
  EXPECT_TRUE(WantsZeroedLds(write, "jump 64\n", Block(64, exchange))) << "no barrier";
  const std::string branch = "%70 = get_scc.u1\nbranch %70, 48, 64\n";
  const std::string writes = "%1 = get_vgpr.v32 v0\n%2 = shl.v32 %1, 2\n" + write + "jump 64\n";
  EXPECT_TRUE(WantsZeroedLds(
      "", branch, Block(48, writes) + Block(64, "exit barrier, 80\n") + Block(80, exchange)));
}

}  // namespace
}  // namespace gcnjit::workgroup
