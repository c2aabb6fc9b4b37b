// Emits one block: its stages' scalar parts, and a loop over slices for their lane operations.
// Registers, homes and scalar code are the same for every host; what a lane operation looks like is
// the business of LaneIsa and LaneOps (isa/avx2, isa/avx512).
//
// Register use of compiled code:
//   rbx  wave state          r12  RegionContext        rbp  slots (8 bytes each)
//   r13  state's VGPRs at the slice, where there are several
//   r14  temps at the slice  r15  first lane of the slice / 8
//   rax, rcx, rdx  scratch   rsi, rdi, r8-r11  scalar values
#pragma once

#include <span>
#include <vector>

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/cross_lane.h"
#include "backend_x64/emit/lane_op_emitter.h"
#include "backend_x64/emit/lane_ops.h"
#include "backend_x64/emit/loop.h"
#include "backend_x64/emit/scalar_code.h"
#include "backend_x64/emit/scalar_loads.h"

namespace gcnjit::backend {

class BlockEmitter {
 public:
  BlockEmitter(BlockParts& parts, LaneOps& ops);
  BlockEmitter(const BlockEmitter&) = delete;
  BlockEmitter& operator=(const BlockEmitter&) = delete;

  // Everything but the terminator; then comes the terminator's code. A loop that slices run to its
  // end (BlockContext::IsLoop) has none: after it the loop is over, unless
  // LoopCount::paused says that it has used up its iterations for now.
  void Emit();

  // The terminator's value in a register, until Finish.
  int UseScalar(ir::Value v) { return b_.scalars.Use(v); }
  void Finish() { b_.scalars.UnpinAll(); }

 private:
  void EmitStages();
  void EmitStage(size_t number, const asmjit::Label& begin);
  void EmitLaneLoop(const Stage& stage);
  void EmitLaneOps(const Stage& stage, const std::vector<Prefetcher::Request>& requests);
  void EmitMatrices();
  void NoteStored(const Stage& stage);
  // What waves, or groups of a row, have in common (block_prologue.cpp).
  void EmitCommonScalars(const asmjit::Label& begin);
  int LoadRowId();
  void NoteHeld(std::span<const ir::Value> ops, UniformPrologue& common);
  void BindRow();

  x86::Assembler& a;
  BlockParts& b_;
  ScalarLoads scalar_loads_;
  CrossLane cross_lane_;
  ScalarCode scalar_code_;
  LaneOpEmitter lane_ops_;
  LoopEmitter loop_;
};

}  // namespace gcnjit::backend
