// The lanes of an access that compiled code hands over to the runtime.
#pragma once

#include <cstdint>

#include "backend_x64/abi/region_abi.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// Of lane n of the block, in guest memory.
inline uint64_t AddressOf(const backend::AccessBlock& block, const backend::MemorySite& site,
                          uint32_t n) {
  return site.access.Wrapped((block.low[n] | static_cast<uint64_t>(block.high[n]) << 32) +
                             static_cast<uint64_t>(int64_t{site.imm}));
}

// Accesses of the active lanes of context.transfer.access, one after another as the interpreter
// makes them. False: one of them has a fault, which is the wave's now; those before it are done.
bool AccessActiveLanes(Wave& w, backend::RegionContext& context, const backend::MemorySite& site);

}  // namespace gcnjit::runtime
