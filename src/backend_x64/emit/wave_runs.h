// Accesses of which it is known that the lanes of the whole wave are a run, where slices are not
// waves: one look at the window, before the slices, is enough.
#pragma once

#include <map>
#include <vector>

#include "backend_x64/emit/block_sites.h"
#include "backend_x64/emit/contiguous_accesses.h"
#include "backend_x64/emit/fault_table.h"
#include "backend_x64/emit/plane_rows.h"

namespace gcnjit::backend {

class WaveRuns {
 public:
  WaveRuns(RegionAssembler& region, Cursor& at, ValueMemory& memory, BlockSites& sites,
           ContiguousAccesses& runs, const PlaneRows& planes);

  // Of the block, before its stages.
  void Find();
  // Before the slices of a stage: looks at the windows. After them: frees what that took.
  void Emit(const Stage& stage);
  void Free();

  // rax: where the access's lanes are, if it is such a run; the code goes to `fail` if the run is
  // not within the window. False: it is not known to be one, and nothing has been emitted.
  bool Use(ir::Value access, AccessGuard& guard, const asmjit::Label& fail);

 private:
  bool IsRun(ir::Value access) const;

  struct Run {
    SiteId site;
    int slot = -1;
  };

  x86::Assembler& a;
  RegionAssembler& region_;
  Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  BlockSites& sites_;
  ContiguousAccesses& runs_;
  const PlaneRows& planes_;
  std::vector<uint8_t> is_run_;             // by value id
  std::map<uint32_t, Run> runs_by_access_;  // of the stage being emitted, by value id
};

}  // namespace gcnjit::backend
