// Floating-point operations and conversions of lanes.
#pragma once

#include "backend_x64/isa/avx512/arithmetic.h"

namespace gcnjit::backend::avx512 {

class FloatCode : ArithmeticCode {
 public:
  explicit FloatCode(BlockParts& parts) : ArithmeticCode(parts) {}

  // False: it is no such operation, and nothing was emitted.
  bool Emit(ir::Value v, const ir::Inst& inst, int part) {
    return EmitFloat(v, inst, part) || EmitConversion(v, inst, part);
  }

 private:
  using V = ir::Value;
  bool EmitFloat(V v, const ir::Inst& inst, int part);
  bool EmitConversion(V v, const ir::Inst& inst, int part);
  void EmitFma(V v, const ir::Inst& inst, int part);
};

}  // namespace gcnjit::backend::avx512
