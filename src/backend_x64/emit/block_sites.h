// The memory sites of a block: what the runtime needs to know of each access.
#pragma once

#include <vector>

#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/emit/value_memory.h"
#include "backend_x64/plan/block_context.h"

namespace gcnjit::backend {

class BlockSites {
 public:
  BlockSites(RegionAssembler& region, const BlockContext& block, ValueMemory& memory);

  SiteId Add(ir::Value access);
  // Before the access is emitted, which will have that site.
  SiteId AddEarly(ir::Value access);
  // That was added for it.
  SiteId Of(ir::Value access) const { return added_[access.id]; }

 private:
  ExecSource ExecOf(ir::Value access);

  RegionAssembler& region_;
  const BlockContext& block_;
  ValueMemory& memory_;
  std::vector<SiteId> added_;       // by value id
  std::vector<uint8_t> is_early_;   // likewise
  std::vector<ir::Value> exec_of_;  // what note_exec said last before a memory operation
};

}  // namespace gcnjit::backend
