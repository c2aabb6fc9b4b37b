// A loop's iterations for the lanes of a slice that are left, one lane after the other
// (plan/stragglers.h): a function of its own, beside the region's code.
#pragma once

#include <asmjit/x86.h>

#include <optional>

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/saved_scalars.h"
#include "backend_x64/plan/stragglers.h"

namespace gcnjit::backend {

class StragglerLoop {
 public:
  StragglerLoop(BlockParts& parts, const Stragglers& plan);

  const Stragglers& plan() const { return plan_; }
  // The function, once the slices' code has been emitted. `last`: of the plan's scalars, saved by
  // the lane that has made the most iterations.
  void EmitFunction(const SavedScalars& last) const;

  // On to `few` if the slice has so few lanes in the wave's EXEC, but one. Changes rax.
  void EmitCheck(const asmjit::Label& few) const;
  // After the loop, or where it pauses.
  void EmitEnd() const;
  // What the loop carries is in the wave's state, LoopCount::left what the slice may still make.
  // Afterwards it is where the lanes have left, and on to `done`; or some could not be done, whose
  // state is as it was, and code goes on. Keeps general-purpose registers, but for rax.
  void EmitCall(const asmjit::Label& done) const;

 private:
  x86::Mem ExecOfSlice() const;

  x86::Assembler& a;
  BlockParts& b_;
  const Stragglers plan_;
  const asmjit::Label function_;
};

}  // namespace gcnjit::backend
