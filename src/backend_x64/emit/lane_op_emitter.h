// The lane operations of a slice, part by part: registers for operands and results around what the
// instruction set emits for the operation itself.
#pragma once

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/cross_lane.h"
#include "backend_x64/emit/lane_ops.h"
#include "backend_x64/emit/scalar_code.h"

namespace gcnjit::backend {

class LaneOpEmitter {
 public:
  LaneOpEmitter(BlockParts& parts, LaneOps& ops, ScalarCode& scalar_code, CrossLane& cross_lane);

  void Emit(ir::Value v);
  // One part of an operation, the one at Cursor::part; after the last one, Finish.
  void EmitPartOf(ir::Value v, const ir::Inst& inst);
  void Finish(ir::Value v, const ir::Inst& inst);

 private:
  void EmitParts(ir::Value v, const ir::Inst& inst);
  void EmitWaveMask(ir::Value v);
  void KeepOld(int vgpr);
  void EmitSetVgpr(const ir::Inst& inst);
  void EmitSetVgprAt(const ir::Inst& inst);
  x86::Mem VgprAt(const ir::Inst& inst);

  BlockParts& b_;
  LaneOps& ops_;
  ScalarCode& scalar_code_;
  CrossLane& cross_lane_;
};

}  // namespace gcnjit::backend
