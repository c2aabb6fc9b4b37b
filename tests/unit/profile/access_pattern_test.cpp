// How many cache lines and LDS passes an access needs, worked out by hand.
#include "profile/access_pattern.h"

#include <gtest/gtest.h>

#include <functional>

namespace gcnjit::profile {
namespace {

using runtime::kLanes;
using runtime::check::Access;
using runtime::check::AccessType;

constexpr uint64_t kBase = 0x7f0000001000;
constexpr uint64_t kAll = ~uint64_t{0};

Access AccessOf(uint32_t bytes, const std::function<uint64_t(uint64_t lane)>& at,
                uint64_t mask = kAll) {
  Access access;
  access.bytes = bytes;
  access.mask = mask;
  for (uint64_t lane = 0; lane < kLanes; ++lane) access.at[lane] = at(lane);
  return access;
}

void ExpectLines(const Access& access, uint32_t needed, uint32_t least) {
  const CacheLines lines = CacheLinesOf(access);
  EXPECT_EQ(lines.needed, needed);
  EXPECT_EQ(lines.least, least);
}

TEST(CacheLinesTest, ConsecutiveDwordsAreFourLines) {
  ExpectLines(AccessOf(4, [](uint64_t lane) { return kBase + 4 * lane; }), 4, 4);
  ExpectLines(AccessOf(16, [](uint64_t lane) { return kBase + 16 * lane; }), 16, 16);
  ExpectLines(AccessOf(1, [](uint64_t lane) { return kBase + lane; }), 1, 1);
}

TEST(CacheLinesTest, ShiftedByADwordTheyAreFive) {
  ExpectLines(AccessOf(4, [](uint64_t lane) { return kBase + 4 + 4 * lane; }), 5, 4);
}

TEST(CacheLinesTest, AStrideOfALineIsALineALane) {
  ExpectLines(AccessOf(4, [](uint64_t lane) { return kBase + 64 * lane; }), 64, 4);
  ExpectLines(AccessOf(4, [](uint64_t lane) { return kBase + 32 * lane; }), 32, 4);
  // Two lines each.
  ExpectLines(AccessOf(8, [](uint64_t lane) { return kBase + 60 + 128 * lane; }), 128, 8);
}

TEST(CacheLinesTest, OrderDoesNotCount) {
  ExpectLines(AccessOf(4, [](uint64_t lane) { return kBase + 4 * (lane * 37 % 64); }), 4, 4);
}

TEST(CacheLinesTest, ABroadcastIsOneLine) {
  ExpectLines(AccessOf(4, [](uint64_t) { return kBase + 8; }), 1, 1);
}

TEST(CacheLinesTest, LanesThatAreOffDoNotCount) {
  const auto strided = [](uint64_t lane) { return kBase + 64 * lane; };
  ExpectLines(AccessOf(4, strided, 0x8001), 2, 1);
  ExpectLines(AccessOf(4, strided, 0), 0, 0);
}

TEST(CacheLinesTest, OverlapIsNoBetterThanItIs) {
  // 64 lanes, a byte apart: 67 bytes in two lines, although the lanes ask for 256.
  ExpectLines(AccessOf(4, [](uint64_t lane) { return kBase + lane; }), 2, 2);
}

void ExpectPasses(const Access& access, uint32_t needed, uint32_t least) {
  const LdsPasses passes = LdsPassesOf(access);
  EXPECT_EQ(passes.needed, needed);
  EXPECT_EQ(passes.least, least);
}

TEST(LdsPassesTest, ConsecutiveElementsHaveNoConflicts) {
  ExpectPasses(AccessOf(4, [](uint64_t lane) { return 4 * lane; }), 2, 2);
  // "each work-item reads a float2": AMD's guide has it without conflicts.
  ExpectPasses(AccessOf(8, [](uint64_t lane) { return 8 * lane; }), 4, 4);
  ExpectPasses(AccessOf(16, [](uint64_t lane) { return 16 * lane; }), 8, 8);
  ExpectPasses(AccessOf(1, [](uint64_t lane) { return lane; }), 2, 2);
}

TEST(LdsPassesTest, AStrideOfTwoDwordsUsesHalfOfTheBanks) {
  ExpectPasses(AccessOf(4, [](uint64_t lane) { return 8 * lane; }), 4, 2);
  ExpectPasses(AccessOf(4, [](uint64_t lane) { return 16 * lane; }), 8, 2);
}

TEST(LdsPassesTest, AStrideOfAllBanksIsAPassALane) {
  ExpectPasses(AccessOf(4, [](uint64_t lane) { return 128 * lane; }), 64, 2);
  // The usual remedy: rows of 33 dwords.
  ExpectPasses(AccessOf(4, [](uint64_t lane) { return 132 * lane; }), 2, 2);
}

TEST(LdsPassesTest, LanesShareADword) {
  ExpectPasses(AccessOf(4, [](uint64_t) { return 64; }), 2, 2);
  // Two dwords of one bank in each half.
  ExpectPasses(AccessOf(4, [](uint64_t lane) { return 128 * (lane % 2); }), 4, 2);
}

TEST(LdsPassesTest, AtomicsDoNotShare) {
  Access access = AccessOf(4, [](uint64_t) { return 64; });
  access.type = AccessType::kAtomic;
  ExpectPasses(access, 64, 2);
  access.mask = 0xF;
  ExpectPasses(access, 4, 1);
}

TEST(LdsPassesTest, GroupsWithoutLanesTakeNothing) {
  const auto strided = [](uint64_t lane) { return 128 * lane; };
  ExpectPasses(AccessOf(4, strided, 0xFFFFFFFF), 32, 1);
  ExpectPasses(AccessOf(4, strided, 1), 1, 1);
  ExpectPasses(AccessOf(4, strided, 0), 0, 0);
}

}  // namespace
}  // namespace gcnjit::profile
