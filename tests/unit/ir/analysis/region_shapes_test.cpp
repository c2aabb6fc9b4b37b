// Whether a wave's registers are as a block's code expects them.
#include "ir/analysis/region_shapes.h"

#include <gtest/gtest.h>

#include <memory>

#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::ir {
namespace {

// Block 0 relies on EXEC and on v0, block 1 on s4 alone, block 2 on nothing, block 3 on v1 alone.
constexpr const char* kBlocks = R"(block 0x1000 instructions=1
  %1 = get_sgpr64.u64 s126
  %2 = get_vgpr.v32 v0
  %3 = get_sgpr.u32 s3
  set_sgpr64 s8, %1
  set_vgpr v1, %2
  set_sgpr s4, 0xffffffff
  set_sgpr s9, %3
  %6 = get_scc.u1
  branch %6, 0x1004, 0x100c
block 0x1004 instructions=1
  %4 = get_sgpr.u32 s4
  set_sgpr s10, %4
  jump 0x1008
block 0x1008 instructions=1
  %5 = get_sgpr.u32 s3
  set_sgpr s11, %5
  exit end, 0x2000
block 0x100c instructions=1
  %7 = get_vgpr.v32 v1
  set_vgpr v2, %7
  exit end, 0x2000
)";

struct Registers {
  uint32_t vgprs[kVgprs][kLanes] = {};
  uint32_t sgprs[kSgprs] = {};
};

class RegionShapesHold : public ::testing::Test {
 protected:
  void SetUp() override {
    ParseResult parsed = Parse(kBlocks);
    ASSERT_FALSE(parsed.error) << parsed.error->message;
    ASSERT_EQ(Verify(parsed.function), std::vector<std::string>{});
    ShapeAssumptions assumptions;
    assumptions.blocks_apart = false;
    assumptions.entries = {parsed.function.blocks[0].begin};
    assumptions.has_full_exec = true;
    VgprShape ids{0, 64, 6, {}};
    for (uint32_t lane = 0; lane < kLanes; ++lane) ids.offsets[lane] = lane;
    assumptions.at_entry = {ids};
    shapes_ = FindLaneShapes(parsed.function, assumptions);
    for (uint32_t lane = 0; lane < kLanes; ++lane) registers_->vgprs[0][lane] = 128 + lane;
    registers_->sgprs[kExec] = registers_->sgprs[kExec + 1] = ~0u;
  }

  bool Hold(size_t block) const {
    return shapes_.Hold(block, registers_->vgprs, registers_->sgprs);
  }

  RegionShapes shapes_;
  std::unique_ptr<Registers> registers_ = std::make_unique<Registers>();
};

TEST_F(RegionShapesHold, BlocksExpectWhatTheirCodeReliesOn) {
  EXPECT_TRUE(shapes_.Expects(0));
  EXPECT_TRUE(shapes_.at_begin[1].empty());
  EXPECT_TRUE(shapes_.Expects(1)) << "s4 alone";
  EXPECT_FALSE(shapes_.Expects(2));
  EXPECT_TRUE(shapes_.ones_at_begin[3].none());
  EXPECT_TRUE(shapes_.Expects(3)) << "v1 alone";
}

TEST_F(RegionShapesHold, AMaskWithOneLaneMissingDoesNotHold) {
  EXPECT_TRUE(Hold(0));
  for (const int half : {kExec, kExec + 1}) {
    for (int bit = 0; bit < 32; ++bit) {
      registers_->sgprs[half] = ~(1u << bit);
      EXPECT_FALSE(Hold(0)) << "bit " << bit << " of s" << half;
    }
    registers_->sgprs[half] = ~0u;
  }
  EXPECT_TRUE(Hold(0));
}

TEST_F(RegionShapesHold, ALaneInCommonWithExecDoesNotHold) {
  shapes_.apart_at_begin[2].set(4).set(20);
  EXPECT_TRUE(shapes_.Expects(2)) << "masks alone";
  uint32_t* const sgprs = registers_->sgprs;
  for (const int half : {0, 1}) {
    sgprs[kExec] = sgprs[kExec + 1] = 0x0F0F0F0F;
    sgprs[4] = sgprs[5] = 0xF0F0F0F0;
    EXPECT_TRUE(Hold(2));
    for (int bit = 0; bit < 32; ++bit) {
      sgprs[4 + half] ^= 1u << bit;
      EXPECT_EQ(Hold(2), (0xF0F0F0F0 >> bit & 1) != 0) << "bit " << bit << " of half " << half;
      sgprs[4 + half] ^= 1u << bit;
    }
    sgprs[20 + half] = 1;
    EXPECT_FALSE(Hold(2));
    sgprs[20 + half] = 0;
    sgprs[6] = ~0u;  // no pair's
    EXPECT_TRUE(Hold(2));
  }
}

TEST_F(RegionShapesHold, AVgprThatIsOffInOneLaneDoesNotHold) {
  for (int lane = 0; lane < kLanes; ++lane) {
    registers_->vgprs[0][lane] ^= 0x80000000;
    EXPECT_FALSE(Hold(0)) << "lane " << lane;
    registers_->vgprs[0][lane] ^= 0x80000000;
  }
  EXPECT_TRUE(Hold(0));
  // The base is not a multiple of 64.
  for (uint32_t& lane : registers_->vgprs[0]) lane += 32;
  EXPECT_FALSE(Hold(0));
}

TEST_F(RegionShapesHold, EachBlockLooksAtItsOwn) {
  registers_->sgprs[4] = ~0u;
  EXPECT_TRUE(Hold(1));
  registers_->sgprs[kExec] = 0;
  registers_->vgprs[0][5] = 0;
  EXPECT_FALSE(Hold(0));
  EXPECT_TRUE(Hold(1));
  registers_->sgprs[4] = ~2u;
  EXPECT_FALSE(Hold(1));
  EXPECT_TRUE(Hold(2));
}

}  // namespace
}  // namespace gcnjit::ir
