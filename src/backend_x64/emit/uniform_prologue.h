// What the waves of a work-group have in common. Their SGPRs are the same when they start, so what
// a short kernel works out from these alone - addresses of its arguments, the group's place in the
// grid - need not be worked out by each: a wave behind the group's first one goes on from where
// that one had all of it.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "backend_x64/plan/stages.h"
#include "ir/function.h"
#include "ir/passes.h"

namespace gcnjit::backend {

struct RegionShared;

// Does the block, which is all of its region and has one version only, run to its waves' ends
// without LDS, atomics and fences? Without barriers, the order of its accesses means nothing to
// others then.
bool IsInNoOrder(const ir::Function& function, const ir::Block& block);
// Such a block: is it one for which that pays? There are few stores.
bool MayHaveFollowers(const ir::Function& function, const ir::Block& block);

// The plan with those of the first stage's scalar operations at the front that give the same for
// all waves that start with the same SGPRs, EXEC apart: plan.common_scalars of them. None if they
// are too few.
StagePlan WithCommonFirst(const ir::Function& function, StagePlan plan);

// The same for the code of a whole group, where others that follow it in its row of the grid differ
// in an SGPR only.
struct RowStart {
  int sgpr = -1;  // -1: nobody knows
  std::span<const ir::FixedMemory> fixed;
};
StagePlan WithCommonOfRowFirst(const ir::Function& function, const RowStart& row, StagePlan plan);

// What there is behind those operations.
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

// Registers become what they are behind the common operations.
void EmitHeld(asmjit::x86::Assembler& a, const UniformPrologue& common);

// Behind the common operations of the block that begins at `begin`. Out of line, where a wave with
// RegionContext::leads keeps what others need and finds out whether they may have it; and, at
// shared.follow, where these begin. They may not if a store could have changed what was loaded.
void EmitFollowing(RegionShared& shared, const asmjit::Label& begin, uint32_t instructions,
                   const UniformPrologue& common);

}  // namespace gcnjit::backend
