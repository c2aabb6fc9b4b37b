// Code between the operations that all waves of a work-group, or groups of a row, have in common
// and the rest of the block (plan/uniform_prologue.h).
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "backend_x64/abi/region_abi.h"

namespace gcnjit::backend {

struct BlockVersion;
struct RegionAssembler;

// What there is after those operations.
struct UniformPrologue {
  struct Register {
    int gpr = -1;
    bool is_wide = false;
    bool is_constant = false;
    uint64_t constant = 0;
    asmjit::x86::Mem memory = {};  // that has the same; of any wave's
  };
  std::vector<Register> held;
  int row_id = -1;  // the register of the row's SGPR; -1: it has none
  std::vector<std::pair<int, asmjit::x86::Mem>> unsaved;  // registers, and memory for them
  struct Load {
    asmjit::x86::Mem address;  // memory that has it
    uint32_t bytes = 0;
  };
  std::vector<Load> loads;
};

// Registers become what they are after the common operations.
void EmitHeld(asmjit::x86::Assembler& a, const UniformPrologue& common);

// After the common operations of the block that begins at `begin`. Out of line, where a wave with
// RelayState::leads keeps what later waves need and finds out whether they may have it; and, at
// BlockVersion::follow, where these begin. They may not if a store could have changed what was
// loaded.
void EmitFollowing(RegionAssembler& region, BlockVersion& version, const asmjit::Label& begin,
                   uint32_t instructions, const UniformPrologue& common);

}  // namespace gcnjit::backend
