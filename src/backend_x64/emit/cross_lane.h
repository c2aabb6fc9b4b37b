// Operations that move values between the lanes of a wave. Their lane arguments are complete in
// memory, and so is their result, but for permutations within a slice.
#pragma once

#include "backend_x64/emit/lane_registers.h"
#include "backend_x64/emit/scalar_registers.h"

namespace gcnjit::backend {

class CrossLane {
 public:
  CrossLane(RegionAssembler& region, Cursor& at, ValueMemory& memory, LaneRegisters& lanes,
            ScalarRegisters& scalars, LaneIsa& isa);

  // Between lane loops. False: it is no such operation, and nothing was emitted.
  bool Emit(ir::Value v, const ir::Inst& inst);
  // A permutation in a slice that has all of the source's lanes that are wanted.
  void EmitInSlice(ir::Value v, const ir::Inst& inst);

 private:
  void EmitReadLane(ir::Value v, const ir::Inst& inst);
  void EmitPermute(ir::Value v, const ir::Inst& inst);
  void EmitBpermute(ir::Value v, const ir::Inst& inst);
  void EmitMaskBelow(ir::Value v, const ir::Inst& inst);
  void EmitPermuteMask(ir::Value v, const ir::Inst& inst);

  x86::Assembler& a;
  Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  LaneRegisters& lanes_;
  ScalarRegisters& scalars_;
  LaneIsa& isa_;
};

}  // namespace gcnjit::backend
