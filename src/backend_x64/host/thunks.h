// Code that all compiled regions share: the way in, and the calls of the runtime that preserve
// every register.
#pragma once

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/host/features.h"

namespace gcnjit::backend {

struct Thunks {
  RegionEntry enter = nullptr;
  const void* access_thunk = nullptr;  // eax: MemorySite::index; returns the helper's result in eax
  const void* scalar_thunk = nullptr;  // eax: MemorySite::index, rcx: address, edx: dwords
};

// Emitted once a process and host instruction set.
const Thunks& ThunksFor(HostIsa isa);

}  // namespace gcnjit::backend
