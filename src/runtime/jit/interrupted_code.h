// Compiled code that is interrupted by a signal while it accesses guest memory: see
// backend_x64/emit/fault_table.h and runtime/memory/signal_guard.h.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "backend_x64/compile/region.h"

namespace gcnjit::runtime {

// What a host thread is running, for the signal handler.
struct RunningCode {
  const backend::CompiledRegion* region = nullptr;  // nullptr: no compiled code
  backend::RegionContext* context = nullptr;
};

// Makes `running` the calling thread's. It must be the thread's as long as it lives, or until
// nullptr is.
void SetRunningCode(RunningCode* running);

// Is the calling thread in compiled code, or in what compiled code has called? Async-signal-safe.
bool IsInCompiledCode();

// If the thread was interrupted in an access of compiled code by a fault at `address`: makes it
// begin that access anew, now through the runtime, and returns true. Async-signal-safe.
bool ResumeInterruptedCode(gregset_t& registers, uint64_t address);

}  // namespace gcnjit::runtime
