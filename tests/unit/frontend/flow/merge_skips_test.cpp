// Which instructions may be skipped within a block: those that do nothing without lanes.
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include "frontend/flow/merge_blocks.h"
#include "merged_graphs.h"

namespace gcnjit::frontend {
namespace {

Instruction VReadFirst(uint16_t to, uint16_t from) {
  return Make(Opcode::V_READFIRSTLANE_B32, Encoding::kVop1, Scalar(to, OperandType::B32),
              Vector(from, OperandType::B32));
}
Instruction Compare() {
  return Make(Opcode::V_CMP_EQ_U32, Encoding::kVopc, Scalar(kCodeVccLo, OperandType::B64),
              Vector(1, OperandType::U32), Vector(2, OperandType::U32));
}

TEST(MergeBlocksTest, SkipsThatDoNothingWithoutLanes) {
  EXPECT_TRUE(IsMerged(Skipping({VMov(1, 2)})));
  EXPECT_TRUE(IsMerged(Skipping({VMov(1, 2), VMov(2, 1), kJump})));
  // As many as here only where no memory says which lanes go on (TheRestOfAKernel).
  EXPECT_TRUE(IsMerged(Skipping(std::vector<Instruction>(128, VMov(1, 2)))));
  EXPECT_FALSE(IsMerged(Skipping(std::vector<Instruction>(129, VMov(1, 2)))));
}

TEST(MergeBlocksTest, SkipsThatWriteScalars) {
  const Instruction compare = Make(Opcode::S_CMP_EQ_U32, Encoding::kSopc, {},
                                   Scalar(8, OperandType::U32), Scalar(9, OperandType::U32));
  const auto reading = [](uint16_t sgpr) {
    return std::vector<Instruction>{SMov(30, sgpr), VMov(3, Scalar(30, OperandType::B32)), kEnd};
  };
  LiveAtEnd observed;
  observed.live.vgprs[3] = true;
  // Dead after the skip, or live.
  EXPECT_TRUE(IsMerged(Skipping({SMov(9)}, reading(8)), observed));
  EXPECT_FALSE(IsMerged(Skipping({SMov(8)}, reading(8)), observed));
  EXPECT_TRUE(IsMerged(Skipping({VReadFirst(9, 1)}, reading(8)), observed));
  EXPECT_FALSE(IsMerged(Skipping({VReadFirst(8, 1)}, reading(8)), observed));
  EXPECT_TRUE(IsMerged(Skipping({Compare()}, reading(8)), observed));
  EXPECT_FALSE(IsMerged(Skipping({Compare()}, reading(kCodeVccLo)), observed));
  EXPECT_FALSE(IsMerged(Skipping({Compare()}, reading(kCodeVccLo + 1)), observed));
  EXPECT_FALSE(IsMerged(Skipping({SMov(kCodeM0)}, reading(kCodeM0)), observed));
  // SCC.
  EXPECT_TRUE(IsMerged(Skipping({compare})));
  LiveAtEnd scc;
  scc.live.scc = true;
  EXPECT_FALSE(IsMerged(Skipping({compare}), scc));
  // Of the caller.
  LiveAtEnd sgpr;
  sgpr.live.sgprs[9] = true;
  EXPECT_FALSE(IsMerged(Skipping({SMov(9)}), sgpr));
  EXPECT_TRUE(IsMerged(Skipping({SMov(8)}), sgpr));
}

TEST(MergeBlocksTest, SkipsThatChangeExecOrLanesOfTheirChoice) {
  EXPECT_FALSE(IsMerged(Skipping({kRestoreExec})));
  // Without lanes, EXEC stays 0 here.
  EXPECT_TRUE(IsMerged(Skipping({kNarrowExec})));
  EXPECT_TRUE(IsMerged(Skipping({kNarrowExec, VMov(1, 2), kRestoreExec})));
  EXPECT_FALSE(IsMerged(Skipping({kNarrowExec, SMov(5), kRestoreExec})));
  EXPECT_FALSE(IsMerged(Skipping({SMov(kCodeExecLo)})));
  EXPECT_FALSE(IsMerged(Skipping({SMov(kCodeExecHi)})));
  EXPECT_FALSE(IsMerged(
      Skipping({Make(Opcode::V_WRITELANE_B32, Encoding::kVop3a, Vector(1, OperandType::B32),
                     Scalar(2, OperandType::S32), Constant(3, OperandType::S32))})));
}

// Instructions on masks, on pairs of SGPRs.
constexpr Opcode kOnMasks[] = {Opcode::S_MOV_B64,           Opcode::S_NOT_B64,
                               Opcode::S_AND_B64,           Opcode::S_OR_B64,
                               Opcode::S_XOR_B64,           Opcode::S_ANDN2_B64,
                               Opcode::S_AND_SAVEEXEC_B64,  Opcode::S_OR_SAVEEXEC_B64,
                               Opcode::S_XOR_SAVEEXEC_B64,  Opcode::S_ANDN2_SAVEEXEC_B64,
                               Opcode::S_ORN2_SAVEEXEC_B64, Opcode::S_NAND_SAVEEXEC_B64};

using Pairs = std::map<uint16_t, uint64_t>;

// Vega manual, "SOP1 instructions" and "SOP2 instructions".
void Execute(const Instruction& inst, Pairs& pairs) {
  const auto value = [&](const Operand& operand) {
    return operand.kind == OperandKind::kScalar ? pairs[operand.index] : operand.value;
  };
  const uint64_t a = value(inst.src[0]);
  const uint64_t b = inst.encoding == Encoding::kSop2 ? value(inst.src[1]) : 0;
  uint64_t& exec = pairs[kCodeExecLo];
  if (inst.encoding == Encoding::kVopc) {
    pairs[inst.dst.index] = exec & 0x5555'5555'5555'5555;  // whatever it compares
    return;
  }
  uint64_t result = exec;
  uint64_t exec_after = exec;
  switch (inst.opcode) {
    case Opcode::S_MOV_B64: result = a; break;
    case Opcode::S_NOT_B64: result = ~a; break;
    case Opcode::S_AND_B64: result = a & b; break;
    case Opcode::S_OR_B64: result = a | b; break;
    case Opcode::S_XOR_B64: result = a ^ b; break;
    case Opcode::S_ANDN2_B64: result = a & ~b; break;
    case Opcode::S_AND_SAVEEXEC_B64: exec_after = a & exec; break;
    case Opcode::S_OR_SAVEEXEC_B64: exec_after = a | exec; break;
    case Opcode::S_XOR_SAVEEXEC_B64: exec_after = a ^ exec; break;
    case Opcode::S_ANDN2_SAVEEXEC_B64: exec_after = a & ~exec; break;
    case Opcode::S_ORN2_SAVEEXEC_B64: exec_after = a | ~exec; break;
    default: exec_after = ~(a & exec); break;
  }
  pairs[inst.dst.index] = result;
  if (RowOf(inst.opcode).Has(EXEC_OUT)) exec = exec_after;
}

// EXEC must stay 0, and masks that are read afterwards must be as if the body had been skipped.
TEST(MergeBlocksTest, SkipsThatDoNothingToMasks) {
  std::mt19937_64 random(1);
  const auto pick = [&](const auto& of) { return of[random() % std::size(of)]; };
  constexpr uint16_t kPairs[] = {4, 6, 8, kCodeVccLo, kCodeExecLo};
  const auto source = [&] {
    return random() % 6 == 0 ? Constant(random() % 2 == 0 ? 0 : ~uint64_t{0}, OperandType::B64)
                             : Scalar(pick(kPairs), OperandType::B64);
  };
  int merged = 0;
  int kept = 0;
  for (int n = 0; n < 40000; ++n) {
    std::vector<Instruction> body;
    for (uint64_t length = 1 + random() % 6; length != 0; --length) {
      if (random() % 8 == 0) {
        body.push_back(Compare());
        continue;
      }
      const Opcode opcode = pick(kOnMasks);
      const bool is_sop2 = RowOf(opcode).On(Generation::kGfx900).format == Format::kSop2;
      const uint16_t to = pick(kPairs);
      const Operand first = random() % 2 == 0 ? Scalar(to, OperandType::B64) : source();
      body.push_back(Make(opcode, is_sop2 ? Encoding::kSop2 : Encoding::kSop1,
                          Scalar(to, OperandType::B64), first, is_sop2 ? source() : Operand{}));
    }
    std::vector<Instruction> target;
    std::vector<uint16_t> live;
    for (const uint16_t pair : kPairs) {
      if (pair == kCodeExecLo || random() % 2 == 0) continue;
      target.push_back(SMov(30, pair));
      live.push_back(pair);
    }
    target.push_back(kEnd);
    // Constants, now and then.
    Pairs before = {
        {4, random()}, {6, random()}, {8, random()}, {kCodeVccLo, random()}, {kCodeExecLo, 0}};
    std::vector<Instruction> constants;
    for (const uint16_t pair : kPairs) {
      if (pair == kCodeExecLo || random() % 4 != 0) continue;
      before[pair] = random() % 2 == 0 ? 0 : ~uint64_t{0};
      constants.push_back(Make(Opcode::S_MOV_B64, Encoding::kSop1, Scalar(pair, OperandType::B64),
                               Constant(before[pair], OperandType::B64)));
    }
    if (!IsMerged(Skipping(body, target, kSkip, constants))) continue;
    ++merged;
    Pairs pairs = before;
    for (const Instruction& inst : body) {
      Execute(inst, pairs);
      ASSERT_EQ(pairs[kCodeExecLo], 0u) << "program " << n;
      for (const uint16_t pair : live) kept += inst.dst.index == pair;
    }
    for (const uint16_t pair : live) ASSERT_EQ(pairs[pair], before.at(pair)) << "program " << n;
  }
  EXPECT_GT(merged, 1000);
  EXPECT_GT(kept, 150);  // written with what they were
}

// if (a) { if (b) { .. } .. }, and with the same end.
TEST(MergeBlocksTest, SkipsInSkips) {
  const Instruction inner = Make(Opcode::S_AND_SAVEEXEC_B64, Encoding::kSop1,
                                 Scalar(8, OperandType::B64), Scalar(6, OperandType::B64));
  const Instruction restore =
      Make(Opcode::S_OR_B64, Encoding::kSop2, Scalar(kCodeExecLo, OperandType::B64),
           Scalar(kCodeExecLo, OperandType::B64), Scalar(8, OperandType::B64));
  const ControlFlowGraph nested = GraphOf({{{kNarrowExec, kSkip}, {1, 4}},
                                           {{VMov(1, 2), inner, kSkip}, {2, 3}},
                                           {{VMov(1, 3), VMov(2, 3)}, {3}},
                                           {{restore, VMov(3, 1)}, {4}},
                                           {{VMov(3, 1), kEnd}, {}}});
  const ControlFlowGraph same_end = GraphOf({{{kNarrowExec, kSkip}, {1, 3}},
                                             {{VMov(1, 2), inner, kSkip}, {2, 3}},
                                             {{VMov(1, 3), VMov(2, 3)}, {3}},
                                             {{VMov(3, 1), kEnd}, {}}});
  for (const ControlFlowGraph* graph : {&nested, &same_end}) {
    const ControlFlowGraph merged = Merge(*graph);
    ExpectConsistent(merged, *graph);
    ASSERT_EQ(merged.blocks.size(), 1u);
    const auto& instructions = merged.blocks[0].instructions;
    // Without lanes both are taken: together they skip what the first one skips.
    EXPECT_EQ(instructions[4].skips, 2u);
    EXPECT_EQ(instructions[1].skips + instructions[4].skips, graph == &nested ? 7u : 5u);
    EXPECT_EQ(merged.blocks[0].end, graph->blocks.back().end);
  }
  // The inner one may not be skipped, so that neither is.
  const ControlFlowGraph jumps = GraphOf({{{kNarrowExec, kSkip}, {1, 4}},
                                          {{VMov(1, 2), inner, kSkip}, {2, 3}},
                                          {{VMov(1, 3), SMov(9)}, {3}},
                                          {{restore, VMov(3, 1)}, {4}},
                                          {{VMov(3, 1), kEnd}, {}}});
  LiveAtEnd sgpr;
  sgpr.live.sgprs[9] = true;
  EXPECT_EQ(Merge(jumps, sgpr).blocks.size(), 5u);
}

// The lifter ends its block before the branch then.
TEST(MergeBlocksTest, NotAfterChangesOfMode) {
  Instruction setreg = Make(Opcode::S_SETREG_B32, Encoding::kSopk, Scalar(9, OperandType::B32));
  for (const bool changes_mode : {false, true}) {
    const Instruction first = changes_mode ? setreg : VMov(5, 6);
    const ControlFlowGraph graph =
        GraphOf({{{first, kNarrowExec, kSkip}, {1, 2}}, {{VMov(1, 2)}, {2}}, {{kEnd}, {}}});
    EXPECT_EQ(Merge(graph).blocks.size(), changes_mode ? 3u : 1u);
  }
}

TEST(MergeBlocksTest, SkipsThatDoSomethingInAnyCase) {
  // What writes MODE.
  Instruction setreg = Make(Opcode::S_SETREG_B32, Encoding::kSopk, Scalar(9, OperandType::B32));
  setreg.imm = 1;
  EXPECT_FALSE(IsMerged(Skipping({setreg})));
  for (const Opcode opcode : {Opcode::S_SETVSKIP, Opcode::S_SET_GPR_IDX_ON}) {
    const Instruction inst = Make(opcode, Encoding::kSopc, {}, Scalar(9, OperandType::B32),
                                  Scalar(10, OperandType::B32));
    EXPECT_FALSE(IsMerged(Skipping({inst}))) << RowOf(opcode).id;
  }
  for (const Opcode opcode : {Opcode::S_SET_GPR_IDX_OFF, Opcode::S_SET_GPR_IDX_MODE}) {
    EXPECT_FALSE(IsMerged(Skipping({Program(opcode)}))) << RowOf(opcode).id;
  }
  // A scalar load may fault.
  Instruction load = Make(Opcode::S_LOAD_DWORD, Encoding::kSmem, Scalar(9, OperandType::B32),
                          Scalar(10, OperandType::B64));
  EXPECT_FALSE(IsMerged(Skipping({load})));
  EXPECT_FALSE(IsMerged(Skipping({Program(Opcode::S_SENDMSG)})));
}

// Bodies that access LDS have no lane in most waves of reductions and scans. They are merged, with
// a test of their masks, if no branch is left then.
TEST(MergeBlocksTest, SkipsOfLdsWhereAllBecomesStraight) {
  const Instruction lds = Make(Opcode::DS_READ_B32, Encoding::kDs, Vector(1, OperandType::B32),
                               Vector(2, OperandType::U32));
  const Instruction repeat = Program(Opcode::S_CBRANCH_SCC1);
  const std::vector<Instruction> body = {VMov(1, 2), lds};
  for (const bool has_loop : {false, true}) {
    const std::vector<Instruction> end =
        has_loop ? std::vector{VMov(3, 1), repeat} : std::vector{VMov(3, 1), kEnd};
    std::vector<BlockPlan> blocks = {{{VMov(5, 6), kNarrowExec, kSkip}, {1, 2}}, {body, {2}}};
    blocks.push_back({end, has_loop ? Successors{2, 3} : Successors{}});
    if (has_loop) blocks.push_back({{kEnd}, {}});
    const ControlFlowGraph graph = GraphOf(blocks);
    const ControlFlowGraph merged = Merge(graph);
    ExpectConsistent(merged, graph);
    EXPECT_EQ(merged.blocks.size(), has_loop ? 4u : 1u);
    EXPECT_EQ(merged.blocks[0].instructions[2].tests_lanes, !has_loop);
  }
}

// The interpreter would execute the instruction, and stop the wave: it is not told of the skip.
TEST(MergeBlocksTest, SkipsOfWhatTheInterpreterHasToExecute) {
  EXPECT_TRUE(IsMerged(Skipping({VMov(15, 2)})));
  EXPECT_FALSE(IsMerged(Skipping({VMov(16, 2)})));
  EXPECT_FALSE(IsMerged(Skipping({VMov(1, 2), VMov(1, 40)})));
  EXPECT_TRUE(IsMerged(Skipping({VMov(16, 2)}), {}, {Generation::kGfx900, 0, 17}));
  // An operand that is not lifted.
  Operand direct;
  direct.kind = OperandKind::kSpecial;
  direct.type = OperandType::B32;
  direct.index = direct.code = kCodeLdsDirect;
  EXPECT_FALSE(IsMerged(Skipping({VMov(1, direct)})));
  // A value of MODE under which vector instructions are not compiled.
  EXPECT_FALSE(IsMerged(Skipping({VMov(1, 2)}), {}, {Generation::kGfx900, 1u << 27, 16}));
}

// After a change of FLAT_SCRATCH, a flat access begins another block of the lifted function: how
// many instructions were skipped must be known before.
TEST(MergeBlocksTest, SkipsOfFlatAccessesAfterAChangeOfFlatScratch) {
  Instruction load = Make(Opcode::FLAT_LOAD_DWORD, Encoding::kFlat, Vector(1, OperandType::B32),
                          Vector(4, OperandType::B64));
  const auto with = [&](uint16_t written, const std::vector<Instruction>& skipped) {
    return Merge(GraphOf({{{SMov(written), kNarrowExec, kSkip}, {1, 2}},
                          {skipped, {2}},
                          {{VMov(3, 1), kEnd}, {}}}))
        .blocks.size();
  };
  EXPECT_EQ(with(20, {load}), 1u);
  EXPECT_EQ(with(kCodeFlatScratchGfx8, {VMov(1, 2)}), 1u);
  EXPECT_EQ(with(kCodeFlatScratchGfx8, {load}), 3u);
  EXPECT_EQ(with(kCodeFlatScratchGfx8 + 1, {VMov(1, 2), load}), 3u);
  EXPECT_EQ(with(20, {SMov(kCodeFlatScratchGfx8), load}), 3u);
}

}  // namespace
}  // namespace gcnjit::frontend
