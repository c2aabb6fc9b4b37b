// What the caller of Compile wants, and what it knows of the region.
#pragma once

#include <cstdint>
#include <vector>

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/host/features.h"
#include "backend_x64/plan/tuning.h"
#include "ir/analysis/region_shapes.h"
#include "ir/passes.h"
#include "ir/printer.h"

namespace gcnjit::backend {

struct CompileOptions {
  HostIsa isa = HostIsa::kAvx2;
  StateLayout layout;
  ir::FloatEnv base_env;                     // MXCSR that regions are entered with
  uint64_t code_base = 0;                    // RegionContext's; see ir::Op::kCodeBase
  const ir::RegionShapes* shapes = nullptr;  // of the function's values; nullptr: not known
  uint32_t group_lds_bytes = 0;              // where group code runs, LDS has at least so much
  bool group_has_barriers = false;           // waves of group code may wait for each other
  // Of group code: the SGPR by which a group differs from others in its row of the grid, -1 if that
  // is not known; and what memory stays as it is while they run.
  int row_sgpr = -1;
  std::vector<ir::FixedMemory> fixed;
  const Tuning* tuning = &HostTuning();
  bool listing = false;            // keep CompiledRegion::listing
  ir::GuestComment guest_comment;  // for the listing
  bool ranges = false;             // keep CompiledRegion::ranges
  bool spans = false;              // keep CompiledRegion::spans
};

}  // namespace gcnjit::backend
