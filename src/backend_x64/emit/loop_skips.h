// What is skipped in a loop (ir::Op::kSkipped) counts as executed in iterations in which any slice
// has a lane there. Slices note that by iteration, and the loop's end counts.
#pragma once

#include "backend_x64/emit/block_parts.h"

namespace gcnjit::backend {

class LoopSkips {
 public:
  explicit LoopSkips(BlockParts& parts) : b_(parts) {}

  // Notes the slice's lanes in the operation's mask, in an iteration. Changes rax, rdx.
  void EmitNote(ir::Value skipped);
  // When all slices have run. Changes rax, rcx.
  void EmitCount();
  // Forgets what is noted, in code that leaves the region before EmitCount. Changes rax, rcx, rdi.
  static void EmitForget(RegionAssembler& region, uint32_t iterations);

 private:
  BlockParts& b_;
};

}  // namespace gcnjit::backend
