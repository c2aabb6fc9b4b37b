// Stores that compiled code takes out of a loop (backend_x64/compile/sunk_store.h).
#pragma once

#include "backend_x64/abi/region_abi.h"

namespace gcnjit::runtime {

// backend::LoopStoreHelper.
uint32_t MaySinkStore(backend::RegionContext* context, uint32_t vgprs, int32_t imm, uint32_t bytes,
                      uint32_t first, uint32_t end) noexcept;

}  // namespace gcnjit::runtime
