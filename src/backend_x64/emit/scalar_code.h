// Scalar operations of a block, and the write-back of its scalars to the wave's state. rax, rcx and
// rdx are scratch.
#pragma once

#include <optional>

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/cross_lane.h"
#include "backend_x64/emit/scalar_float.h"
#include "backend_x64/emit/scalar_loads.h"

namespace gcnjit::backend {

class ScalarCode {
 public:
  ScalarCode(BlockParts& parts, ScalarLoads& loads, CrossLane& cross_lane);

  // A scalar or whole-wave operation.
  void Emit(ir::Value v);
  // The block's final operations but the terminator.
  void EmitFinal();
  // The flags of a comparison of scalars, and which of them say that it holds; none: it is no such
  // comparison.
  void EmitFlags(const ir::Inst& compare);
  static std::optional<x86::CondCode> FlagsOf(ir::Op compare);

 private:
  void EmitOperation(ir::Value v, const ir::Inst& inst);
  bool EmitArithmetic(ir::Value v, const ir::Inst& inst);
  bool EmitCompare(ir::Value v, const ir::Inst& inst);
  bool EmitBits(ir::Value v, const ir::Inst& inst);
  void EmitNoteExec(const ir::Inst& inst);
  void EmitGuard(const ir::Inst& inst);
  void EmitSet(const ir::Inst& inst);
  void ProtectOld();
  void ProtectOldValue(ir::Value v);
  void Move(int to, int from, bool wide);  // nothing if they are the same

  x86::Assembler& a;
  RegionAssembler& region_;
  BlockVersion& version_;
  Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  ScalarRegisters& scalars_;
  ScalarLoads& loads_;
  CrossLane& cross_lane_;
  ScalarFloat floats_;
};

}  // namespace gcnjit::backend
