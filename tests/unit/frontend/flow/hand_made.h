// Instructions and graphs made by hand, for tests of the analyses.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontend/flow/cfg.h"
#include "frontend/flow/liveness.h"

namespace gcnjit::frontend {

inline constexpr uint64_t kBase = 0x10000;

inline Operand Scalar(uint16_t index, OperandType type) {
  return {OperandKind::kScalar, type, index, index, 0};
}
inline Operand Vector(uint16_t index, OperandType type) {
  return {OperandKind::kVector, type, index, static_cast<uint16_t>(kCodeFirstVgpr + index), 0};
}
inline Operand Constant(uint64_t value, OperandType type) {
  return {OperandKind::kConstant, type, 0, 128, value};
}

inline Instruction Make(Opcode opcode, Encoding encoding, Operand dst, Operand src0 = {},
                        Operand src1 = {}) {
  Instruction inst;
  inst.opcode = opcode;
  inst.encoding = encoding;
  inst.dst = dst;
  inst.src[0] = src0;
  inst.src[1] = src1;
  return inst;
}
inline Instruction VMov(uint16_t to, Operand from) {
  return Make(Opcode::V_MOV_B32, Encoding::kVop1, Vector(to, OperandType::B32), from);
}
inline Instruction VMov(uint16_t to, uint16_t from) {
  return VMov(to, Vector(from, OperandType::B32));
}
inline Instruction SMov64(uint16_t to, Operand from) {
  return Make(Opcode::S_MOV_B64, Encoding::kSop1, Scalar(to, OperandType::B64), from);
}
inline Instruction Program(Opcode opcode, int imm = 0) {
  Instruction inst;
  inst.opcode = opcode;
  inst.encoding = Encoding::kSopp;
  inst.imm = imm;
  return inst;
}
inline const Instruction kRestoreExec = SMov64(kCodeExecLo, Scalar(4, OperandType::B64));
inline const Instruction kNarrowExec =
    Make(Opcode::S_AND_SAVEEXEC_B64, Encoding::kSop1, Scalar(4, OperandType::B64),
         Scalar(6, OperandType::B64));
inline const Instruction kEnd = Program(Opcode::S_ENDPGM);

// Blocks in program order, each with its successors.
struct BlockPlan {
  std::vector<Instruction> instructions;
  std::vector<uint32_t> successors;
};
inline ControlFlowGraph GraphOf(const std::vector<BlockPlan>& plans) {
  ControlFlowGraph graph;
  const auto decoded = std::make_shared<InstructionStore>();
  graph.decoded = decoded;
  uint64_t pc = kBase;
  for (const BlockPlan& plan : plans) {
    CodeBlock block;
    block.begin = pc;
    for (const Instruction& inst : plan.instructions) {
      block.instructions.push_back({pc, &(*decoded)[decoded->Add(inst)]});
      pc += inst.size;
    }
    block.end = pc;
    block.successors = plan.successors;
    const OpcodeRow& last = plan.instructions.back().row();
    block.ends_program = last.Has(END);
    block.leaves = last.opcode == Opcode::S_SETPC_B64;
    graph.by_pc.emplace(block.begin, static_cast<uint32_t>(graph.blocks.size()));
    graph.blocks.push_back(block);
  }
  return graph;
}

// The points after each of the block's instructions.
inline std::vector<LivePoint> PointsOf(const Liveness& liveness, uint32_t block) {
  PointsAfter after(liveness, block);
  std::vector<LivePoint> points;
  for (size_t n = 0; n < liveness.InstructionsOf(block); ++n) points.push_back(after[n]);
  return points;
}

}  // namespace gcnjit::frontend
