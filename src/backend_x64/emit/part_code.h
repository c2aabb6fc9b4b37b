// What the code of a lane operation asks for while it is emitted: operands in registers, registers
// for results, constants.
#pragma once

#include <cstdint>
#include <optional>

#include "backend_x64/emit/block_parts.h"

namespace gcnjit::backend {

class PartCode {
 protected:
  explicit PartCode(BlockParts& parts) : a(parts.region.a), b_(parts) {}

  // LaneRegisters'.
  int Use(ir::Value v, int part, int component = 0) { return b_.lanes.Use(v, part, component); }
  int UseMask(ir::Value v, int part) { return b_.lanes.UseMask(v, part); }
  int Def(ir::Value v, int part, int component = 0) { return b_.lanes.Def(v, part, component); }
  int DefMask(ir::Value v, int part) { return b_.lanes.DefMask(v, part); }
  int TakeOver(ir::Value v, int part, ir::Value result, int component = 0) {
    return b_.lanes.TakeOver(v, part, result, component);
  }
  bool Dies(ir::Value v, int part) const { return b_.lanes.Dies(v, part); }
  void FreeDying(const ir::Inst& inst, int part) { b_.lanes.FreeDying(inst, part); }
  std::optional<x86::Mem> MemoryOperand(ir::Value v, int part, int component) {
    return b_.lanes.MemoryOperand(v, part, component);
  }

  const ir::Inst& InstOf(ir::Value v) const { return b_.block.function[v]; }
  bool IsLaneValue(ir::Value v) const { return b_.block.IsLaneValue(v); }
  bool IsConst(ir::Value v, uint64_t* value = nullptr) const { return b_.block.IsConst(v, value); }
  bool IsRead(ir::Value v) const { return b_.at.IsRead(v); }
  ir::Value FusedCompare(const ir::Inst& inst) const { return b_.block.FusedCompare(inst); }
  // Of the slice.
  int parts() const { return b_.at.parts; }

  x86::Mem ScalarMemory(ir::Value v) { return b_.memory.Scalar(v); }
  x86::Mem Constant32(uint32_t value) { return b_.region.constants.Broadcast32(value); }
  x86::Mem Constant64(uint64_t value) { return b_.region.constants.Broadcast64(value); }
  void SetEnv(ir::FloatEnv env) { b_.environment.Set(env); }
  void Fail(const char* what) { b_.region.Fail(what); }

  x86::Assembler& a;
  BlockParts& b_;
};

}  // namespace gcnjit::backend
