// Operands and results of lane operations without memory.
#pragma once

#include "backend_x64/emit/part_code.h"
#include "backend_x64/isa/avx2/registers.h"

namespace gcnjit::backend::avx2 {

class ArithmeticCode : protected PartCode {
 protected:
  explicit ArithmeticCode(BlockParts& parts) : PartCode(parts) {}

  // The second operand of an instruction: a register, or memory, constants included.
  asmjit::Operand Source(ir::Value v, int part, int component = 0);
  // Constants in all lanes.
  x86::Mem All32(uint32_t value);
  x86::Mem All64(uint64_t value);
  // Result of an operation of two sources, component by component for a v64.
  void Binary(ir::Value v, const ir::Inst& inst, int part, uint32_t id32, uint32_t id64,
              bool swap = false);
  // The 4 + 4 results of a v64 compare, as 8 dwords; in scratch 0.
  void JoinMasks(int low, int high);
  // The component of a v64 whose dwords are in `low` and `high`.
  void Unpack(int component, int to, int low, int high);
};

}  // namespace gcnjit::backend::avx2
