// What the caller of Compile wants, and what it knows of the region.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/host/features.h"
#include "backend_x64/plan/tuning.h"
#include "ir/analysis/region_shapes.h"
#include "ir/passes.h"
#include "ir/printer.h"

namespace gcnjit::backend {

// Of the groups that group code is for.
struct GroupFacts {
  uint32_t lds_bytes = 0;     // LDS has at least so much
  bool has_barriers = false;  // waves may wait for each other
  // The SGPR by which a group differs from others in its row of the grid, -1 if that is not known;
  // and what memory stays as it is while they run.
  int row_sgpr = -1;
  std::vector<ir::FixedMemory> fixed = {};
};

// Which RegionNotes are wanted.
struct NoteOptions {
  bool listing = false;
  ir::GuestComment guest_comment = {};  // for the listing
  bool ranges = false;
  bool spans = false;
};

// Of the buffer resource through which waves access scratch, what is the same for all of them.
struct ScratchWords {
  uint32_t high1 = 0;  // bits 31:16 of word 1
  uint32_t word3 = 0;  // 0: not known
};

struct CompileOptions {
  HostIsa isa = HostIsa::kAvx2;
  StateLayout layout = {};
  ir::FloatEnv base_env = {};                // MXCSR that regions are entered with
  uint64_t code_base = 0;                    // RegionTables's; see ir::Op::kCodeBase
  const ir::RegionShapes* shapes = nullptr;  // of the function's values; nullptr: not known
  GroupFacts group = {};
  // High dword of flat addresses in LDS, if code in line is to look for them; 0: it is not, as
  // where all memory is accessed by flat addresses.
  uint32_t lds_aperture = 0;
  ScratchWords scratch = {};
  NoteOptions notes = {};
  // Called before each block, which may take some milliseconds; what it throws ends Compile.
  std::function<void()> before_block = {};
  const Tuning* tuning = &HostTuning();
  // For tests: so many lanes of a slice are stragglers (plan/stragglers.h) at most; -1: as many as
  // are worth it.
  int most_stragglers = -1;
};

}  // namespace gcnjit::backend
