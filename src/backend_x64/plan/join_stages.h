// Stages that a slice can do one after the other become one, where all lanes that matter are in
// that slice.
#pragma once

#include <cstdint>
#include <vector>

#include "backend_x64/plan/stages.h"

namespace gcnjit::backend {

// A host's slices: `parts` registers of `lanes` lanes each, if they are as wide as can be.
struct Slices {
  int parts = 1;
  int lanes = 1;
  bool IsWave() const { return parts * lanes == ir::kLanes; }
  // Registers of the wave that the first slice has.
  uint32_t Registers() const { return (1u << parts) - 1; }
};

// A slice that is the whole wave does instruction after instruction for all lanes, as the guest
// does. Then memory accesses need no stages of their own, nor do permutations. The same holds where
// all lanes that are read are in one slice.
void JoinStages(const ir::Function& function, const std::vector<uint32_t>& uses,
                const std::vector<uint8_t>& part_bits, const Slices& slices,
                const RegisterCounts& registers, const Wanted& wanted, StagePlan& plan);

// Permutations of which lanes are elsewhere are done between lane loops.
void TakePermutationsOut(const ir::Function& function, const Wanted& wanted, const Slices& slices,
                         StagePlan& plan);

}  // namespace gcnjit::backend
