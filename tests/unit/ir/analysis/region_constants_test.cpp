// Constants in registers across the blocks of a region.
#include "ir/analysis/region_constants.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::ir {
namespace {

using Constants = std::vector<RegisterConstant>;

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

  // Likewise of a VGPR: if all lanes get one constant.
  std::optional<int64_t> WrittenLanes(size_t block, int64_t vgpr) const {
    std::optional<int64_t> written;
    for (const Value v : function_.blocks[block].insts) {
      const Inst& inst = function_[v];
      if (inst.op != Op::kSetVgpr || inst.imm != vgpr) continue;
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

// v1 is 0 in all lanes of all iterations, v2 in none, v3 only in the first; EXEC's lanes of v4 get
// 7, others keep what they have; v5 is 9, again in each iteration.
constexpr const char* kVgprLoop = R"(block 0x1000 instructions=1
  %1 = get_sgpr64.u64 s126
  %2 = get_vgpr.v32 v4
  %3 = select.v32 %1, 7, %2
  set_vgpr v1, 0 {active}
  set_vgpr v3, 5
  set_vgpr v4, %3
  set_vgpr v5, 9
  jump 0x1004
block 0x1004 instructions=1
  %4 = get_vgpr.v32 v1
  set_vgpr v20, %4
  %5 = get_vgpr.v32 v2
  set_vgpr v21, %5
  %6 = get_vgpr.v32 v3
  set_vgpr v22, %6
  %7 = get_vgpr.v32 v4
  set_vgpr v23, %7
  %10 = get_vgpr.v32 v5
  set_vgpr v25, %10
  set_vgpr v5, 9
  set_vgpr v3, 6
  %11 = get_scc.u1
  branch %11, 0x1004, 0x1008
block 0x1008 instructions=1
  %12 = get_vgpr.v32 v20
  set_vgpr v24, %12
  exit end, 0x2000
)";

TEST_F(RegionConstants, AreThoseOfVgprsToo) {
  Fold(kVgprLoop);
  EXPECT_EQ(WrittenLanes(1, 20), 0);
  EXPECT_EQ(WrittenLanes(1, 21), std::nullopt) << "never written";
  EXPECT_EQ(WrittenLanes(1, 22), std::nullopt) << "5, then 6";
  EXPECT_EQ(WrittenLanes(1, 23), std::nullopt) << "some lanes alone";
  EXPECT_EQ(WrittenLanes(1, 25), std::nullopt) << "9, and written";
  EXPECT_EQ(WrittenLanes(2, 24), 0) << "a copy";
  EXPECT_EQ(begins_[0], Constants{});
  EXPECT_EQ(begins_[1], (Constants{{kSgprs + 1, 0}}));
  EXPECT_EQ(begins_[2], (Constants{{kSgprs + 20, 0}}));
}

TEST_F(RegionConstants, OfVgprsHaveToHoldInEachLane) {
  Fold(kVgprLoop);
  RegionShapes shapes = FindLaneShapes(function_, assumptions_);
  shapes.constants_at_begin = begins_;
  static uint32_t vgprs[kVgprs][kLanes] = {};
  const uint32_t sgprs[kSgprs] = {};
  EXPECT_TRUE(shapes.Hold(1, vgprs, sgprs));
  for (int lane = 0; lane < kLanes; ++lane) {
    vgprs[1][lane] = 1;
    EXPECT_FALSE(shapes.Hold(1, vgprs, sgprs)) << "lane " << lane;
    vgprs[1][lane] = 0;
  }
}

// VGPRs are written by number, by a product of matrices and by the interpreter.
TEST_F(RegionConstants, OfVgprsAreForgottenWhateverWritesThem) {
  InterpretedStep step{0x1004, 0x1008, {}, {}};
  step.written.set(1);
  assumptions_.interpreted = {step};
  Fold(R"(block 0x1000 instructions=1
  set_vgpr v0, 2
  set_vgpr v6, 6
  set_vgpr v7, 7
  set_vgpr v511, 9
  set_vgpr v5, 5
  set_vgpr v1, 1
  exit interpret, 0x1004
block 0x1008 instructions=1
  %1 = get_vgpr.v32 v0
  set_vgpr v22, %1
  %2 = get_vgpr.v32 v1
  set_vgpr v23, %2
  %3 = get_sgpr.u32 s4
  set_vgpr_at v7, %3, 0xffffffffffffffff:u64, %3
  matrix %1, %1 {d=2, c=2, shape=16x16x4x1, f32}
  jump 0x100c
block 0x100c instructions=1
  %4 = get_vgpr.v32 v6
  set_vgpr v26, %4
  %5 = get_vgpr.v32 v7
  set_vgpr v27, %5
  %6 = get_vgpr.v32 v511
  set_vgpr v28, %6
  %7 = get_vgpr.v32 v5
  set_vgpr v29, %7
  %8 = get_vgpr.v32 v1
  set_vgpr v30, %8
  exit end, 0x2000
)");
  EXPECT_EQ(WrittenLanes(1, 22), 2);
  EXPECT_EQ(WrittenLanes(1, 23), std::nullopt);
  EXPECT_EQ(WrittenLanes(2, 26), 6);
  EXPECT_EQ(WrittenLanes(2, 27), std::nullopt);
  EXPECT_EQ(WrittenLanes(2, 28), std::nullopt);
  EXPECT_EQ(WrittenLanes(2, 29), std::nullopt);
  EXPECT_EQ(WrittenLanes(2, 30), std::nullopt);
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
