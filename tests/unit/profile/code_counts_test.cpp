// Sums and blocks of what was counted for instructions.
#include "profile/code_counts.h"

#include <gtest/gtest.h>

namespace gcnjit::profile {
namespace {

CodeCounts Code(InstructionClass kind, uint64_t executed, uint64_t active_lanes) {
  CodeCounts counts;
  counts.kind = kind;
  counts.bytes = 4;
  counts.executed = executed;
  counts.active_lanes = active_lanes;
  return counts;
}

TEST(CodeCountsTest, BlocksEndAtBranchesAndBeginWhereTheyGo) {
  CountsByPc counts;
  counts[0x100] = Code(InstructionClass::kSalu, 2, 128);
  counts[0x104] = Code(InstructionClass::kValu, 2, 128);
  counts[0x108] = Code(InstructionClass::kValu, 10, 320);  // the loop
  counts[0x108].is_target = true;
  counts[0x10C] = Code(InstructionClass::kLds, 10, 160);
  counts[0x110] = Code(InstructionClass::kBranch, 10, 160);
  counts[0x110].ends_block = true;
  counts[0x114] = Code(InstructionClass::kOther, 2, 128);
  counts[0x200] = Code(InstructionClass::kOther, 1, 64);  // elsewhere
  const std::vector<BlockCounts> blocks = BlocksOf(counts);
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].pc, 0x100u);
  EXPECT_EQ(blocks[0].executed, 2u);
  EXPECT_EQ(blocks[0].instructions, 2u);
  EXPECT_EQ(blocks[0].vector_instructions, 2u);
  EXPECT_EQ(blocks[0].active_lanes, 128u);
  EXPECT_EQ(blocks[1].pc, 0x108u);
  EXPECT_EQ(blocks[1].executed, 10u);
  EXPECT_EQ(blocks[1].instructions, 3u);
  EXPECT_EQ(blocks[1].vector_instructions, 20u);
  EXPECT_EQ(blocks[1].active_lanes, 480u);
  EXPECT_EQ(blocks[2].pc, 0x114u);
  EXPECT_EQ(blocks[2].vector_instructions, 0u);
  EXPECT_EQ(blocks[3].pc, 0x200u);
}

TEST(CodeCountsTest, TotalsCountLanesWhereLanesDoIt) {
  CountsByPc counts;
  counts[0] = Code(InstructionClass::kValu, 3, 100);
  counts[0].flops = 2;
  counts[0].by_lanes[8] = 3;
  counts[4] = Code(InstructionClass::kVmemRead, 1, 64);
  counts[4].bytes_read = 4;
  counts[4].lines = {1, 256, 64, 4, {0, 0, 0, 0, 0, 0, 1, 0}};
  counts[8] = Code(InstructionClass::kSmem, 3, 192);
  counts[8].bytes_read = 16;
  counts[12] = Code(InstructionClass::kLds, 2, 128);
  counts[12].banks = {2, 64, 4};
  const CountTotals totals = TotalsOf(counts);
  EXPECT_EQ(totals.instructions, 9u);
  EXPECT_EQ(totals.by_class[static_cast<size_t>(InstructionClass::kValu)], 3u);
  EXPECT_EQ(totals.by_class[static_cast<size_t>(InstructionClass::kSmem)], 3u);
  EXPECT_EQ(totals.vector_instructions, 6u);
  EXPECT_EQ(totals.active_lanes, 292u);
  EXPECT_EQ(totals.by_lanes[8], 3u);
  EXPECT_EQ(totals.flops, 200u);
  EXPECT_EQ(totals.bytes_read, 4u * 64 + 3 * 16);
  EXPECT_EQ(totals.bytes_written, 0u);
  EXPECT_EQ(totals.lines.lines, 64u);
  EXPECT_EQ(totals.lines.least_lines, 4u);
  EXPECT_EQ(totals.lines.by_lines[6], 1u);
  EXPECT_EQ(totals.banks.passes, 64u);
  EXPECT_EQ(totals.banks.least_passes, 4u);
}

}  // namespace
}  // namespace gcnjit::profile
