// Which blocks are merged, and over which skips.
#include "frontend/flow/merge_blocks.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "frontend/lift/lift_region.h"
#include "hand_made.h"
#include "ir/verifier.h"

namespace gcnjit::frontend {
namespace {

using Successors = std::vector<uint32_t>;

constexpr LiftTarget kTarget = {Generation::kGfx900, 0, 16};

const Instruction kJump = Program(Opcode::S_BRANCH);
const Instruction kSkip = Program(Opcode::S_CBRANCH_EXECZ);
const Instruction kNop = Program(Opcode::S_NOP);

Instruction SMov(uint16_t to, uint16_t from = 20) {
  return Make(Opcode::S_MOV_B32, Encoding::kSop1, Scalar(to, OperandType::B32),
              Scalar(from, OperandType::B32));
}
Instruction VReadFirst(uint16_t to, uint16_t from) {
  return Make(Opcode::V_READFIRSTLANE_B32, Encoding::kVop1, Scalar(to, OperandType::B32),
              Vector(from, OperandType::B32));
}
Instruction Compare() {
  return Make(Opcode::V_CMP_EQ_U32, Encoding::kVopc, Scalar(kCodeVccLo, OperandType::B64),
              Vector(1, OperandType::U32), Vector(2, OperandType::U32));
}

ControlFlowGraph Merge(const ControlFlowGraph& graph, const LiveAtEnd& at_end = {},
                       const LiftTarget& target = kTarget,
                       std::span<const ReadableMemory> readable = {}) {
  return MergeBlocks(graph, Liveness(graph, target.processor.generation, at_end),
                     target.processor.generation, CanLiftFor(target), readable)
      .value_or(graph);
}

// Each block is found by its address, is in order, and goes to blocks; the entry is the same.
void ExpectConsistent(const ControlFlowGraph& merged, const ControlFlowGraph& before) {
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
ControlFlowGraph Skipping(const std::vector<Instruction>& skipped,
                          const std::vector<Instruction>& target = {VMov(3, 1), kEnd},
                          const Instruction& branch = kSkip, std::vector<Instruction> before = {}) {
  before.insert(before.end(), {kNarrowExec, branch});
  return GraphOf({{before, {1, 2}}, {skipped, {2}}, {target, {}}});
}

// Is the skip merged over? Then the target is, too.
bool IsMerged(const ControlFlowGraph& graph, const LiveAtEnd& at_end = {},
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
  // Accesses to LDS are better left out.
  Instruction lds = Make(Opcode::DS_READ_B32, Encoding::kDs, Vector(1, OperandType::B32),
                         Vector(2, OperandType::U32));
  EXPECT_FALSE(IsMerged(Skipping({lds})));
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

// The rest of a kernel after its first guard may be long, use LDS, and load arguments.
TEST(MergeBlocksTest, TheRestOfAKernel) {
  const Instruction lds = Make(Opcode::DS_READ_B32, Encoding::kDs, Vector(1, OperandType::B32),
                               Vector(2, OperandType::U32));
  const Instruction flat = Make(Opcode::FLAT_LOAD_DWORD, Encoding::kFlat,
                                Vector(1, OperandType::B32), Vector(4, OperandType::B64));
  const auto load = [](Opcode opcode, uint16_t base, int32_t offset) {
    Instruction inst =
        Make(opcode, Encoding::kSmem, Scalar(40, OperandType::B32), Scalar(base, OperandType::B64));
    inst.offset = offset;
    inst.has_offset = true;
    return inst;
  };
  const ReadableMemory arguments[] = {{6, 32}};
  const auto is_merged = [&](const std::vector<Instruction>& rest,
                             const std::vector<Instruction>& before = {},
                             const std::vector<Instruction>& end = {kEnd}) {
    std::vector<Instruction> guard = before;
    guard.insert(guard.end(), {kNarrowExec, kSkip});
    const ControlFlowGraph graph = GraphOf({{guard, {1, 2}}, {rest, {2}}, {end, {}}});
    const ControlFlowGraph merged = Merge(graph, {}, kTarget, arguments);
    ExpectConsistent(merged, graph);
    return merged.blocks.size() == 1;
  };
  EXPECT_TRUE(is_merged(std::vector<Instruction>(500, VMov(1, 2))));
  EXPECT_TRUE(is_merged({lds}));
  EXPECT_TRUE(is_merged({flat}));
  EXPECT_TRUE(is_merged({load(Opcode::S_LOAD_DWORDX4, 6, 16)}));
  EXPECT_TRUE(is_merged({load(Opcode::S_LOAD_DWORDX8, 6, 0), VMov(1, 2), lds}));
  // Beyond the arguments, or from elsewhere.
  EXPECT_FALSE(is_merged({load(Opcode::S_LOAD_DWORDX4, 6, 20)}));
  EXPECT_FALSE(is_merged({load(Opcode::S_LOAD_DWORD, 6, -4)}));
  EXPECT_FALSE(is_merged({load(Opcode::S_LOAD_DWORD, 8, 0)}));
  EXPECT_FALSE(is_merged({load(Opcode::S_BUFFER_LOAD_DWORD, 6, 0)}));
  // The pair has changed.
  EXPECT_FALSE(is_merged({load(Opcode::S_LOAD_DWORD, 6, 0)}, {SMov(7)}));
  EXPECT_FALSE(is_merged({SMov(6), load(Opcode::S_LOAD_DWORD, 6, 0)}));
  // Lanes are chosen by what memory holds, as those of reductions and graphs are: many waves have
  // none.
  EXPECT_TRUE(is_merged(std::vector<Instruction>(24, VMov(1, 2)), {flat}));
  EXPECT_FALSE(is_merged(std::vector<Instruction>(25, VMov(1, 2)), {flat}));
  EXPECT_FALSE(is_merged({lds}, {lds}));
  // Not the rest of the kernel.
  EXPECT_FALSE(is_merged({lds}, {}, {VMov(3, 1), kEnd}));
}

// if (a) { if (b) { the rest } }, as compilers make of a && b.
TEST(MergeBlocksTest, TheRestOfAKernelAfterTwoGuards) {
  const Instruction flat = Make(Opcode::FLAT_LOAD_DWORD, Encoding::kFlat,
                                Vector(1, OperandType::B32), Vector(4, OperandType::B64));
  const auto blocks_of = [](const std::vector<Instruction>& between) {
    std::vector<Instruction> second = between;
    second.insert(second.end(), {kNarrowExec, kSkip});
    const ControlFlowGraph graph = GraphOf({{{kNarrowExec, kSkip}, {1, 3}},
                                            {second, {2, 3}},
                                            {std::vector<Instruction>(500, VMov(1, 2)), {3}},
                                            {{kEnd}, {}}});
    const ControlFlowGraph merged = Merge(graph);
    ExpectConsistent(merged, graph);
    return merged.blocks.size();
  };
  EXPECT_EQ(blocks_of({VMov(1, 2)}), 1u);
  EXPECT_EQ(blocks_of({flat}), 4u);
}

// A loop may come to the guard with other registers.
TEST(MergeBlocksTest, TheRestOfAKernelInALoop) {
  const ReadableMemory arguments[] = {{6, 32}};
  const Instruction load = Make(Opcode::S_LOAD_DWORD, Encoding::kSmem, Scalar(40, OperandType::B32),
                                Scalar(6, OperandType::B64));
  const Instruction back = Program(Opcode::S_CBRANCH_SCC1);
  const ControlFlowGraph graph = GraphOf(
      {{{kNarrowExec, kSkip}, {1, 3}}, {{VMov(1, 2), back}, {2, 0}}, {{load}, {3}}, {{kEnd}, {}}});
  EXPECT_EQ(Merge(graph, {}, kTarget, arguments).blocks.size(), 4u);
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
