// Graphs whose blocks are merged, and what a merged graph must still be.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "frontend/flow/merge_blocks.h"
#include "frontend/lift/lift_region.h"
#include "hand_made.h"

namespace gcnjit::frontend {

using Successors = std::vector<uint32_t>;

inline constexpr LiftTarget kTarget = {Generation::kGfx900, 0, 16};

inline const Instruction kJump = Program(Opcode::S_BRANCH);
inline const Instruction kSkip = Program(Opcode::S_CBRANCH_EXECZ);
inline const Instruction kNop = Program(Opcode::S_NOP);

inline Instruction SMov(uint16_t to, uint16_t from = 20) {
  return Make(Opcode::S_MOV_B32, Encoding::kSop1, Scalar(to, OperandType::B32),
              Scalar(from, OperandType::B32));
}

inline ControlFlowGraph Merge(const ControlFlowGraph& graph, const LiveAtEnd& at_end = {},
                              const LiftTarget& target = kTarget,
                              std::span<const ReadableMemory> readable = {}) {
  return MergeBlocks(graph, Liveness(graph, target.processor.generation, at_end),
                     target.processor.generation, CanLiftFor(target), readable)
      .value_or(graph);
}

// Each block is found by its address, is in order, and goes to blocks; the entry is the same.
inline void ExpectConsistent(const ControlFlowGraph& merged, const ControlFlowGraph& before) {
  EXPECT_EQ(merged.by_pc.size(), merged.blocks.size());
  size_t instructions = 0;
  size_t instructions_before = 0;
  for (uint32_t n = 0; n < merged.blocks.size(); ++n) {
    const CodeBlock& block = merged.blocks[n];
    ASSERT_TRUE(merged.by_pc.contains(block.begin));
    EXPECT_EQ(merged.by_pc.at(block.begin), n);
    if (n != 0) {
      EXPECT_LT(merged.blocks[n - 1].begin, block.begin);
    }
    for (const uint32_t to : block.successors) EXPECT_LT(to, merged.blocks.size());
    instructions += block.instructions.size();
  }
  for (const CodeBlock& block : before.blocks) instructions_before += block.instructions.size();
  EXPECT_EQ(instructions, instructions_before);
  EXPECT_EQ(merged.blocks[merged.entry].begin, before.blocks[before.entry].begin);
}

// block 0: body, then EXECZ to block 2; block 1: `skipped`; block 2: reads `used`, and ends.
inline ControlFlowGraph Skipping(const std::vector<Instruction>& skipped,
                                 const std::vector<Instruction>& target = {VMov(3, 1), kEnd},
                                 const Instruction& branch = kSkip,
                                 std::vector<Instruction> before = {}) {
  before.insert(before.end(), {kNarrowExec, branch});
  return GraphOf({{before, {1, 2}}, {skipped, {2}}, {target, {}}});
}

// Is the skip merged over? Then the target is, too.
inline bool IsMerged(const ControlFlowGraph& graph, const LiveAtEnd& at_end = {},
                     const LiftTarget& target = kTarget) {
  const ControlFlowGraph merged = Merge(graph, at_end, target);
  ExpectConsistent(merged, graph);
  const DecodedInstruction& skip =
      merged.blocks[0].instructions[graph.blocks[0].instructions.size() - 1];
  EXPECT_EQ(skip.inst().opcode, Opcode::S_CBRANCH_EXECZ);
  if (merged.blocks.size() == 3) {
    EXPECT_EQ(skip.skips, 0u);
    EXPECT_EQ(merged.blocks[0].successors, (Successors{1, 2}));
    return false;
  }
  EXPECT_EQ(merged.blocks.size(), 1u);
  EXPECT_EQ(skip.skips, graph.blocks[1].instructions.size());
  EXPECT_EQ(merged.blocks[0].end, graph.blocks[2].end);
  EXPECT_TRUE(merged.blocks[0].ends_program);
  EXPECT_TRUE(merged.blocks[0].successors.empty());
  return true;
}

}  // namespace gcnjit::frontend
