// Float operations and conversions of scalars: of what is the same in all lanes. Numbers are in
// general-purpose registers, as all scalars are, and go to scratch vector registers and back.
#pragma once

#include "backend_x64/emit/block_parts.h"

namespace gcnjit::backend {

class ScalarFloat {
 public:
  explicit ScalarFloat(BlockParts& parts) : a(parts.region.a), b_(parts) {}

  // False: it is no such operation. Changes rax, rcx and scratch registers.
  bool Emit(ir::Value v, const ir::Inst& inst);

 private:
  x86::Xmm Scratch(int n) const;
  bool IsWide(ir::Value v) const { return ir::Is64(b_.block.function[v].type); }
  // The number, in that scratch register.
  x86::Xmm Load(int n, ir::Value v);
  // Likewise, or in memory.
  asmjit::Operand Source(int n, ir::Value v);
  x86::Mem Constant(uint64_t bits, bool wide);
  void Finish(ir::Value v, const ir::Inst& inst, const x86::Xmm& result);
  void FinishInteger(ir::Value v, const ir::Inst& inst);

  void EmitBinary(ir::Value v, const ir::Inst& inst, uint32_t single, uint32_t twice);
  void EmitUnary(ir::Value v, const ir::Inst& inst, uint32_t single, uint32_t twice);
  void EmitFma(ir::Value v, const ir::Inst& inst);
  void EmitRound(ir::Value v, const ir::Inst& inst);
  void EmitCompare(ir::Value v, const ir::Inst& inst);
  void EmitFromInteger(ir::Value v, const ir::Inst& inst);
  void EmitToInteger(ir::Value v, const ir::Inst& inst);

  x86::Assembler& a;
  BlockParts& b_;
};

}  // namespace gcnjit::backend
