// Integer operations of lanes (integer.cpp, bits.cpp), compares and lane masks (compares.cpp).
#pragma once

#include "backend_x64/isa/avx2/arithmetic.h"

namespace gcnjit::backend::avx2 {

class IntegerCode : ArithmeticCode {
 public:
  explicit IntegerCode(BlockParts& parts) : ArithmeticCode(parts) {}

  // False: it is no such operation, and nothing was emitted.
  bool Emit(ir::Value v, const ir::Inst& inst, int part) {
    return EmitInteger(v, inst, part) || EmitShift(v, inst, part) || EmitCompare(v, inst, part) ||
           EmitMaskLogic(v, inst, part) || EmitWiden(v, inst, part) || EmitBits(v, inst, part);
  }

 private:
  using V = ir::Value;
  bool EmitInteger(V v, const ir::Inst& inst, int part);
  bool EmitShift(V v, const ir::Inst& inst, int part);
  bool EmitCompare(V v, const ir::Inst& inst, int part);
  bool EmitMaskLogic(V v, const ir::Inst& inst, int part);
  bool EmitWiden(V v, const ir::Inst& inst, int part);
  bool EmitBits(V v, const ir::Inst& inst, int part);
  bool EmitUnsignedCompare(V v, const ir::Inst& inst, int part);
  void EmitSelect(V v, const ir::Inst& inst, int part);
  void EmitMulHigh(V v, const ir::Inst& inst, int part);
  void EmitFshr(V v, const ir::Inst& inst, int part);
  void EmitAshr64(int result, int x, uint32_t count);
  void EmitPopcount(V v, const ir::Inst& inst, int part);
  void EmitClz(V v, const ir::Inst& inst, int part);
  void EmitCtz(V v, const ir::Inst& inst, int part);
  void EmitBitReverse(V v, const ir::Inst& inst, int part);
  void EmitPermByte(V v, const ir::Inst& inst, int part);
};

}  // namespace gcnjit::backend::avx2
