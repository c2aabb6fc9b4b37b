// Memory accesses that compiled code does not do by itself: lane by lane, checked, with the fault
// if there is one. They also find the window for the next time.
#pragma once

#include <exception>
#include <optional>

#include "backend_x64/abi/region_abi.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// RegionContext::helpers.runtime.
struct JitAccessState {
  std::optional<PendingFault> fault;  // the first in program order, then by lane
  // What an access has thrown; the wave leaves compiled code as with a fault.
  std::exception_ptr failure;
};

// Called by compiled code, which exceptions cannot pass: there is nothing to unwind it by.
uint32_t AccessLanes(backend::RegionContext* context, uint32_t site) noexcept;
uint32_t LoadScalarDwords(backend::RegionContext* context, uint32_t site, uint64_t address,
                          uint32_t dwords) noexcept;

}  // namespace gcnjit::runtime
