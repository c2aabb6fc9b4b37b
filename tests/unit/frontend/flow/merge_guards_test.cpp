// Guards around the rest of a kernel, which may be skipped though it is long and accesses memory.
#include <gtest/gtest.h>

#include <vector>

#include "frontend/flow/merge_blocks.h"
#include "merged_graphs.h"

namespace gcnjit::frontend {
namespace {

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
  EXPECT_TRUE(is_merged(std::vector<Instruction>(256, VMov(1, 2)), {flat}));
  EXPECT_FALSE(is_merged(std::vector<Instruction>(257, VMov(1, 2)), {flat}));
  // LDS is accessed after a test of the mask.
  EXPECT_TRUE(is_merged({lds}, {lds}));
  // Not the rest of the kernel.
  EXPECT_TRUE(is_merged({lds}, {}, {VMov(3, 1), kEnd}));
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

// Bodies whose lanes memory chooses: long ones are tested, and merged where they are of integers in
// registers, or all of the kernel becomes one block.
TEST(MergeBlocksTest, LongBodies) {
  const Instruction flat = Make(Opcode::FLAT_LOAD_DWORD, Encoding::kFlat,
                                Vector(1, OperandType::B32), Vector(4, OperandType::B64));
  const Instruction add = Make(Opcode::V_ADD_F32, Encoding::kVop2, Vector(1, OperandType::F32),
                               Vector(2, OperandType::F32), Vector(3, OperandType::F32));
  struct Body {
    size_t blocks = 0;
    bool tests_lanes = false;
    bool operator==(const Body&) const = default;
  };
  const auto merge = [&](std::vector<Instruction> body, const std::vector<Instruction>& after,
                         const Successors& next) {
    const ControlFlowGraph graph = GraphOf({{{flat, kNarrowExec, kSkip}, {1, 2}},
                                            {std::move(body), {2}},
                                            {after, next},
                                            {{VMov(3, 1), kEnd}, {}}});
    const ControlFlowGraph merged = Merge(graph);
    ExpectConsistent(merged, graph);
    return Body{merged.blocks.size(), merged.blocks[0].instructions[2].tests_lanes};
  };
  const auto moves = [](size_t count, std::vector<Instruction> more = {}) {
    more.resize(count, VMov(1, 2));
    return more;
  };
  const std::vector<Instruction> on = {kRestoreExec, VMov(7, 1)};
  EXPECT_EQ(merge(moves(64), on, {3}), (Body{1, false}));
  EXPECT_EQ(merge(moves(65), on, {3}), (Body{1, true}));
  EXPECT_EQ(merge(moves(65, {flat}), on, {3}), (Body{1, true}));
  // Another branch stays.
  const std::vector<Instruction> branch = {kRestoreExec, Program(Opcode::S_CBRANCH_SCC1)};
  EXPECT_EQ(merge(moves(64), branch, {3, 2}), (Body{3, false}));
  EXPECT_EQ(merge(moves(65), branch, {3, 2}), (Body{3, true}));
  EXPECT_EQ(merge(moves(24, {flat}), branch, {3, 2}), (Body{3, false}));
  EXPECT_EQ(merge(moves(25, {flat}), branch, {3, 2}), (Body{4, false}));
  EXPECT_EQ(merge(moves(25, {add}), branch, {3, 2}), (Body{4, false}));
  EXPECT_EQ(merge(moves(65, {add}), on, {3}), (Body{1, true}));
  // In a loop, which slices may run to its end, nothing is tested.
  EXPECT_EQ(merge(moves(24), branch, {3, 0}), (Body{2, false}));
  EXPECT_EQ(merge(moves(25), branch, {3, 0}), (Body{4, false}));
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

}  // namespace
}  // namespace gcnjit::frontend
