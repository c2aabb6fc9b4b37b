// A block that is a loop: each slice runs it to its end, with what the loop carries in registers.
// Scalars stay in the wave's state, which every slice finds as the loop found it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/lane_op_emitter.h"
#include "backend_x64/emit/loop_registers.h"
#include "backend_x64/emit/loop_skips.h"
#include "backend_x64/emit/loop_undo.h"
#include "backend_x64/emit/saved_scalars.h"
#include "backend_x64/emit/scalar_code.h"
#include "backend_x64/emit/straggler_loop.h"

namespace gcnjit::backend {

class LoopEmitter {
 public:
  LoopEmitter(BlockParts& parts, LaneOpEmitter& ops, ScalarCode& scalar_code);

  // After it the loop is over, unless LoopCount::paused says that it has used up its
  // iterations for now.
  void Emit();

 private:
  const LoopPlan& Plan() const { return *b_.block.plan.loop; }
  void SetToIterations(const x86::Mem& to);
  void SaveScalars();
  std::optional<int> SaveExec();
  void PlanStragglers();
  asmjit::Label EmitIterations(const asmjit::Label& left_to_none);
  void EmitStragglers(const asmjit::Label& head, const asmjit::Label& left_to_none);
  void EmitTest(const asmjit::Label& ended);
  x86::CondCode EmitCondition();
  void NoteLeast();
  void EmitSkip(const x86::Mem& before, const asmjit::Label& skipped);
  void CollectExits(const x86::Mem& before);
  x86::Mem ExecMemory() const;
  void EmitOps(const std::vector<ir::Value>& ops);
  void EmitOp(ir::Value v);
  void EmitIteration();

  x86::Assembler& a;
  BlockParts& b_;
  LaneOpEmitter& ops_;
  ScalarCode& scalar_code_;
  LoopRegisters registers_;
  // Scalars of the wave that slices begin with, and those of the slice that ended last.
  SavedScalars initial_;
  SavedScalars last_;
  LoopSkips skips_;
  std::optional<StragglerLoop> stragglers_;
};

}  // namespace gcnjit::backend
