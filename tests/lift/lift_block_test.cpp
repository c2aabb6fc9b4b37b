// Several instructions in one block: values that stay in the Lifter between them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/skeleton.h"
#include "frontend/disassemble/disassembler.h"
#include "lift/lift_machine.h"

namespace gcnjit::lift_tests {
namespace {

using encoding::SetField;
using encoding::Words;
using frontend::Generation;
using frontend::Opcode;
using frontend::OpcodeRow;
using runtime::CodeSlot;

std::string Text(Generation generation, const std::vector<CodeSlot>& block) {
  std::string text;
  for (const CodeSlot& slot : block) {
    text += "  " + frontend::Disassemble(generation, slot.instruction) + "\n";
  }
  return text;
}

// Random blocks of each generation; GCNJIT_LIFT_BLOCKS for a longer dose.
int Blocks() {
  const char* wanted = std::getenv("GCNJIT_LIFT_BLOCKS");
  return wanted != nullptr ? std::atoi(wanted) : 2000;
}

class LiftBlock : public testing::TestWithParam<Generation> {};

// Instructions that go on to the next one and touch registers only.
std::vector<CodeSlot> PlainInstructions(Generation generation) {
  using namespace frontend;
  constexpr uint32_t kOther = LOAD | STORE | ATOMIC | BRANCH | END | BARRIER | MODE_OUT;
  std::vector<CodeSlot> slots;
  for (int n = 0; n < kOpcodeCount; ++n) {
    const OpcodeRow& row = RowOf(n);
    if (!IsLifted(generation, row) || (row.flags & kOther) != 0) continue;
    if (row.opcode == Opcode::S_SLEEP) continue;  // lets other waves run, and so ends a block
    if (std::string_view(row.id).starts_with("V_MOVREL")) continue;  // ends its block, too
    for (const CodeSlot& slot : DecodedSamples(generation, row)) slots.push_back(slot);
  }
  return slots;
}

TEST_P(LiftBlock, RandomInstructionsLeaveWhatTheInterpreterLeaves) {
  constexpr size_t kLongest = 16;
  const std::vector<CodeSlot> instructions = PlainInstructions(GetParam());
  ASSERT_GT(instructions.size(), 1000u);
  LiftMachine machine(GetParam());
  int failures = 0;
  for (int n = 0; n < Blocks() && failures < 10; ++n) {
    std::vector<CodeSlot> block;
    const size_t length = 2 + machine.random()() % (kLongest - 1);
    while (block.size() < length) {
      block.push_back(instructions[machine.random()() % instructions.size()]);
    }
    std::string refusal;
    const std::string difference = machine.Compare(block, refusal);
    if (difference.empty()) continue;
    ++failures;
    ADD_FAILURE() << difference << "\n"
                  << Text(GetParam(), block) << machine.InitialState(block.front().instruction);
  }
  EXPECT_GT(machine.counts().executed, Blocks() / 2);
  EXPECT_LT(machine.counts().faulted, Blocks() / 20);
}

CodeSlot Decode(Generation generation, const Words& words) {
  return runtime::DecodeSlot(generation, words);
}

// With no operands yet.
Words Base(Generation generation, Opcode opcode) {
  const frontend::OpcodeNumber number = frontend::RowOf(opcode).On(generation);
  return {encoding::SkeletonOf(generation, number.format, number.number).bits, 0};
}

// s_mov_b32 s8, selectors; v_perm_b32 v6, v2, v4, s8: the lifter sees a constant.
TEST_P(LiftBlock, PermutesBytesByConstants) {
  if (!frontend::IsGfx8Plus(GetParam())) GTEST_SKIP() << "v_perm_b32 came with gfx8";
  LiftMachine machine(GetParam());
  Words move = Base(GetParam(), Opcode::S_MOV_B32);
  SetField(move[0], 0, 8, frontend::kCodeLiteral);
  SetField(move[0], 16, 7, 8);
  Words perm = Base(GetParam(), Opcode::V_PERM_B32);
  SetField(perm[0], 0, 8, 6);
  SetField(perm[1], 0, 9, frontend::kCodeFirstVgpr + 2);
  SetField(perm[1], 9, 9, frontend::kCodeFirstVgpr + 4);
  SetField(perm[1], 18, 9, 8);
  for (int n = 0; n < 300; ++n) {
    move[1] = 0;
    for (int byte = 0; byte < 4; ++byte) {
      const uint64_t selector = machine.random()() % 17;  // 16 stands for all large ones
      move[1] |= static_cast<uint32_t>(selector == 16 ? 0x8D : selector) << (8 * byte);
    }
    const std::vector<CodeSlot> block = {Decode(GetParam(), move), Decode(GetParam(), perm)};
    std::string refusal;
    EXPECT_EQ(machine.Compare(block, refusal), "") << fmt::format("selectors {:#x}", move[1]);
    EXPECT_EQ(refusal, "");
  }
}

// s_and_b64 vcc, s[4:5], s[2:3]; v_cndmask_b32 v6, v2, v4, vcc: the mask is an AND, and the first
// that asks for EXEC, to see whether it is one with that, adds an instruction.
TEST_P(LiftBlock, SelectsByAnAndThatIsNotWithExec) {
  constexpr uint32_t kVcc = 106;
  Words conjunction = Base(GetParam(), Opcode::S_AND_B64);
  SetField(conjunction[0], 0, 8, 4);
  SetField(conjunction[0], 8, 8, 2);
  SetField(conjunction[0], 16, 7, kVcc);
  Words select = Base(GetParam(), Opcode::V_CNDMASK_B32);
  SetField(select[0], 0, 9, frontend::kCodeFirstVgpr + 2);
  SetField(select[0], 9, 8, 4);
  SetField(select[0], 17, 8, 6);
  LiftMachine machine(GetParam());
  const std::vector<CodeSlot> block = {Decode(GetParam(), conjunction), Decode(GetParam(), select)};
  for (int n = 0; n < 20; ++n) {
    std::string refusal;
    EXPECT_EQ(machine.Compare(block, refusal), "") << Text(GetParam(), block);
    EXPECT_EQ(refusal, "");
  }
}

// s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), random: rounding and denormals of all floats, which
// may stay other ones until the block ends.
TEST_P(LiftBlock, RandomInstructionsUnderChangingFloatModes) {
  std::vector<CodeSlot> instructions = PlainInstructions(GetParam());
  // After a matrix the write ends the block.
  std::erase_if(instructions, [](const CodeSlot& slot) {
    return slot.instruction.encoding == frontend::Encoding::kMai;
  });
  LiftMachine machine(GetParam());
  Words set = Base(GetParam(), Opcode::S_SETREG_IMM32_B32);
  SetField(set[0], 0, 16, 7 << 11 | 1);
  int failures = 0;
  for (int n = 0; n < Blocks() && failures < 10; ++n) {
    std::vector<CodeSlot> block;
    while (block.size() < 12) {
      if (block.size() % 4 == 1) {
        set[1] = machine.random()() % 256;
        block.push_back(Decode(GetParam(), set));
      } else {
        block.push_back(instructions[machine.random()() % instructions.size()]);
      }
    }
    std::string refusal;
    const std::string difference = machine.Compare(block, refusal);
    if (difference.empty()) continue;
    ++failures;
    ADD_FAILURE() << difference << "\n"
                  << Text(GetParam(), block) << machine.InitialState(block.front().instruction);
  }
  EXPECT_GT(machine.counts().executed, Blocks() / 3);
}

INSTANTIATE_TEST_SUITE_P(Lift, LiftBlock, testing::ValuesIn(frontend::kGenerations),
                         [](const testing::TestParamInfo<Generation>& info) {
                           return frontend::TargetName(info.param);
                         });

}  // namespace
}  // namespace gcnjit::lift_tests
