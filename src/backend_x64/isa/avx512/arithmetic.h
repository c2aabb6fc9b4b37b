// Operands and results of lane operations without memory.
#pragma once

#include "backend_x64/emit/part_code.h"
#include "backend_x64/isa/avx512/registers.h"

namespace gcnjit::backend::avx512 {

class ArithmeticCode : protected PartCode {
 protected:
  explicit ArithmeticCode(BlockParts& parts) : PartCode(parts) {}

  // The second operand of an instruction: a register, or memory, a scalar broadcast from memory
  // included.
  asmjit::Operand Source(ir::Value v, int part, int component = 0);
  // Result of an operation of two sources, component by component for a v64.
  void Binary(ir::Value v, const ir::Inst& inst, int part, uint32_t id32, uint32_t id64,
              bool swap = false);
};

}  // namespace gcnjit::backend::avx512
