// What compilers make of an array that they keep in VGPRs (gfx8-9): s_set_gpr_idx_on, v_mov_b32
// whose source or destination has the index added to its number, s_set_gpr_idx_off. Between the two
// MODE is another one, so they are lifted together, or not at all: then the interpreter has what
// MODE redirects.
#pragma once

#include <bitset>
#include <cstddef>
#include <span>

#include "frontend/flow/cfg.h"
#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

// How many instructions `code`, which is within a block, begins with that are lifted together; 0:
// none.
size_t CountIndexedMoves(std::span<const DecodedInstruction> code, const LiftTarget& target);

class IndexedMoves {
 public:
  // `code`: those that CountIndexedMoves has counted.
  IndexedMoves(Lifter& lifter, std::span<const DecodedInstruction> code);

  // Instruction n, one after the other. `wide`: see Lifter::Observed.
  void Lift(size_t n, const VgprSet& wide);

 private:
  void On();
  void Move(const Instruction& i);

  Lifter& lifter_;
  const std::span<const DecodedInstruction> code_;
  const bool has_source_;
  const bool has_destination_;
  Value index_;
};

}  // namespace gcnjit::frontend
