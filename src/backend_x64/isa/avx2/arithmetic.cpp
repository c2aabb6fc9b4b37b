#include "backend_x64/isa/avx2/arithmetic.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

x86::Mem ArithmeticCode::All32(uint32_t value) { return b_.region.constants.Whole(value); }

x86::Mem ArithmeticCode::All64(uint64_t value) {
  ConstantPool::Vector all;
  for (size_t n = 0; n < all.size(); ++n) {
    all[n] = static_cast<uint32_t>(n % 2 == 0 ? value : value >> 32);
  }
  return b_.region.constants.Whole(all);
}

asmjit::Operand ArithmeticCode::Source(Value v, int part, int component) {
  uint64_t constant = 0;
  if (IsConst(v, &constant)) {
    return InstOf(v).type == Type::kU64 ? All64(constant) : All32(static_cast<uint32_t>(constant));
  }
  if (const auto memory = MemoryOperand(v, part, component)) return *memory;
  return Y(Use(v, part, component));
}

void ArithmeticCode::Binary(Value v, const Inst& inst, int part, uint32_t id32, uint32_t id64,
                            bool swap) {
  const Value first = inst.args[swap ? 1 : 0];
  const Value second = inst.args[swap ? 0 : 1];
  if (inst.type == Type::kV64) {
    for (int c = 0; c < 2; ++c) {
      const int x = Use(first, part, c);
      const asmjit::Operand y = Source(second, part, c);
      a.emit(id64, Y(Def(v, part, c)), Y(x), y);
    }
    return;
  }
  const int x = Use(first, part);
  const asmjit::Operand y = Source(second, part);
  FreeDying(inst, part);
  a.emit(id32, Y(Def(v, part)), Y(x), y);
}

void ArithmeticCode::JoinMasks(int low, int high) {
  a.vshufps(Y(kT0), Y(low), Y(high), kEvenDwords);
}

void ArithmeticCode::Unpack(int component, int to, int low, int high) {
  a.emit(component == 0 ? x86::Inst::kIdVpunpckldq : x86::Inst::kIdVpunpckhdq, Y(to), Y(low),
         Y(high));
}

}  // namespace gcnjit::backend::avx2
