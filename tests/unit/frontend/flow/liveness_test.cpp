// Small graphs whose liveness is known.
#include "frontend/flow/liveness.h"

#include <gtest/gtest.h>

#include "hand_made.h"

namespace gcnjit::frontend {
namespace {

constexpr Generation kGeneration = Generation::kGfx900;

// The points after the instructions of a program of one block.
std::vector<LivePoint> PointsOfCode(const std::vector<Instruction>& instructions,
                                    const LiveAtEnd& at_end = {}) {
  const ControlFlowGraph graph = GraphOf({{instructions, {}}});
  return PointsOf(Liveness(graph, kGeneration, at_end), 0);
}

TEST(LivenessTest, WriteUnderOneExecIsNotWide) {
  // v1 is written and read under the same EXEC.
  const auto points = PointsOfCode({VMov(1, 2), VMov(3, 1), kEnd});
  EXPECT_TRUE(points[0].live.vgprs[1]);
  EXPECT_FALSE(points[0].wide[1]);
  EXPECT_FALSE(points[1].live.vgprs[1]);
  EXPECT_FALSE(points[1].live.vgprs[3]);
}

TEST(LivenessTest, LongBlocks) {
  // v1 is written by the first instruction and read by the last but one.
  for (const size_t between : {61u, 62u, 63u, 64u, 65u, 126u, 127u, 200u}) {
    std::vector<Instruction> instructions = {VMov(1, 2)};
    for (size_t n = 0; n < between; ++n) instructions.push_back(VMov(5, 6));
    instructions.push_back(VMov(7, 1));
    instructions.push_back(kEnd);
    const ControlFlowGraph graph = GraphOf({{instructions, {}}});
    const Liveness liveness(graph, kGeneration, {});
    const std::vector<LivePoint> points = PointsOf(liveness, 0);
    ASSERT_EQ(points.size(), instructions.size());
    for (size_t n = 0; n < points.size(); ++n) {
      EXPECT_EQ(points[n].live.vgprs[1], n <= between) << n << " of " << between;
      EXPECT_EQ(points[n].live.vgprs[6], n < between) << n << " of " << between;
    }
    // In whatever order they are asked for.
    PointsAfter after(liveness, 0);
    for (size_t n = points.size(); n-- > 0;) EXPECT_EQ(after[n], points[n]) << n;
  }
}

TEST(LivenessTest, GrowingExecMakesWide) {
  const auto points = PointsOfCode({VMov(1, 2), kRestoreExec, VMov(3, 1), kEnd});
  EXPECT_TRUE(points[0].wide[1]);
  EXPECT_TRUE(points[1].live.vgprs[1]);
  EXPECT_FALSE(points[1].wide[1]);
  EXPECT_TRUE(points[0].live.sgprs[4]);
  EXPECT_TRUE(points[0].live.sgprs[5]);
  EXPECT_FALSE(points[1].live.sgprs[4]);
}

TEST(LivenessTest, NarrowingExecDoesNotMakeWide) {
  const auto points = PointsOfCode({VMov(1, 2), kNarrowExec, VMov(3, 1), kEnd});
  EXPECT_TRUE(points[0].live.vgprs[1]);
  EXPECT_FALSE(points[0].wide[1]);
}

TEST(LivenessTest, WriteUnderNarrowedExecKeepsTheOthersLive) {
  // if (...) v1 = v2; the value of before is used in the lanes that did not take the branch.
  const auto points =
      PointsOfCode({VMov(1, 5), kNarrowExec, VMov(1, 2), kRestoreExec, VMov(3, 1), kEnd});
  EXPECT_TRUE(points[2].wide[1]);
  EXPECT_TRUE(points[1].live.vgprs[1]);
  EXPECT_TRUE(points[1].wide[1]);   // lanes that have left
  EXPECT_FALSE(points[0].wide[1]);  // EXEC will be what it is here
}

// What becomes of the mask that EXEC grows by says whose lanes come back.
TEST(LivenessTest, MasksThatLanesComeBackBy) {
  const auto pair = [](uint16_t sgpr) { return Scalar(sgpr, OperandType::B64); };
  const auto on = [&](Opcode opcode, uint16_t to, Operand a, Operand b = {}) {
    const bool is_sop2 = b.kind != OperandKind::kNone;
    return Make(opcode, is_sop2 ? Encoding::kSop2 : Encoding::kSop1, pair(to), a, b);
  };
  const Instruction half = Make(Opcode::S_MOV_B32, Encoding::kSop1, Scalar(5, OperandType::B32),
                                Scalar(20, OperandType::B32));
  const Operand exec = pair(kCodeExecLo);
  const Operand ones = Constant(~uint64_t{0}, OperandType::B64);
  // Is v1, written first, wide, if this happens before a read of it?
  const auto is_wide = [&](std::vector<Instruction> between) {
    between.insert(between.begin(), VMov(1, 2));
    between.insert(between.end(), {VMov(3, 1), kEnd});
    return PointsOfCode(between)[0].wide.test(1);
  };
  const Instruction save = on(Opcode::S_AND_SAVEEXEC_B64, 4, pair(6));
  const Instruction restore = on(Opcode::S_OR_B64, kCodeExecLo, exec, pair(4));
  EXPECT_FALSE(is_wide({save, restore}));
  EXPECT_TRUE(is_wide({restore}));
  EXPECT_TRUE(is_wide({save, on(Opcode::S_OR_B64, kCodeExecLo, exec, pair(6))}));
  EXPECT_TRUE(is_wide({save, on(Opcode::S_MOV_B64, kCodeExecLo, ones)}));
  // if and else.
  EXPECT_FALSE(is_wide({save, on(Opcode::S_XOR_B64, 4, exec, pair(4)),
                        on(Opcode::S_OR_SAVEEXEC_B64, 4, pair(4)),
                        on(Opcode::S_XOR_B64, kCodeExecLo, exec, pair(4)), restore}));
  // What was saved with fewer lanes, or with more.
  EXPECT_FALSE(is_wide({save, on(Opcode::S_ANDN2_B64, 4, pair(4), pair(10)), restore}));
  EXPECT_FALSE(is_wide({save, on(Opcode::S_AND_B64, 4, pair(4), pair(10)), restore}));
  EXPECT_TRUE(is_wide({save, on(Opcode::S_OR_B64, 4, pair(4), pair(10)), restore}));
  EXPECT_TRUE(is_wide({save, on(Opcode::S_NOT_B64, 4, pair(4)), restore}));
  EXPECT_TRUE(is_wide({save, half, restore}));
  // A compare's mask is within EXEC.
  const Instruction compare =
      Make(Opcode::V_CMP_EQ_U32, Encoding::kVop3a, Scalar(4, OperandType::M64),
           Vector(1, OperandType::U32), Vector(2, OperandType::U32));
  EXPECT_FALSE(is_wide({compare, on(Opcode::S_AND_SAVEEXEC_B64, 8, pair(6)), restore}));
}

TEST(LivenessTest, ReadsOfAnyLaneAreWide) {
  const Instruction read_lane =
      Make(Opcode::V_READLANE_B32, Encoding::kVop3a, Scalar(0, OperandType::S32),
           Vector(1, OperandType::B32), Constant(3, OperandType::S32));
  const auto points = PointsOfCode({VMov(1, 2), read_lane, kEnd});
  EXPECT_TRUE(points[0].wide[1]);
}

TEST(LivenessTest, WriteLaneKillsNothingAndKeepsNothingAlive) {
  Instruction write_lane =
      Make(Opcode::V_WRITELANE_B32, Encoding::kVop3a, Vector(1, OperandType::B32),
           Scalar(2, OperandType::S32), Constant(3, OperandType::S32));
  const auto used = PointsOfCode({VMov(1, 2), write_lane, VMov(3, 1), kEnd});
  EXPECT_TRUE(used[0].live.vgprs[1]);
  EXPECT_FALSE(used[0].wide[1]);
  const auto unused = PointsOfCode({VMov(1, 2), write_lane, kEnd});
  EXPECT_FALSE(unused[0].live.vgprs[1]);
}

TEST(LivenessTest, PartialWritesReadTheRest) {
  Instruction preserve = VMov(1, 2);
  preserve.encoding = Encoding::kSdwa;
  preserve.sdwa.dst_sel = SdwaSelect::kWord1;
  preserve.sdwa.dst_unused = SdwaUnused::kPreserve;
  EXPECT_TRUE(PointsOfCode({VMov(1, 4), preserve, VMov(3, 1), kEnd})[0].live.vgprs[1]);
  preserve.sdwa.dst_unused = SdwaUnused::kPad;
  EXPECT_FALSE(PointsOfCode({VMov(1, 4), preserve, VMov(3, 1), kEnd})[0].live.vgprs[1]);
}

TEST(LivenessTest, EndOfProgramIsTheCallers) {
  LiveAtEnd at_end;
  at_end.live.vgprs[1] = at_end.live.vgprs[2] = true;
  at_end.live.scc = true;
  at_end.wide[2] = true;
  const auto points = PointsOfCode({VMov(1, 3), VMov(2, 3), kEnd}, at_end);
  EXPECT_EQ(points[2].live, at_end.live);
  EXPECT_EQ(points[2].wide, at_end.wide);
  EXPECT_FALSE(points[0].live.vgprs[2] && !points[0].wide[2]);
  EXPECT_TRUE(points[0].live.vgprs[1]);
  EXPECT_FALSE(points[0].wide[1]);
}

TEST(LivenessTest, EverythingIsLiveWhereCodeIsLeft) {
  Instruction set_pc = Make(Opcode::S_SETPC_B64, Encoding::kSop1, {}, Scalar(0, OperandType::B64));
  const auto points = PointsOfCode({VMov(1, 2), set_pc});
  EXPECT_EQ(points[1].live, RegisterSet::All());
  EXPECT_TRUE(points[1].wide.all());
  EXPECT_TRUE(points[0].wide[1]);
}

TEST(LivenessTest, Loop) {
  // v1 is carried around the loop, v2 is read in it, v3 is written in it before it is read.
  const Instruction branch = Program(Opcode::S_CBRANCH_SCC1);
  const ControlFlowGraph graph = GraphOf(
      {{{VMov(1, 4), VMov(2, 4)}, {1}}, {{VMov(3, 2), VMov(1, 3), branch}, {2, 1}}, {{kEnd}, {}}});
  LiveAtEnd at_end;
  at_end.live.vgprs[1] = true;
  const Liveness liveness(graph, kGeneration, at_end);
  EXPECT_TRUE(liveness.AtBegin(1).live.vgprs[2]);
  EXPECT_FALSE(liveness.AtBegin(1).live.vgprs[1]);
  EXPECT_FALSE(liveness.AtBegin(1).live.vgprs[3]);
  EXPECT_TRUE(liveness.AtEnd(1).live.vgprs[2]);
  EXPECT_TRUE(liveness.AtEnd(1).live.vgprs[1]);
  EXPECT_TRUE(liveness.AtEnd(1).live.scc);
  EXPECT_TRUE(liveness.AtEnd(0).live.sgprs[kCodeExecLo]);
  EXPECT_FALSE(liveness.AtEnd(2).live.sgprs[kCodeExecLo]);
}

TEST(LivenessTest, ExecGrowsInALoop) {
  const Instruction branch = Program(Opcode::S_CBRANCH_SCC1);
  const ControlFlowGraph graph =
      GraphOf({{{VMov(1, 4)}, {1}}, {{VMov(3, 1), kRestoreExec, branch}, {2, 1}}, {{kEnd}, {}}});
  const Liveness liveness(graph, kGeneration, {});
  EXPECT_TRUE(liveness.AtEnd(0).wide[1]);
}

TEST(LivenessTest, IndexedRegistersKillNothing) {
  Instruction index_on =
      Make(Opcode::S_SET_GPR_IDX_ON, Encoding::kSopc, {}, Scalar(0, OperandType::B32));
  const Instruction index_off = Program(Opcode::S_SET_GPR_IDX_OFF);
  const auto indexed = PointsOfCode({index_on, VMov(1, 2), index_off, VMov(3, 1), kEnd});
  EXPECT_TRUE(indexed[0].live.vgprs[1]);
  EXPECT_TRUE(indexed[0].live.vgprs[200]);
  EXPECT_TRUE(indexed[0].live.sgprs[kCodeM0]);
  const auto plain = PointsOfCode({index_on, index_off, VMov(1, 2), VMov(3, 1), kEnd});
  EXPECT_FALSE(plain[1].live.vgprs[1]);
  LiveAtEnd any_mode;
  any_mode.any_mode_at_entry = true;
  EXPECT_TRUE(PointsOfCode({kEnd, VMov(1, 2), VMov(3, 1), kEnd}, any_mode)[0].live.vgprs[200]);
}

TEST(LivenessTest, WhatMayBeSkippedKillsNothing) {
  Instruction set_mode =
      Make(Opcode::S_SETREG_B32, Encoding::kSopk, {}, {}, Scalar(0, OperandType::B32));
  // One bit of MODE.
  const auto kills_after = [&](int bit) {
    set_mode.imm = 1 | bit << 6;
    return !PointsOfCode({set_mode, VMov(1, 2), VMov(3, 1), kEnd})[0].live.vgprs[1];
  };
  for (int bit = 0; bit < 32; ++bit) EXPECT_EQ(kills_after(bit), bit != 27 && bit != 28) << bit;
}

}  // namespace
}  // namespace gcnjit::frontend
