// Which masks are those of divisions that need more than 32 bits, and what that decides.
#include "frontend/flow/high_halves.h"

#include <gtest/gtest.h>

#include "frontend/flow/merge_blocks.h"
#include "frontend/lift/lift_region.h"
#include "hand_made.h"

namespace gcnjit::frontend {
namespace {

Instruction CompareWide(Opcode opcode, Operand a, Operand b) {
  return Make(opcode, Encoding::kVopc, Scalar(kCodeVccLo, OperandType::M64), a, b);
}
Instruction WriteHigh(Opcode opcode, uint16_t to) {
  return Make(opcode, Encoding::kVop2, Vector(to, OperandType::B32), Scalar(3, OperandType::B32),
              Vector(9, OperandType::B32));
}

const Operand kZero64 = Constant(0, OperandType::U64);
const Operand kPair2 = Vector(2, OperandType::U64);
const Instruction kOr = WriteHigh(Opcode::V_OR_B32, 3);
const Instruction kIsWide = CompareWide(Opcode::V_CMP_NE_U64, kZero64, kPair2);
const Instruction kSkipWithoutLanes = Program(Opcode::S_CBRANCH_EXECZ);

bool Asks(std::vector<Instruction> code) {
  code.insert(code.end(), {kNarrowExec, kSkipWithoutLanes});
  return AsksForHighHalves(GraphOf({{code, {}}}).blocks[0].instructions);
}

// What clang 14 to 19 and sid's make of a division of two numbers of 64 bits begins this way.
TEST(HighHalvesTest, TheMaskOfALongDivision) {
  EXPECT_TRUE(Asks({kOr, kIsWide}));
  EXPECT_TRUE(Asks({kOr, CompareWide(Opcode::V_CMP_NE_U64, kPair2, kZero64)}));
  // The divisor's high half is known to be 0.
  EXPECT_TRUE(Asks({VMov(2, kZero64), VMov(3, 8), kIsWide}));
  // Other instructions between them, as schedulers place some.
  EXPECT_TRUE(Asks({VMov(2, kZero64), kOr, VMov(7, 8), kIsWide, VMov(10, 5)}));
}

TEST(HighHalvesTest, OtherMasks) {
  EXPECT_FALSE(Asks({}));
  EXPECT_FALSE(Asks({kOr}));
  EXPECT_FALSE(Asks({kIsWide}));
  EXPECT_FALSE(Asks({kOr, CompareWide(Opcode::V_CMP_EQ_U64, kZero64, kPair2)}));
  EXPECT_FALSE(Asks({kOr, CompareWide(Opcode::V_CMP_NE_U32, kZero64, kPair2)}));
  EXPECT_FALSE(Asks({kOr, CompareWide(Opcode::V_CMP_NE_U64, Vector(4, OperandType::U64), kPair2)}));
  // The high half is another number.
  EXPECT_FALSE(Asks({WriteHigh(Opcode::V_AND_B32, 3), kIsWide}));
  EXPECT_FALSE(Asks({kOr, WriteHigh(Opcode::V_ADD_U32, 3), kIsWide}));
  EXPECT_FALSE(Asks({WriteHigh(Opcode::V_OR_B32, 2), kIsWide}));
  // The low one is not 0.
  EXPECT_FALSE(Asks({VMov(2, 8), VMov(3, 8), kIsWide}));
  EXPECT_FALSE(Asks({VMov(2, kZero64), WriteHigh(Opcode::V_ADD_U32, 2), kIsWide}));
  // The mask at the branch is a later one.
  EXPECT_FALSE(Asks({kOr, kIsWide, CompareWide(Opcode::V_CMP_LT_U32, kZero64, kPair2)}));
}

// Of ids alone most bodies are executed by nearly all waves, and merged when they are long, too.
// Those of long divisions are tested, but in loops they stay apart.
TEST(HighHalvesTest, LongDivisionsAreTested) {
  struct Merged {
    size_t blocks = 0;
    bool tests_lanes = false;
    bool operator==(const Merged&) const = default;
  };
  const auto merge = [](const Instruction& compare, size_t skipped, bool in_loop = false) {
    const std::vector<uint32_t> end =
        in_loop ? std::vector<uint32_t>{3, 0} : std::vector<uint32_t>{};
    const ControlFlowGraph graph = GraphOf(
        {{{kOr, compare, kNarrowExec, kSkipWithoutLanes}, {1, 2}},
         {std::vector<Instruction>(skipped, VMov(1, 2)), {2}},
         {{kRestoreExec, VMov(3, 1), in_loop ? Program(Opcode::S_CBRANCH_SCC1) : kEnd}, end},
         {{kEnd}, {}}});
    const Liveness liveness(graph, Generation::kGfx900, {});
    const ControlFlowGraph merged =
        MergeBlocks(graph, liveness, Generation::kGfx900, CanLiftFor({Generation::kGfx900, 0, 16}))
            .value_or(graph);
    return Merged{merged.blocks.size(), merged.blocks[0].instructions[3].tests_lanes};
  };
  EXPECT_EQ(merge(kIsWide, 24), (Merged{2, false}));
  EXPECT_EQ(merge(kIsWide, 25), (Merged{2, true}));
  EXPECT_EQ(merge(kIsWide, 256), (Merged{2, true}));
  EXPECT_EQ(merge(kIsWide, 257), (Merged{4, false}));
  EXPECT_EQ(merge(CompareWide(Opcode::V_CMP_LT_U64, kZero64, kPair2), 100), (Merged{2, false}));
  EXPECT_EQ(merge(kIsWide, 24, /*in_loop=*/true), (Merged{2, false}));
  EXPECT_EQ(merge(kIsWide, 25, /*in_loop=*/true), (Merged{4, false}));
}

}  // namespace
}  // namespace gcnjit::frontend
