// Which blocks are merged, over skips too, and what becomes of the graph.
#include "frontend/flow/merge_blocks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontend/lift/lift_region.h"
#include "ir/verifier.h"
#include "merged_graphs.h"

namespace gcnjit::frontend {
namespace {

TEST(MergeBlocksTest, StraightOn) {
  const ControlFlowGraph graph =
      GraphOf({{{VMov(1, 2), kJump}, {1}}, {{VMov(2, 3)}, {2}}, {{kEnd}, {}}});
  const ControlFlowGraph merged = Merge(graph);
  ExpectConsistent(merged, graph);
  ASSERT_EQ(merged.blocks.size(), 1u);
  EXPECT_EQ(merged.blocks[0].instructions.size(), 4u);
  EXPECT_EQ(merged.blocks[0].instructions[1].skips, 0u);
  EXPECT_TRUE(merged.blocks[0].ends_program);
}

TEST(MergeBlocksTest, NotIntoBlocksThatOthersGoTo) {
  // A loop: block 1 is entered from 0 and from itself.
  const Instruction back = Program(Opcode::S_CBRANCH_SCC1);
  const ControlFlowGraph loop =
      GraphOf({{{VMov(1, 2)}, {1}}, {{VMov(2, 3), back}, {2, 1}}, {{kEnd}, {}}});
  const ControlFlowGraph merged = Merge(loop);
  ExpectConsistent(merged, loop);
  ASSERT_EQ(merged.blocks.size(), 3u);
  EXPECT_EQ(merged.blocks[1].successors, (Successors{2, 1}));
  // What comes after a conditional branch has one predecessor but is not the only way on.
  EXPECT_EQ(merged.blocks[1].instructions.size(), 2u);
}

TEST(MergeBlocksTest, NotWhereTheWaveWaits) {
  for (const Opcode opcode : {Opcode::S_BARRIER, Opcode::S_SLEEP}) {
    const ControlFlowGraph graph = GraphOf({{{kNop, Program(opcode)}, {1}}, {{kEnd}, {}}});
    EXPECT_EQ(Merge(graph).blocks.size(), 2u) << RowOf(opcode).id;
  }
  // A debug trap: the wave may go on.
  const ControlFlowGraph trap = GraphOf({{{kNop, Program(Opcode::S_TRAP, 3)}, {1}}, {{kEnd}, {}}});
  EXPECT_EQ(Merge(trap).blocks.size(), 2u);
  EXPECT_EQ(Merge(GraphOf({{{kNop, kNop}, {1}}, {{kEnd}, {}}})).blocks.size(), 1u);
}

TEST(MergeBlocksTest, TheEntryIsNeverMergedAway) {
  // Code goes round: block 1, where the region is entered, has one predecessor.
  ControlFlowGraph graph = GraphOf(
      {{{VMov(1, 2)}, {1}}, {{VMov(2, 3), Program(Opcode::S_CBRANCH_SCC1)}, {2, 0}}, {{kEnd}, {}}});
  graph.entry = 1;
  const ControlFlowGraph merged = Merge(graph);
  ExpectConsistent(merged, graph);
  ASSERT_EQ(merged.blocks.size(), 3u);
  EXPECT_EQ(merged.entry, 1u);
  // Entered in front of it, block 1 is a part of that block.
  graph.entry = 0;
  ASSERT_EQ(Merge(graph).blocks.size(), 2u);
  EXPECT_EQ(Merge(graph).blocks[0].successors, (Successors{1, 0}));
}

TEST(MergeBlocksTest, ToLowerAddresses) {
  // 0 goes to 2, which goes to 1: all of it is appended to 0.
  const ControlFlowGraph forwards =
      GraphOf({{{kNop, kJump}, {2}}, {{kEnd}, {}}, {{kNop, kJump}, {1}}});
  ExpectConsistent(Merge(forwards), forwards);
  ASSERT_EQ(Merge(forwards).blocks.size(), 1u);
  EXPECT_EQ(Merge(forwards).blocks[0].instructions.back().inst().opcode, Opcode::S_ENDPGM);
  // Code that begins in the middle and goes on in front of it.
  ControlFlowGraph backwards = GraphOf({{{kEnd}, {}}, {{kNop, kJump}, {0}}});
  backwards.entry = 1;
  const ControlFlowGraph merged = Merge(backwards);
  ExpectConsistent(merged, backwards);
  ASSERT_EQ(merged.blocks.size(), 1u);
  EXPECT_EQ(merged.blocks[0].begin, backwards.blocks[1].begin);
  EXPECT_TRUE(merged.blocks[0].ends_program);
}

// A loop whose last block is above its first one, as compilers place them: 0 goes to 2, which may
// skip 3 on its way to 1, which goes on to 2 or leaves.
TEST(MergeBlocksTest, LoopsThatAreEnteredInTheMiddle) {
  const ControlFlowGraph loop = GraphOf({{{VMov(1, 2), kJump}, {2}},
                                         {{VMov(1, 4), kSkip}, {2, 4}},
                                         {{kNarrowExec, kSkip}, {3, 1}},
                                         {{VMov(1, 3), kJump}, {1}},
                                         {{kEnd}, {}}});
  const ControlFlowGraph merged = Merge(loop);
  ExpectConsistent(merged, loop);
  ASSERT_EQ(merged.blocks.size(), 3u);
  const CodeBlock& body = merged.blocks[1];
  EXPECT_EQ(body.begin, loop.blocks[2].begin);
  EXPECT_EQ(body.end, loop.blocks[1].end);
  EXPECT_EQ(body.instructions.size(), 6u);
  EXPECT_EQ(body.instructions[1].skips, 2u);
  EXPECT_EQ(body.successors, (Successors{1, 2}));
}

TEST(MergeBlocksTest, SkipsThatOthersGoTo) {
  // Block 3 goes into the body.
  const Instruction back = Program(Opcode::S_CBRANCH_SCC1);
  const ControlFlowGraph graph = GraphOf({{{kNarrowExec, kSkip}, {1, 2}},
                                          {{VMov(1, 2)}, {2}},
                                          {{VMov(3, 1), back}, {3, 1}},
                                          {{kEnd}, {}}});
  const ControlFlowGraph merged = Merge(graph);
  ExpectConsistent(merged, graph);
  EXPECT_EQ(merged.blocks.size(), 4u);
}

TEST(MergeBlocksTest, TargetsThatOthersGoTo) {
  // The skip is merged over; its target stays a block of its own.
  const Instruction back = Program(Opcode::S_CBRANCH_SCC1);
  const ControlFlowGraph graph = GraphOf({{{kNarrowExec, kSkip}, {1, 2}},
                                          {{VMov(1, 2)}, {2}},
                                          {{VMov(3, 1), back}, {3, 2}},
                                          {{kEnd}, {}}});
  const ControlFlowGraph merged = Merge(graph);
  ExpectConsistent(merged, graph);
  ASSERT_EQ(merged.blocks.size(), 3u);
  EXPECT_EQ(merged.blocks[0].instructions.size(), 3u);
  EXPECT_EQ(merged.blocks[0].instructions[1].skips, 1u);
  EXPECT_EQ(merged.blocks[0].successors, (Successors{1}));
  EXPECT_EQ(merged.blocks[1].successors, (Successors{2, 1}));
}

TEST(MergeBlocksTest, BodiesThatComeOutElsewhere) {
  const ControlFlowGraph elsewhere = GraphOf({{{kNarrowExec, kSkip}, {1, 2}},
                                              {{VMov(1, 2), kJump}, {3}},
                                              {{VMov(3, 1), kEnd}, {}},
                                              {{kEnd}, {}}});
  const ControlFlowGraph merged = Merge(elsewhere);
  ExpectConsistent(merged, elsewhere);
  for (const CodeBlock& block : merged.blocks) {
    for (const DecodedInstruction& at : block.instructions) EXPECT_EQ(at.skips, 0u);
  }
  EXPECT_EQ(merged.blocks[0].successors.size(), 2u);
  // A body that ends the program, and one that waits.
  const ControlFlowGraph ends =
      GraphOf({{{kNarrowExec, kSkip}, {1, 2}}, {{VMov(1, 2), kEnd}, {}}, {{kEnd}, {}}});
  EXPECT_EQ(Merge(ends).blocks[0].instructions.size(), 2u);
  EXPECT_FALSE(IsMerged(Skipping({VMov(1, 2), Program(Opcode::S_BARRIER)})));
  // Other branches than the one on EXEC.
  const ControlFlowGraph on_scc =
      Skipping({VMov(1, 2)}, {VMov(3, 1), kEnd}, Program(Opcode::S_CBRANCH_SCC0));
  EXPECT_EQ(Merge(on_scc).blocks.size(), 3u);
}

TEST(MergeBlocksTest, Chains) {
  const ControlFlowGraph graph = GraphOf({{{kNarrowExec, kSkip}, {1, 2}},
                                          {{VMov(1, 2)}, {2}},
                                          {{VMov(3, 1), kSkip}, {3, 4}},
                                          {{VMov(2, 3), VMov(1, 2)}, {4}},
                                          {{kNop, kJump}, {5}},
                                          {{kEnd}, {}}});
  const ControlFlowGraph merged = Merge(graph);
  ExpectConsistent(merged, graph);
  ASSERT_EQ(merged.blocks.size(), 1u);
  EXPECT_EQ(merged.blocks[0].instructions[1].skips, 1u);
  EXPECT_EQ(merged.blocks[0].instructions[4].skips, 2u);
}

TEST(MergeBlocksTest, WhatIsLiftedCountsWhatIsSkipped) {
  const ControlFlowGraph graph = GraphOf({{{kNarrowExec, kSkip}, {1, 2}},
                                          {{VMov(1, 2), VMov(2, 1), kJump}, {2}},
                                          {{VMov(3, 1), kEnd}, {}}});
  const ControlFlowGraph merged = Merge(graph);
  ASSERT_EQ(merged.blocks.size(), 1u);
  LiveAtEnd at_end;
  at_end.live.vgprs[3] = at_end.wide[3] = true;
  const ir::Function function =
      LiftRegion(merged, Liveness(merged, kTarget.processor.generation, at_end), kTarget, nullptr);
  EXPECT_EQ(ir::Verify(function), std::vector<std::string>{});
  ASSERT_EQ(function.blocks.size(), 1u);
  EXPECT_EQ(function.blocks[0].instruction_count, 7u);
  int skips = 0;
  for (const ir::Value v : function.blocks[0].insts) {
    if (function[v].op != ir::Op::kSkipped) continue;
    ++skips;
    EXPECT_EQ(function[v].imm, 3);
  }
  EXPECT_EQ(skips, 1);
}

}  // namespace
}  // namespace gcnjit::frontend
