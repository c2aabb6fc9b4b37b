// The indices of an access of the indexed form whose elements are in the site's window, for the
// base that it had last (MemoryWindow::index_base): kept, since most accesses have the same base
// again.
#pragma once

#include "backend_x64/emit/part_access.h"
#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend {

// Makes the routine that EmitIndexRange calls, which may be code out of line.
void PrepareIndexRange(RegionAssembler& region, const ir::MemoryAccess& access);

// Makes sure that the window has them for this base. Then rdx: RegionTables::windows. Changes rax.
void EmitIndexRange(RegionAssembler& region, SiteId site, const ir::MemoryAccess& access,
                    const x86::Mem& base, int32_t imm);

}  // namespace gcnjit::backend
