// The operations of a block for one lane, as scalar code by asmjit's compiler; loads apart
// (lane_loads.h).
#pragma once

#include <asmjit/x86.h>

#include "backend_x64/emit/lane_values.h"

namespace gcnjit::backend {

class SingleLane {
 public:
  SingleLane(x86::Compiler& cc, RegionAssembler& region, const BlockContext& block,
             LaneValues& values)
      : cc_(cc), region_(region), block_(block), values_(values) {}

  // In their order.
  void Emit(ir::Value v);

 private:
  void EmitBits(ir::Value v, const ir::Inst& inst);
  void EmitSelect(ir::Value v, const ir::Inst& inst);
  void EmitTable(ir::Value v, const ir::Inst& inst);
  x86::Gp OfTwo(int table, ir::Value b, ir::Value c);
  void EmitBinary(ir::Value v, const ir::Inst& inst, uint32_t id);
  void EmitShift(ir::Value v, const ir::Inst& inst);
  void EmitProduct(ir::Value v, const ir::Inst& inst);
  void EmitMinMax(ir::Value v, const ir::Inst& inst, x86::CondCode keeps_second);
  bool EmitInteger(ir::Value v, const ir::Inst& inst);
  void EmitFloat(ir::Value v, const ir::Inst& inst);
  void EmitToInteger(ir::Value v, const ir::Inst& inst);

  x86::Compiler& cc_;
  RegionAssembler& region_;
  const BlockContext& block_;
  LaneValues& values_;
};

}  // namespace gcnjit::backend
