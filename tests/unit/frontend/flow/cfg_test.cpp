#include "frontend/flow/cfg.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "encoding/skeleton.h"

namespace gcnjit::frontend {
namespace {

constexpr Generation kGeneration = Generation::kGfx900;
constexpr uint64_t kBase = 0x1000;

using Code = std::vector<uint32_t>;
using Successors = std::vector<uint32_t>;

uint32_t Word(Opcode opcode, uint32_t operands = 0) {
  const OpcodeNumber number = RowOf(opcode).On(kGeneration);
  return encoding::SkeletonOf(kGeneration, number.format, number.number).bits | operands;
}
// A jump by `words` from the next instruction.
uint32_t Jump(Opcode opcode, int words) {
  return Word(opcode, static_cast<uint32_t>(words) & 0xFFFF);
}
const uint32_t kNop = Word(Opcode::S_NOP);
const uint32_t kEnd = Word(Opcode::S_ENDPGM);
// s_mov_b32 s0, LITERAL
const uint32_t kMovLiteral = Word(Opcode::S_MOV_B32, 255);
constexpr uint32_t kUndecodable = 0xC8000000;

CodeBytes At(const Code& code, uint64_t base = kBase) {
  return [&code, base](uint64_t pc) -> std::span<const uint32_t> {
    const uint64_t word = (pc - base) / 4;
    if (pc < base || word >= code.size()) return {};
    return std::span(code).subspan(word);
  };
}

ControlFlowGraph Build(const Code& code, uint64_t entry = kBase, size_t limit = 1000) {
  return BuildCfg(kGeneration, At(code), entry, limit);
}

uint64_t Pc(uint64_t word) { return kBase + 4 * word; }

TEST(CfgTest, StraightLine) {
  const ControlFlowGraph graph = Build({kNop, kMovLiteral, 5, kEnd, kNop});
  ASSERT_EQ(graph.blocks.size(), 1u);
  const CodeBlock& block = graph.blocks[0];
  ASSERT_EQ(block.instructions.size(), 3u);
  EXPECT_EQ(block.instructions[1].pc, Pc(1));
  EXPECT_EQ(block.instructions[1].inst().opcode, Opcode::S_MOV_B32);
  EXPECT_EQ(block.instructions[2].pc, Pc(3));
  EXPECT_EQ(block.end, Pc(4));
  EXPECT_TRUE(block.ends_program);
  EXPECT_FALSE(block.leaves);
  EXPECT_TRUE(block.successors.empty());
}

TEST(CfgTest, Diamond) {
  // 0 branches to 3; 1 jumps over it to 4.
  const ControlFlowGraph graph =
      Build({Jump(Opcode::S_CBRANCH_SCC0, 2), kNop, Jump(Opcode::S_BRANCH, 1), kNop, kNop, kEnd});
  ASSERT_EQ(graph.blocks.size(), 4u);
  EXPECT_EQ(graph.blocks[0].successors, (Successors{1, 2}));  // the fall-through first
  EXPECT_EQ(graph.blocks[1].successors, (Successors{3}));
  EXPECT_EQ(graph.blocks[2].successors, (Successors{3}));
  EXPECT_EQ(graph.blocks[3].begin, Pc(4));
  EXPECT_EQ(graph.blocks[3].instructions.size(), 2u);
  EXPECT_EQ(graph.by_pc.at(Pc(3)), 2u);
  for (const CodeBlock& block : graph.blocks) EXPECT_FALSE(block.leaves);
}

TEST(CfgTest, EveryConditionalBranchHasTwoSuccessors) {
  for (const Opcode opcode :
       {Opcode::S_CBRANCH_SCC0, Opcode::S_CBRANCH_SCC1, Opcode::S_CBRANCH_VCCZ,
        Opcode::S_CBRANCH_VCCNZ, Opcode::S_CBRANCH_EXECZ, Opcode::S_CBRANCH_EXECNZ,
        Opcode::S_CBRANCH_CDBGSYS, Opcode::S_CBRANCH_CDBGUSER, Opcode::S_CBRANCH_CDBGSYS_OR_USER,
        Opcode::S_CBRANCH_CDBGSYS_AND_USER}) {
    const ControlFlowGraph graph = Build({Jump(opcode, 1), kEnd, kEnd});
    ASSERT_EQ(graph.blocks.size(), 3u) << RowOf(opcode).id;
    EXPECT_EQ(graph.blocks[0].successors, (Successors{1, 2})) << RowOf(opcode).id;
    EXPECT_FALSE(graph.blocks[0].leaves) << RowOf(opcode).id;
  }
}

TEST(CfgTest, BackwardBranchSplitsABlock) {
  const ControlFlowGraph graph = Build({kNop, kNop, kNop, Jump(Opcode::S_CBRANCH_VCCNZ, -3), kEnd});
  ASSERT_EQ(graph.blocks.size(), 3u);
  EXPECT_EQ(graph.blocks[0].instructions.size(), 1u);
  EXPECT_EQ(graph.blocks[0].end, Pc(1));
  EXPECT_EQ(graph.blocks[0].successors, (Successors{1}));
  EXPECT_EQ(graph.blocks[1].successors, (Successors{2, 1}));
}

TEST(CfgTest, BranchToTheNextInstructionHasOneSuccessor) {
  const ControlFlowGraph graph = Build({Jump(Opcode::S_CBRANCH_SCC1, 0), kEnd});
  EXPECT_EQ(graph.blocks[0].successors, (Successors{1}));
}

TEST(CfgTest, WaitingEndsABlock) {
  for (const Opcode opcode : {Opcode::S_BARRIER, Opcode::S_SLEEP}) {
    const ControlFlowGraph graph = Build({kNop, Word(opcode), kNop, kEnd});
    ASSERT_EQ(graph.blocks.size(), 2u) << RowOf(opcode).id;
    EXPECT_EQ(graph.blocks[0].successors, (Successors{1}));
    EXPECT_FALSE(graph.blocks[0].leaves);
  }
}

// In a work-group of one wave.
TEST(CfgTest, BarriersThatNobodyWaitsAt) {
  const Code code = {kNop, Word(Opcode::S_BARRIER), kNop, kEnd};
  EXPECT_EQ(BuildCfg(kGeneration, At(code), kBase, 1000, Barriers::kWait).blocks.size(), 2u);
  const ControlFlowGraph graph = BuildCfg(kGeneration, At(code), kBase, 1000, Barriers::kPass);
  ASSERT_EQ(graph.blocks.size(), 1u);
  EXPECT_EQ(graph.blocks[0].instructions.size(), 4u);
}

TEST(CfgTest, JumpsToRegistersLeave) {
  for (const Opcode opcode :
       {Opcode::S_SETPC_B64, Opcode::S_SWAPPC_B64, Opcode::S_CALL_B64, Opcode::S_CBRANCH_I_FORK,
        Opcode::S_CBRANCH_G_FORK, Opcode::S_CBRANCH_JOIN, Opcode::S_RFE_B64}) {
    const ControlFlowGraph graph = Build({Word(opcode), kNop, kEnd});
    ASSERT_EQ(graph.blocks.size(), 1u) << RowOf(opcode).id;
    EXPECT_EQ(graph.blocks[0].instructions.size(), 1u) << RowOf(opcode).id;
    EXPECT_TRUE(graph.blocks[0].leaves) << RowOf(opcode).id;
    EXPECT_TRUE(graph.blocks[0].successors.empty()) << RowOf(opcode).id;
  }
}

TEST(CfgTest, TrapsEndTheWaveButTheDebugTrap) {
  const ControlFlowGraph trap = Build({Word(Opcode::S_TRAP, 2), kEnd});
  ASSERT_EQ(trap.blocks.size(), 1u);
  EXPECT_TRUE(trap.blocks[0].ends_program);
  const ControlFlowGraph debug_trap = Build({Word(Opcode::S_TRAP, 3), kEnd});
  ASSERT_EQ(debug_trap.blocks.size(), 2u);
  EXPECT_EQ(debug_trap.blocks[0].successors, (Successors{1}));
  EXPECT_FALSE(debug_trap.blocks[0].ends_program);
}

TEST(CfgTest, UndecodableWordEndsABlock) {
  const ControlFlowGraph graph = Build({kNop, kUndecodable, kEnd});
  ASSERT_EQ(graph.blocks.size(), 1u);
  EXPECT_EQ(graph.blocks[0].instructions.size(), 1u);
  EXPECT_EQ(graph.blocks[0].end, Pc(1));
  EXPECT_TRUE(graph.blocks[0].leaves);
}

TEST(CfgTest, WhatIsNoCodeIsAnEmptyBlockThatLeaves) {
  const ControlFlowGraph graph = Build({Jump(Opcode::S_CBRANCH_SCC0, 100), kMovLiteral});
  // The fall-through is cut short, the target is outside.
  ASSERT_EQ(graph.blocks.size(), 3u);
  EXPECT_EQ(graph.blocks[0].successors, (Successors{1, 2}));
  for (const uint32_t n : {1u, 2u}) {
    EXPECT_TRUE(graph.blocks[n].instructions.empty());
    EXPECT_EQ(graph.blocks[n].end, graph.blocks[n].begin);
    EXPECT_TRUE(graph.blocks[n].leaves);
  }
  EXPECT_EQ(graph.blocks[2].begin, Pc(101));
}

TEST(CfgTest, EntryThatIsNoCode) {
  for (const uint64_t entry : {Pc(1), kBase + 2, uint64_t{0}, ~uint64_t{0}}) {
    const Code code = {kEnd};
    const ControlFlowGraph graph = Build(code, entry);
    ASSERT_EQ(graph.blocks.size(), 1u);
    EXPECT_EQ(graph.blocks[graph.entry].begin, entry);
    EXPECT_TRUE(graph.blocks[graph.entry].leaves);
  }
}

TEST(CfgTest, EntryInTheMiddle) {
  const ControlFlowGraph graph = Build({kNop, Jump(Opcode::S_BRANCH, -2)}, Pc(1));
  ASSERT_EQ(graph.blocks.size(), 2u);
  EXPECT_EQ(graph.entry, 1u);
  EXPECT_EQ(graph.blocks[1].successors, (Successors{0}));
  EXPECT_EQ(graph.blocks[0].successors, (Successors{1}));
}

TEST(CfgTest, LimitLeaves) {
  const Code code(100, kNop);
  const ControlFlowGraph graph = Build(code, kBase, 10);
  ASSERT_EQ(graph.blocks.size(), 1u);
  EXPECT_EQ(graph.blocks[0].instructions.size(), 10u);
  EXPECT_EQ(graph.blocks[0].end, Pc(10));
  EXPECT_TRUE(graph.blocks[0].leaves);
  EXPECT_EQ(Build(code, kBase, 0).blocks[0].instructions.size(), 1u);
}

TEST(CfgTest, JumpIntoTheMiddleOfAnInstruction) {
  // The literal is s_nop; both streams meet at word 3.
  const ControlFlowGraph graph =
      Build({Jump(Opcode::S_CBRANCH_SCC0, 1), kMovLiteral, kNop, kNop, kEnd});
  ASSERT_EQ(graph.blocks.size(), 4u);
  EXPECT_EQ(graph.blocks[1].begin, Pc(1));
  EXPECT_EQ(graph.blocks[1].end, Pc(3));
  EXPECT_EQ(graph.blocks[2].begin, Pc(2));
  EXPECT_EQ(graph.blocks[2].end, Pc(3));
  EXPECT_EQ(graph.blocks[1].successors, (Successors{3}));
  EXPECT_EQ(graph.blocks[2].successors, (Successors{3}));
  EXPECT_EQ(graph.blocks[3].instructions.size(), 2u);
}

// What holds of every graph.
void CheckGraph(const ControlFlowGraph& graph, uint64_t entry, size_t limit) {
  ASSERT_LT(graph.entry, graph.blocks.size());
  EXPECT_EQ(graph.blocks[graph.entry].begin, entry);
  EXPECT_EQ(graph.by_pc.size(), graph.blocks.size());
  std::set<uint64_t> seen;
  for (uint32_t n = 0; n < graph.blocks.size(); ++n) {
    const CodeBlock& block = graph.blocks[n];
    EXPECT_EQ(graph.by_pc.at(block.begin), n);
    uint64_t pc = block.begin;
    for (const DecodedInstruction& at : block.instructions) {
      EXPECT_EQ(at.pc, pc);
      EXPECT_TRUE(seen.insert(pc).second) << "an instruction in two blocks";
      pc += at.inst().size;
    }
    EXPECT_EQ(block.end, pc);
    EXPECT_TRUE(block.leaves || block.ends_program || !block.successors.empty());
    for (const uint32_t successor : block.successors) ASSERT_LT(successor, graph.blocks.size());
  }
  EXPECT_LE(seen.size(), limit);
}

TEST(CfgTest, AnyWordsGiveAGraph) {
  std::mt19937_64 random(3);
  const Opcode branches[] = {Opcode::S_BRANCH, Opcode::S_CBRANCH_SCC0, Opcode::S_CBRANCH_EXECZ};
  for (int round = 0; round < 2000; ++round) {
    Code code(1 + random() % 200);
    for (uint32_t& word : code) {
      switch (random() % 12) {
        case 0: word = static_cast<uint32_t>(random()); break;
        case 1:
        case 2: word = kMovLiteral; break;
        case 3:
        case 4: word = Jump(branches[random() % 3], static_cast<int>(random() % 200) - 100); break;
        default: word = kNop; break;
      }
    }
    // Also at the end of the address space, where the pc wraps.
    const uint64_t base = round % 4 == 0 ? ~uint64_t{0} - 63 : kBase;
    const uint64_t entry = base + 4 * (random() % code.size()) + (round % 16 == 1 ? 2 : 0);
    const size_t limit = random() % 2 == 0 ? 1 + random() % 30 : 1000;
    const Generation generation = kGenerations[round % kGenerationCount];
    CheckGraph(BuildCfg(generation, At(code, base), entry, limit), entry, limit);
  }
}

}  // namespace
}  // namespace gcnjit::frontend
