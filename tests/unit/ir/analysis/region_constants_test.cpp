// Constants in SGPRs across the blocks of a region.
#include "ir/analysis/region_constants.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::ir {
namespace {

using Constants = std::vector<SgprConstant>;

class RegionConstants : public ::testing::Test {
 protected:
  void Fold(const std::string& text) {
    ParseResult parsed = Parse(text);
    ASSERT_FALSE(parsed.error) << parsed.error->message;
    function_ = std::move(parsed.function);
    assumptions_.blocks_apart = false;
    assumptions_.entries = {function_.blocks[0].begin};
    begins_ = FoldRegionConstants(function_, assumptions_);
    EXPECT_EQ(Verify(function_), std::vector<std::string>{});
  }
  // What the block's last write of an SGPR or a pair writes, if that is a constant.
  std::optional<int64_t> Written(size_t block, int64_t sgpr) const {
    std::optional<int64_t> written;
    for (const Value v : function_.blocks[block].insts) {
      const Inst& inst = function_[v];
      const bool is_set = inst.op == Op::kSetSgpr || inst.op == Op::kSetSgpr64;
      if (!is_set || inst.imm != sgpr) continue;
      const Inst& value = function_[inst.args[0]];
      written = value.op == Op::kConst ? std::optional(value.imm) : std::nullopt;
    }
    return written;
  }

  Function function_;
  ShapeAssumptions assumptions_;
  std::vector<Constants> begins_;
};

// s3 and s[6:7] have constants in the loop, s4 another one in each iteration, s5 none.
constexpr const char* kLoop = R"(block 0x1000 instructions=1
  set_sgpr s3, 0x100f000
  set_sgpr s4, 1
  set_sgpr64 s6, 0x500000002:u64
  jump 0x1004
block 0x1004 instructions=1
  %1 = get_sgpr.u32 s3
  set_sgpr s20, %1
  %2 = get_sgpr.u32 s4
  set_sgpr s21, %2
  %3 = get_sgpr.u32 s5
  set_sgpr s22, %3
  %4 = get_sgpr64.u64 s6
  set_sgpr64 s24, %4
  set_sgpr s4, 2
  %5 = get_scc.u1
  branch %5, 0x1004, 0x1008
block 0x1008 instructions=1
  %6 = get_sgpr.u32 s7
  set_sgpr s20, %6
  exit end, 0x2000
)";

TEST_F(RegionConstants, ComeFromBeforeALoop) {
  Fold(kLoop);
  EXPECT_EQ(Written(1, 20), 0x100f000);
  EXPECT_EQ(Written(1, 21), std::nullopt) << "1, then 2";
  EXPECT_EQ(Written(1, 22), std::nullopt) << "never written";
  EXPECT_EQ(Written(1, 24), 0x500000002);
  EXPECT_EQ(Written(2, 20), 5) << "half of a pair";
  EXPECT_EQ(begins_[0], Constants{});
  EXPECT_EQ(begins_[1], (Constants{{3, 0x100f000}, {6, 2}, {7, 5}}));
  EXPECT_EQ(begins_[2], (Constants{{7, 5}}));
}

TEST_F(RegionConstants, AreNoneWhereBlocksMayBeEnteredFromAnywhere) {
  ParseResult parsed = Parse(kLoop);
  const std::string before = Print(parsed.function);
  EXPECT_EQ(FoldRegionConstants(parsed.function, {}), std::vector<Constants>(3));
  EXPECT_EQ(Print(parsed.function), before);
}

// A block's reads come first: s8 gets what s2 had, whatever s2 is by then.
TEST_F(RegionConstants, ACopyIsOfWhatWasRead) {
  Fold(R"(block 0x1000 instructions=1
  set_sgpr s1, 7
  jump 0x1004
block 0x1004 instructions=1
  %1 = get_sgpr.u32 s2
  %2 = get_sgpr.u32 s1
  set_sgpr s1, 9
  set_sgpr s2, 0
  set_sgpr s8, %1
  set_sgpr s9, %2
  jump 0x1008
block 0x1008 instructions=1
  %3 = get_sgpr.u32 s8
  set_sgpr s20, %3
  %4 = get_sgpr.u32 s9
  set_sgpr s21, %4
  %5 = get_sgpr.u32 s1
  set_sgpr s22, %5
  exit end, 0x2000
)");
  EXPECT_EQ(Written(2, 20), std::nullopt);
  EXPECT_EQ(Written(2, 21), 7);
  EXPECT_EQ(Written(2, 22), 9);
}

TEST_F(RegionConstants, WhatHasBeenWrittenIsNoLongerTheConstant) {
  Fold(R"(block 0x1000 instructions=1
  set_sgpr s1, 7
  jump 0x1004
block 0x1004 instructions=1
  %1 = get_sgpr.u32 s2
  set_sgpr s1, %1
  %2 = get_sgpr.u32 s1
  set_sgpr s20, %2
  exit end, 0x2000
)");
  EXPECT_EQ(Written(1, 20), std::nullopt);
  EXPECT_EQ(begins_[1], Constants{});
}

TEST_F(RegionConstants, HalvesMakePairs) {
  Fold(R"(block 0x1000 instructions=1
  set_sgpr64 s2, 0x100000003:u64
  jump 0x1004
block 0x1004 instructions=1
  %1 = get_sgpr64.u64 s2
  %2 = low.u32 %1
  %3 = high.u32 %1
  %4 = pack.u64 %3, %2
  set_sgpr64 s8, %4
  jump 0x1008
block 0x1008 instructions=1
  %5 = get_sgpr64.u64 s8
  set_sgpr64 s20, %5
  exit end, 0x2000
)");
  EXPECT_EQ(Written(2, 20), 0x300000001);
}

// On the ways to the last block s2 is 4 and s3 is 5 or 6.
TEST_F(RegionConstants, AreThoseOfAllWays) {
  Fold(R"(block 0x1000 instructions=1
  set_sgpr s2, 4
  set_sgpr s3, 5
  %1 = get_scc.u1
  branch %1, 0x1004, 0x1008
block 0x1004 instructions=1
  set_sgpr s3, 6
  jump 0x1008
block 0x1008 instructions=1
  %2 = get_sgpr.u32 s2
  set_sgpr s20, %2
  %3 = get_sgpr.u32 s3
  set_sgpr s21, %3
  exit end, 0x2000
)");
  EXPECT_EQ(Written(2, 20), 4);
  EXPECT_EQ(Written(2, 21), std::nullopt);
  EXPECT_EQ(begins_[1], (Constants{{2, 4}})) << "what the next block relies on";
}

TEST_F(RegionConstants, AreForgottenWhereTheInterpreterWrites) {
  InterpretedStep step{0x1004, 0x1008, {}, {}};
  step.written_sgprs.set(3);
  assumptions_.interpreted = {step};
  Fold(R"(block 0x1000 instructions=1
  set_sgpr s2, 4
  set_sgpr s3, 5
  exit interpret, 0x1004
block 0x1008 instructions=1
  %2 = get_sgpr.u32 s2
  set_sgpr s20, %2
  %3 = get_sgpr.u32 s3
  set_sgpr s21, %3
  exit end, 0x2000
)");
  EXPECT_EQ(Written(1, 20), 4);
  EXPECT_EQ(Written(1, 21), std::nullopt);
}

// No block is known to lead to the second one; EXEC's constants are others'.
TEST_F(RegionConstants, OfUnknownWaysAndOfExecAreNone) {
  Fold(R"(block 0x1000 instructions=1
  set_sgpr s2, 4
  set_sgpr64 s126, 15:u64
  %1 = get_sgpr64.u64 s30
  jump_indirect %1
block 0x1004 instructions=1
  %2 = get_sgpr.u32 s2
  set_sgpr s20, %2
  set_sgpr64 s126, 15:u64
  jump 0x1008
block 0x1008 instructions=1
  %3 = get_sgpr64.u64 s126
  set_sgpr64 s22, %3
  exit end, 0x2000
)");
  EXPECT_EQ(Written(1, 20), std::nullopt);
  EXPECT_EQ(Written(2, 22), std::nullopt);
}

TEST_F(RegionConstants, HaveToHoldWhereABlockIsEntered) {
  Fold(kLoop);
  RegionShapes shapes = FindLaneShapes(function_, assumptions_);
  EXPECT_FALSE(shapes.Expects(1));
  shapes.constants_at_begin = begins_;
  EXPECT_FALSE(shapes.Expects(0));
  EXPECT_TRUE(shapes.Expects(1));
  static const uint32_t vgprs[kVgprs][kLanes] = {};
  uint32_t sgprs[kSgprs] = {};
  EXPECT_TRUE(shapes.Hold(0, vgprs, sgprs));
  sgprs[3] = 0x100f000;
  sgprs[6] = 2;
  sgprs[7] = 5;
  EXPECT_TRUE(shapes.Hold(1, vgprs, sgprs));
  for (const int sgpr : {3, 6, 7}) {
    sgprs[sgpr] ^= 1;
    EXPECT_FALSE(shapes.Hold(1, vgprs, sgprs)) << "s" << sgpr;
    sgprs[sgpr] ^= 1;
  }
}

}  // namespace
}  // namespace gcnjit::ir
