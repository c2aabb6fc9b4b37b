#include "backend_x64/isa/avx512/arithmetic.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

asmjit::Operand ArithmeticCode::Source(Value v, int part, int component) {
  if (const auto memory = MemoryOperand(v, part, component)) return *memory;
  if (!IsLaneValue(v) && parts() <= 2 && !b_.lanes.IsHeldOrWantedAgain(v)) {
    x86::Mem memory = ScalarMemory(v);
    if (InstOf(v).type == Type::kU64) {
      memory.setSize(8);
      return memory._1to8();
    }
    memory.setSize(4);
    return memory._1to16();
  }
  return Z(Use(v, part, component));
}

void ArithmeticCode::Binary(Value v, const Inst& inst, int part, uint32_t id32, uint32_t id64,
                            bool swap) {
  const Value first = inst.args[swap ? 1 : 0];
  const Value second = inst.args[swap ? 0 : 1];
  if (inst.type == Type::kV64) {
    for (int c = 0; c < 2; ++c) {
      const int x = Use(first, part, c);
      const asmjit::Operand y = Source(second, part, c);
      a.emit(id64, Z(Def(v, part, c)), Z(x), y);
    }
    return;
  }
  const int x = Use(first, part);
  const asmjit::Operand y = Source(second, part);
  FreeDying(inst, part);
  a.emit(id32, Z(Def(v, part)), Z(x), y);
}

}  // namespace gcnjit::backend::avx512
