// Lanes that are known, said by operations.
#include "workgroup/affine_lanes.h"

#include <gtest/gtest.h>

#include <functional>

#include "ir/printer.h"

namespace gcnjit::workgroup {
namespace {

using Lane = std::function<uint32_t(uint32_t)>;

LaneValues Lanes(const Lane& of) {
  LaneValues lanes;
  for (uint32_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = of(lane);
  return lanes;
}

// What the operations give.
LaneValues Evaluated(const AffineLanes& steps) {
  ir::Function function;
  ir::Block block;
  ir::Builder builder(function, block);
  const ir::Value v = EmitAffineLanes(builder, steps);
  builder.Emit(ir::Op::kSetVgpr, ir::Type::kVoid, {v}, 0);
  builder.Emit(ir::Op::kExit, ir::Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  function.blocks.push_back(block);
  ConstantRegisters registers;
  ConstantLanes values(function);
  values.Run(function.blocks[0], registers);
  EXPECT_TRUE(values.IsKnown(v)) << ir::Print(function);
  LaneValues lanes;
  for (int n = 0; n < ir::kLanes; ++n) {
    lanes[static_cast<size_t>(n)] = static_cast<uint32_t>(values.Lane(v, n));
  }
  return lanes;
}

void ExpectSteps(const Lane& of, uint32_t row) {
  const LaneValues lanes = Lanes(of);
  const auto steps = AffineLanesOf(lanes);
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->row, row);
  EXPECT_EQ(Evaluated(*steps), lanes);
}

TEST(AffineLanes, OneRow) {
  ExpectSteps([](uint32_t lane) { return lane; }, 64);
  ExpectSteps([](uint32_t lane) { return lane + 192; }, 64);
  ExpectSteps([](uint32_t lane) { return lane * 12 - 7; }, 64);
  ExpectSteps([](uint32_t lane) { return 5 - lane * 3; }, 64);
  ExpectSteps([](uint32_t) { return 9; }, 64);
  ExpectSteps([](uint32_t) { return 0; }, 64);
}

TEST(AffineLanes, Rows) {
  for (const uint32_t row : {2u, 4u, 8u, 16u, 32u}) {
    ExpectSteps([row](uint32_t lane) { return lane % row; }, row);
    ExpectSteps([row](uint32_t lane) { return lane / row + 12; }, row);
    ExpectSteps([row](uint32_t lane) { return lane % row * 4 + lane / row * 100 + 3; }, row);
    ExpectSteps([row](uint32_t lane) { return lane % row - lane / row; }, row);
  }
}

TEST(AffineLanes, Others) {
  for (const uint32_t odd : {1u, 2u, 31u, 32u, 63u}) {
    EXPECT_FALSE(
        AffineLanesOf(Lanes([odd](uint32_t lane) { return lane + (lane == odd ? 100 : 0); })));
  }
  EXPECT_FALSE(AffineLanesOf(Lanes([](uint32_t lane) { return lane * lane; })));
  EXPECT_FALSE(AffineLanesOf(Lanes([](uint32_t lane) { return lane % 24; })));
}

}  // namespace
}  // namespace gcnjit::workgroup
