// Matrices are done at the end of their block, and what must come after them is in the next one.
#include <gtest/gtest.h>

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "encoding/skeleton.h"
#include "frontend/lift/lift_region.h"
#include "ir/matrix.h"
#include "ir/verifier.h"

namespace gcnjit::frontend {
namespace {

constexpr Generation kGeneration = Generation::kGfx908;
constexpr uint64_t kBase = 0x1000;
constexpr uint32_t kKeepDenormals = 0x30;

using Code = std::vector<uint32_t>;

uint32_t Word(Opcode opcode, uint32_t operands = 0) {
  const OpcodeNumber number = RowOf(opcode).On(kGeneration);
  return encoding::SkeletonOf(kGeneration, number.format, number.number).bits | operands;
}
Code Join(std::initializer_list<Code> parts) {
  Code all;
  for (const Code& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// a[d:d+3] = v[a] * v[b] + a[c:c+3]
Code Matrix(uint32_t d, uint32_t a, uint32_t b, uint32_t c) {
  return {Word(Opcode::V_MFMA_F32_4X4X1F32, d), (256 + a) | (256 + b) << 9 | (256 + c) << 18};
}
// With a[a] for v[a].
Code MatrixOfAcc(uint32_t d, uint32_t a, uint32_t b, uint32_t c) {
  Code code = Matrix(d, a, b, c);
  code[1] |= 1u << 27;
  return code;
}
Code Bytes(uint32_t d) {
  return {Word(Opcode::V_MFMA_I32_4X4X4I8, d), 256u | 257u << 9 | (256 + d) << 18};
}
Code ReadAcc(uint32_t vgpr, uint32_t acc) {
  return {Word(Opcode::V_ACCVGPR_READ_B32, vgpr), 256 + acc};
}
Code WriteAcc(uint32_t acc) { return {Word(Opcode::V_ACCVGPR_WRITE_B32, acc), 129}; }
Code MoveToVgpr(uint32_t number) { return {Word(Opcode::V_MOV_B32, number << 17 | 129)}; }
const Code kEnd = {Word(Opcode::S_ENDPGM)};

ir::Function Lift(const Code& code, uint32_t mode = kKeepDenormals) {
  const CodeBytes bytes = [&code](uint64_t pc) -> std::span<const uint32_t> {
    const uint64_t word = (pc - kBase) / 4;
    if (pc < kBase || word >= code.size()) return {};
    return std::span(code).subspan(word);
  };
  const ControlFlowGraph graph = BuildCfg(kGeneration, bytes, kBase, 100000);
  const Liveness liveness(graph, kGeneration, LiveAtEnd{});
  ir::Function function = LiftRegion(graph, liveness, {kGeneration, mode, {256, 256}}, nullptr);
  const std::vector<std::string> errors = ir::Verify(function);
  EXPECT_TRUE(errors.empty()) << errors.front();
  return function;
}

std::vector<const ir::Inst*> OpsOf(const ir::Function& function, size_t block, ir::Op op) {
  std::vector<const ir::Inst*> found;
  for (const ir::Value v : function.blocks[block].insts) {
    if (function[v].op == op) found.push_back(&function[v]);
  }
  return found;
}

TEST(LiftMatrix, SourcesMayBeOverwritten) {
  const ir::Function function =
      Lift(Join({MoveToVgpr(0), Matrix(0, 0, 1, 0), MoveToVgpr(0), Matrix(0, 0, 1, 0), kEnd}));
  ASSERT_EQ(function.blocks.size(), 1u);
  const auto matrices = OpsOf(function, 0, ir::Op::kMatrix);
  ASSERT_EQ(matrices.size(), 2u);
  EXPECT_NE(matrices[0]->args[0], matrices[1]->args[0]);
  EXPECT_EQ(matrices[0]->args[1], matrices[1]->args[1]);
  for (const ir::Inst* matrix : matrices) {
    EXPECT_EQ(ir::MatrixProduct::Of(*matrix).d, kFirstAccVgpr);
    EXPECT_EQ(ir::MatrixProduct::Of(*matrix).c, kFirstAccVgpr);
  }
}

TEST(LiftMatrix, ResultsAreForTheNextBlock) {
  const Code others[] = {ReadAcc(5, 1), WriteAcc(3), MatrixOfAcc(8, 2, 1, 8)};
  for (const Code& other : others) {
    const ir::Function function = Lift(Join({Matrix(0, 0, 1, 0), other, kEnd}));
    ASSERT_EQ(function.blocks.size(), 2u);
    EXPECT_EQ(function.blocks[1].begin, kBase + 8);
  }
  for (const Code& other : {ReadAcc(5, 4), WriteAcc(4), MatrixOfAcc(8, 4, 1, 8)}) {
    EXPECT_EQ(Lift(Join({Matrix(0, 0, 1, 0), other, kEnd})).blocks.size(), 1u);
  }
}

TEST(LiftMatrix, WhatIsAddedToIsWrittenBeforeOrInTheNextBlock) {
  EXPECT_EQ(Lift(Join({Matrix(4, 0, 1, 0), WriteAcc(1), kEnd})).blocks.size(), 2u);
  EXPECT_EQ(Lift(Join({Matrix(4, 0, 1, 0), ReadAcc(5, 1), kEnd})).blocks.size(), 1u);
  // Under EXEC, and all lanes are added to.
  const ir::Function function = Lift(Join({WriteAcc(1), Matrix(4, 0, 1, 0), kEnd}));
  ASSERT_EQ(function.blocks.size(), 1u);
  const auto sets = OpsOf(function, 0, ir::Op::kSetVgpr);
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0]->imm, kFirstAccVgpr + 1);
  EXPECT_EQ(function[sets[0]->args[0]].op, ir::Op::kSelect);
}

TEST(LiftMatrix, ComeAfterARegisterByNumberInAnotherBlock) {
  const Code move = {Word(Opcode::S_SET_GPR_IDX_ON, 1 << 8),  // s0, of the source
                     Word(Opcode::V_MOV_B32, 5 << 17 | 256), Word(Opcode::S_SET_GPR_IDX_OFF)};
  const ir::Function function = Lift(Join({Matrix(0, 0, 1, 0), move, kEnd}));
  ASSERT_GT(function.blocks.size(), 1u);
  EXPECT_EQ(function.blocks[1].begin, kBase + 8);
  EXPECT_EQ(OpsOf(function, 1, ir::Op::kGetVgprAt).size(), 1u);
}

TEST(LiftMatrix, ModeThatFlushesIsTheInterpreters) {
  const ir::Function flushed = Lift(Join({Matrix(0, 0, 1, 0), kEnd}), 0x10);
  ASSERT_EQ(flushed.blocks.size(), 1u);
  EXPECT_EQ(flushed.blocks[0].begin, kBase + 8);
  EXPECT_EQ(OpsOf(Lift(Join({Bytes(0), kEnd}), 0), 0, ir::Op::kMatrix).size(), 1u);
}

}  // namespace
}  // namespace gcnjit::frontend
