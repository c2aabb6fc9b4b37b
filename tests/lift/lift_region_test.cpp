// How LiftRegion cuts code into blocks, and what it leaves to the interpreter.
#include "frontend/lift/lift_region.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encoding/skeleton.h"
#include "frontend/lift/why_not_lifted.h"
#include "ir/verifier.h"

namespace gcnjit::frontend {
namespace {

constexpr Generation kGeneration = Generation::kGfx900;
constexpr uint64_t kBase = 0x1000;

using Code = std::vector<uint32_t>;

uint32_t Word(Opcode opcode, uint32_t operands = 0) {
  const OpcodeNumber number = RowOf(opcode).On(kGeneration);
  return encoding::SkeletonOf(kGeneration, number.format, number.number).bits | operands;
}
uint64_t Pc(uint64_t word) { return kBase + 4 * word; }

const uint32_t kNop = Word(Opcode::S_NOP);
const uint32_t kEnd = Word(Opcode::S_ENDPGM);
const uint32_t kHalt = Word(Opcode::S_SETHALT);  // one that is not lifted
// Inline constant 1 to s[number], v[number].
uint32_t MoveToSgpr(uint32_t number) { return Word(Opcode::S_MOV_B32, number << 16 | 129); }
uint32_t MoveToVgpr(uint32_t number) { return Word(Opcode::V_MOV_B32, number << 17 | 129); }

struct Lifted {
  ir::Function function;
  LiftStatistics statistics;

  const ir::Inst& Last(size_t block) const { return function[function.blocks[block].insts.back()]; }
  ir::ExitReason Reason(size_t block) const { return static_cast<ir::ExitReason>(Last(block).imm); }
  // Does the block write the register back?
  bool Writes(size_t block, ir::Op op, int number) const {
    for (const ir::Value v : function.blocks[block].insts) {
      if (function[v].op == op && function[v].imm == number) return true;
    }
    return false;
  }
};

Lifted Lift(const Code& code, uint32_t mode = 0, uint16_t vgpr_count = 256) {
  const CodeBytes bytes = [&code](uint64_t pc) -> std::span<const uint32_t> {
    const uint64_t word = (pc - kBase) / 4;
    if (pc < kBase || word >= code.size()) return {};
    return std::span(code).subspan(word);
  };
  const ControlFlowGraph graph = BuildCfg(kGeneration, bytes, kBase, 100000);
  const Liveness liveness(graph, kGeneration, LiveAtEnd{});
  Lifted lifted;
  lifted.function =
      LiftRegion(graph, liveness, {kGeneration, mode, {vgpr_count, 0}}, &lifted.statistics);
  const std::vector<std::string> errors = ir::Verify(lifted.function);
  EXPECT_TRUE(errors.empty()) << errors.front();
  return lifted;
}

size_t Count(const Lifted& lifted, size_t block, ir::Op op) {
  size_t count = 0;
  for (const ir::Value v : lifted.function.blocks[block].insts) {
    count += lifted.function[v].op == op ? 1 : 0;
  }
  return count;
}

TEST(LiftRegionTest, ProgramOfOneBlock) {
  const Lifted lifted = Lift({MoveToSgpr(0), kNop, kEnd});
  ASSERT_EQ(lifted.function.blocks.size(), 1u);
  const ir::Block& block = lifted.function.blocks[0];
  EXPECT_EQ(block.begin, kBase);
  EXPECT_EQ(block.guest_pcs, (std::vector<uint64_t>{Pc(0), Pc(1), Pc(2)}));
  EXPECT_EQ(block.instruction_count, 3u);
  EXPECT_EQ(lifted.Last(0).op, Op::kExit);
  EXPECT_EQ(lifted.Reason(0), ir::ExitReason::kEnd);
  EXPECT_EQ(block.targets[0], Pc(3));
  EXPECT_EQ(lifted.statistics.lifted, 3u);
  EXPECT_TRUE(lifted.statistics.interpreted.empty());
}

TEST(LiftRegionTest, InterpretedInstructionIsBetweenTwoBlocks) {
  // s0 is read by s_setpc_b64 s[0:1], s2 is not read.
  const uint32_t set_pc = Word(Opcode::S_SETPC_B64, 0);
  const Lifted lifted = Lift({MoveToSgpr(0), kHalt, MoveToSgpr(1), set_pc});
  ASSERT_EQ(lifted.function.blocks.size(), 2u);
  EXPECT_EQ(lifted.Reason(0), ir::ExitReason::kInterpret);
  EXPECT_EQ(lifted.function.blocks[0].targets[0], Pc(1));
  EXPECT_EQ(lifted.function.blocks[0].instruction_count, 1u);
  EXPECT_TRUE(lifted.Writes(0, Op::kSetSgpr, 0));
  EXPECT_EQ(lifted.function.blocks[1].begin, Pc(2));
  EXPECT_EQ(lifted.Last(1).op, Op::kJumpIndirect);
  EXPECT_EQ(lifted.statistics.lifted, 3u);
  const LiftStatistics::Interpreted& halt = lifted.statistics.interpreted.at(Opcode::S_SETHALT);
  EXPECT_EQ(halt.count, 1u);
  EXPECT_EQ(halt.reason, WhyNotLifted(Opcode::S_SETHALT));
}

TEST(LiftRegionTest, DeadRegistersAreNotWrittenBack) {
  const Lifted lifted = Lift({MoveToSgpr(2), MoveToVgpr(3), kHalt, kEnd});
  ASSERT_EQ(lifted.function.blocks.size(), 2u);
  EXPECT_FALSE(lifted.Writes(0, Op::kSetSgpr, 2));
  EXPECT_FALSE(lifted.Writes(0, Op::kSetVgpr, 3));
}

TEST(LiftRegionTest, InstructionsInARowThatAreNotLiftedHaveNoBlocks) {
  const Lifted lifted = Lift({kHalt, kHalt, kEnd});
  ASSERT_EQ(lifted.function.blocks.size(), 1u);
  EXPECT_EQ(lifted.function.blocks[0].begin, Pc(2));
  EXPECT_EQ(lifted.statistics.interpreted.at(Opcode::S_SETHALT).count, 2u);
}

TEST(LiftRegionTest, BranchesAndFallThrough) {
  // 0 branches to 2, 1 falls through to it.
  const Lifted lifted = Lift({Word(Opcode::S_CBRANCH_SCC1, 1), kNop, kEnd});
  ASSERT_EQ(lifted.function.blocks.size(), 3u);
  EXPECT_EQ(lifted.Last(0).op, Op::kBranch);
  EXPECT_EQ(lifted.function.blocks[0].targets[0], Pc(2));
  EXPECT_EQ(lifted.function.blocks[0].targets[1], Pc(1));
  EXPECT_EQ(lifted.Last(1).op, Op::kJump);
  EXPECT_EQ(lifted.function.blocks[1].targets[0], Pc(2));
}

// Code that runs some lanes of a loop longer than others has to know where EXEC grows: writes there
// are for lanes that have left, too.
TEST(LiftRegionTest, NotesWhereExecGrows) {
  const auto move_exec = [](uint32_t to, uint32_t from) {
    return Word(Opcode::S_MOV_B64, to << 16 | from);
  };
  const auto notes = [](const Lifted& lifted, size_t block) {
    int count = 0;
    for (const ir::Value v : lifted.function.blocks[block].insts) {
      count += lifted.function[v].op == Op::kNoteExec;
    }
    return count;
  };
  constexpr uint32_t kExecLo = 126;
  constexpr uint32_t kMinusOne = 193;
  constexpr uint32_t kVcc = 106;
  const uint32_t narrow = Word(Opcode::S_AND_B64, kExecLo << 16 | kVcc << 8 | kExecLo);
  const Code grows = {move_exec(4, kExecLo), move_exec(kExecLo, kMinusOne), MoveToVgpr(3),
                      move_exec(kExecLo, 4), narrow};
  const auto with = [](Code code, uint32_t end) {
    code.push_back(end);
    code.push_back(kEnd);
    return Lift(code);
  };
  const auto back = [](const Code& code) {
    return Word(Opcode::S_CBRANCH_EXECNZ, (0u - static_cast<uint32_t>(code.size()) - 1) & 0xFFFF);
  };
  EXPECT_GE(notes(with(grows, back(grows)), 0), 1);
  EXPECT_GE(notes(with(grows, Word(Opcode::S_CBRANCH_EXECNZ, 0)), 0), 1);
  const Code narrows = {MoveToVgpr(3), narrow};
  EXPECT_EQ(notes(with(narrows, back(narrows)), 0), 0);
}

// Each mask comes to the ones before it by two ways; following all of them would never end.
TEST(LiftRegionTest, MasksOfMasksAreFollowedOnce) {
  constexpr uint32_t kExecLo = 126;
  constexpr uint32_t kVcc = 106;
  Code code = {Word(Opcode::S_OR_B64, kExecLo << 16 | kVcc << 8 | kExecLo)};
  for (int n = 0; n < 200; ++n) {
    code.push_back(Word(Opcode::S_AND_B64, 4 << 16 | kVcc << 8 | kExecLo));
    code.push_back(Word(Opcode::S_AND_B64, kExecLo << 16 | 4 << 8 | kExecLo));
    code.push_back(MoveToVgpr(3));
  }
  code.push_back(kEnd);
  EXPECT_EQ(Lift(code).statistics.lifted, code.size());
}

TEST(LiftRegionTest, BarrierGoesOnAfterItself) {
  const Lifted lifted = Lift({Word(Opcode::S_BARRIER), kEnd});
  ASSERT_EQ(lifted.function.blocks.size(), 2u);
  EXPECT_EQ(lifted.Reason(0), ir::ExitReason::kBarrier);
  EXPECT_EQ(lifted.function.blocks[0].targets[0], Pc(1));
}

// hwreg(HW_REG_MODE, offset, size)
uint32_t SetMode(uint32_t offset, uint32_t size) {
  return Word(Opcode::S_SETREG_IMM32_B32, (size - 1) << 11 | offset << 6 | 1);
}

// Code after a write of MODE belongs to another compilation, unless nothing changes.
TEST(LiftRegionTest, WritingModeExits) {
  const Code code = {SetMode(8, 1), 1, kNop, kEnd};  // DX10_CLAMP
  const Lifted changed = Lift(code, 0xF0);
  ASSERT_EQ(changed.function.blocks.size(), 2u);
  EXPECT_EQ(changed.Reason(0), ir::ExitReason::kNext);
  EXPECT_EQ(changed.Last(0).op, Op::kExit);
  EXPECT_EQ(changed.function.blocks[0].targets[0], Pc(2));
  EXPECT_TRUE(changed.Writes(0, Op::kSetMode, 0));
  EXPECT_TRUE(changed.statistics.interpreted.empty());
  const Lifted same = Lift(code, 0x1F0);
  ASSERT_EQ(same.function.blocks.size(), 1u);
  EXPECT_FALSE(same.Writes(0, Op::kSetMode, 0));
  // Exceptions that trap: the interpreter faults.
  const Lifted refused = Lift({SetMode(12, 1), 1, kEnd}, 0xF0);
  EXPECT_EQ(refused.statistics.interpreted.at(Opcode::S_SETREG_IMM32_B32).count, 1u);
}

// As divisions of compilers that flush denormals keep them for a while: only what could see that
// the state has the old MODE ends the block.
TEST(LiftRegionTest, FloatModeChangesInsideABlock) {
  constexpr uint32_t kFlush = 0x3C0;  // FP_DENORM's f32 field is 0
  const uint32_t denormals = SetMode(4, 2);
  const uint32_t add = Word(Opcode::V_ADD_F32, 1 << 17 | 2 << 9 | (256 + 3));
  const uint32_t count = Word(Opcode::S_ADD_U32, 2 << 16 | 3 << 8 | 4);
  const Lifted restored =
      Lift({add, denormals, 3, add, count, kNop, denormals, 0, add, kEnd}, kFlush);
  ASSERT_EQ(restored.function.blocks.size(), 1u);
  EXPECT_EQ(Count(restored, 0, Op::kSetMode), 0u);
  std::vector<ir::FloatEnv> envs;
  for (const ir::Value v : restored.function.blocks[0].insts) {
    if (restored.function[v].op == Op::kFAdd) envs.push_back(restored.function[v].env());
  }
  ASSERT_EQ(envs.size(), 3u);
  EXPECT_EQ(envs[0], F32Environment(kFlush));
  EXPECT_EQ(envs[1], F32Environment(0x3F0));
  EXPECT_EQ(envs[2], F32Environment(kFlush));

  const uint32_t load = Word(Opcode::S_LOAD_DWORD, 0);
  const uint32_t branch = Word(Opcode::S_CBRANCH_SCC0, 0);
  const uint32_t by_number = Word(Opcode::S_SET_GPR_IDX_ON, 1 << 8 | 4);
  for (const uint32_t next : {load, branch, by_number, kHalt, kEnd}) {
    const Lifted lifted = Lift({denormals, 3, add, next, 0, kEnd}, kFlush);
    EXPECT_EQ(Count(lifted, 0, Op::kSetMode), 1u);
    EXPECT_EQ(Count(lifted, 0, Op::kFAdd), 1u);
    EXPECT_EQ(lifted.Last(0).op, Op::kExit);
    EXPECT_EQ(lifted.Reason(0), ir::ExitReason::kNext);
    EXPECT_EQ(lifted.function.blocks[0].targets[0], Pc(3));
  }
}

// A division whose v_div_scale flushes denormals is not the one that IEEE has.
TEST(LiftRegionTest, DivisionsAreOfOneFloatMode) {
  // clang-format off
  const Code code = {
      0xd1e00203, 0x04020301,  // v_div_scale_f32 v3, s[2:3], v1, v1, v0
      0xd1e06a04, 0x04020300,  // v_div_scale_f32 v4, vcc, v0, v1, v0
      0xba000901, 0x00000003,  // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
      0x7e0a4503,              // v_rcp_f32_e32 v5, v3
      0xd1cb0006, 0x23ca0b03,  // v_fma_f32 v6, -v3, v5, 1.0
      0xd1cb0005, 0x04160b06,  // v_fma_f32 v5, v6, v5, v5
      0x0a0c0b04,              // v_mul_f32_e32 v6, v4, v5
      0xd1cb0007, 0x24120d03,  // v_fma_f32 v7, -v3, v6, v4
      0xd1cb0006, 0x041a0b07,  // v_fma_f32 v6, v7, v5, v6
      0xd1cb0003, 0x24120d03,  // v_fma_f32 v3, -v3, v6, v4
      0xd1e20003, 0x041a0b03,  // v_div_fmas_f32 v3, v3, v5, v6
      0xd1de0002, 0x04020303,  // v_div_fixup_f32 v2, v3, v1, v0
      kEnd};
  // clang-format on
  // One is the reciprocal.
  EXPECT_EQ(Count(Lift(code, 0x3F0), 0, Op::kFDiv), 2u);
  EXPECT_EQ(Count(Lift(code, 0x3C0), 0, Op::kFDiv), 1u);
}

TEST(LiftRegionTest, LongCodeIsCut) {
  Code code(10000, kNop);
  code.push_back(kEnd);
  const Lifted lifted = Lift(code);
  EXPECT_EQ(lifted.statistics.lifted, 10001u);
  ASSERT_GT(lifted.function.blocks.size(), 1u);
  uint64_t next = kBase;
  for (const ir::Block& block : lifted.function.blocks) {
    EXPECT_EQ(block.begin, next);
    EXPECT_EQ(block.instruction_count, block.guest_pcs.size());
    next = block.targets[0];
  }
  EXPECT_EQ(next, Pc(10001));
}

TEST(LiftRegionTest, VgprsThatAreNotAllocatedFaultInTheInterpreter) {
  const Lifted lifted = Lift({MoveToVgpr(8), MoveToVgpr(7), kEnd}, 0, 8);
  ASSERT_EQ(lifted.function.blocks.size(), 1u);
  EXPECT_EQ(lifted.function.blocks[0].begin, Pc(1));
  EXPECT_EQ(lifted.statistics.interpreted.at(Opcode::V_MOV_B32).count, 1u);
}

TEST(LiftRegionTest, ModesThatRedirectVectorInstructions) {
  for (const uint32_t mode : {1u << 27, 1u << 28}) {
    const Lifted lifted = Lift({MoveToVgpr(1), kNop, kEnd}, mode);
    ASSERT_EQ(lifted.function.blocks.size(), 1u);
    EXPECT_EQ(lifted.function.blocks[0].begin, Pc(1));
  }
}

TEST(LiftRegionTest, EveryRowIsLiftedOrHasAReason) {
  int lifted = 0;
  for (int n = 0; n < kOpcodeCount; ++n) {
    const Opcode opcode = RowOf(n).opcode;
    const bool has_function = LiftFunctionOf(opcode) != nullptr;
    EXPECT_NE(has_function, WhyNotLifted(opcode) != nullptr) << RowOf(n).id;
    if (has_function) ++lifted;
  }
  EXPECT_GT(lifted, 950);
}

// s_set_gpr_idx_on s[sgpr] of source (1) or destination (8), v_mov_b32 and off.
uint32_t IndexOn(uint32_t sgpr, uint32_t operands) {
  return Word(Opcode::S_SET_GPR_IDX_ON, operands << 8 | sgpr);
}
uint32_t Move(uint32_t to, uint32_t from) {
  return Word(Opcode::V_MOV_B32, to << 17 | (256 + from));
}
const uint32_t kIndexOff = Word(Opcode::S_SET_GPR_IDX_OFF);

TEST(LiftRegionTest, IndexedMoveEndsItsBlock) {
  const Lifted lifted =
      Lift({MoveToSgpr(2), kNop, IndexOn(2, 1), Move(1, 4), kIndexOff, Move(2, 1), kEnd});
  // The index is 1 for certain.
  ASSERT_EQ(lifted.function.blocks.size(), 1u);
  EXPECT_EQ(Count(lifted, 0, Op::kGetVgprAt), 1u);
  EXPECT_TRUE(lifted.statistics.interpreted.empty());

  const Lifted unknown = Lift({IndexOn(2, 1), Move(1, 4), kIndexOff, Move(2, 1), kEnd});
  ASSERT_EQ(unknown.function.blocks.size(), 2u);
  EXPECT_EQ(unknown.Last(0).op, Op::kProceed);
  EXPECT_EQ(unknown.Last(0).imm, 3);
  EXPECT_EQ(unknown.function.blocks[0].targets[0], Pc(3));
  EXPECT_EQ(unknown.function.blocks[0].targets[1], Pc(0));
  EXPECT_EQ(unknown.function.blocks[1].begin, Pc(3));
  EXPECT_EQ(unknown.statistics.lifted, 5u);
}

// What the interpreter reads again where the index is too high, though nothing else does.
TEST(LiftRegionTest, UnknownIndexIsWrittenBack) {
  const uint32_t add = Word(Opcode::S_ADD_U32, 2 << 16 | 3 << 8 | 4);
  const Lifted lifted = Lift({add, IndexOn(2, 8), Move(1, 4), kIndexOff, MoveToSgpr(2), kEnd});
  ASSERT_EQ(lifted.function.blocks.size(), 2u);
  EXPECT_EQ(lifted.Last(0).op, Op::kProceed);
  EXPECT_TRUE(lifted.Writes(0, Op::kSetSgpr, 2));
  EXPECT_TRUE(lifted.Writes(0, Op::kSetSgpr, kCodeM0));
  EXPECT_TRUE(lifted.Writes(0, Op::kSetVgprAt, 1));
}

TEST(LiftRegionTest, WhatElseIsRedirectedIsInterpreted) {
  const uint32_t add = Word(Opcode::V_ADD_F32, 1 << 17 | 2 << 9 | (256 + 3));
  const uint32_t to_index = Word(Opcode::S_ADD_U32, 2 << 16 | 3 << 8 | 4);
  const uint32_t to_m0 = Word(Opcode::S_MOV_B32, 124 << 16 | 129);
  const uint32_t mode = Word(Opcode::S_GETREG_B32, 5 << 16 | (31 << 11 | 1));
  for (const uint32_t between : {add, to_index, to_m0, mode, kHalt}) {
    const Lifted lifted = Lift({IndexOn(2, 1), Move(1, 4), between, kIndexOff, kEnd});
    EXPECT_EQ(Count(lifted, 0, Op::kGetVgprAt), 0u);
    EXPECT_EQ(Count(lifted, 0, Op::kSetMode), 1u);
  }
  // Of a group that is entered in its middle there is no whole.
  const uint32_t branch = Word(Opcode::S_CBRANCH_SCC0, 1);
  const Lifted lifted = Lift({branch, IndexOn(2, 1), Move(1, 4), kIndexOff, kEnd});
  EXPECT_EQ(Count(lifted, 1, Op::kGetVgprAt), 0u);
}

// EXEC may have lanes that it had not when a block began: after anything but a narrower EXEC.
TEST(LiftRegionTest, BlocksThatGainLanes) {
  constexpr uint32_t kExec = 126;
  const auto gains = [](const Code& code) {
    const Lifted lifted = Lift(code);
    EXPECT_EQ(lifted.function.blocks.size(), 1u);
    return lifted.function.blocks[0].gains_lanes;
  };
  const uint32_t narrower = Word(Opcode::S_AND_SAVEEXEC_B64, 0 << 16 | 2);
  const uint32_t without = Word(Opcode::S_ANDN2_B64, kExec << 16 | 4 << 8 | kExec);
  const uint32_t with = Word(Opcode::S_OR_B64, kExec << 16 | 0 << 8 | kExec);
  const uint32_t all = Word(Opcode::S_MOV_B64, kExec << 16 | 193);  // -1
  const uint32_t back = Word(Opcode::S_MOV_B64, kExec << 16 | 0);
  const uint32_t low = Word(Opcode::S_MOV_B32, kExec << 16 | 8);
  EXPECT_FALSE(gains({MoveToVgpr(0), kEnd}));
  EXPECT_FALSE(gains({narrower, MoveToVgpr(0), kEnd}));
  EXPECT_FALSE(gains({narrower, without, MoveToVgpr(0), kEnd}));
  // What EXEC was is no more than that.
  EXPECT_FALSE(gains({narrower, MoveToVgpr(0), back, kEnd}));
  EXPECT_TRUE(gains({with, MoveToVgpr(0), kEnd}));
  EXPECT_TRUE(gains({narrower, with, MoveToVgpr(0), kEnd}));
  EXPECT_TRUE(gains({all, MoveToVgpr(0), kEnd}));
  EXPECT_TRUE(gains({narrower, all, MoveToVgpr(0), back, kEnd}));
  EXPECT_TRUE(gains({low, MoveToVgpr(0), kEnd}));
}

}  // namespace
}  // namespace gcnjit::frontend
