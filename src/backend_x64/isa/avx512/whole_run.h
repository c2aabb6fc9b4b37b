// All parts of an access of the indexed form as one run (emit/indexed_run.h).
#pragma once

#include "backend_x64/emit/run_address.h"
#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

// Where another access has left the run's address.
x86::Mem RunAt(const IndexedAccess& x, const x86::Gp& gpr, int32_t distance);
// Where the run begins. On to `fail` unless it is one, and within the window.
x86::Mem EmitWholeRunAddress(const IndexedAccess& x, const RunAddress& run,
                             const asmjit::Label& fail);
// The moves. May change rax.
void EmitWholeRun(const IndexedAccess& x, const x86::Mem& begin);
// All parts, which are a run, but not one that code in line can access: its window has yet to be
// found, or the run is not all within memory, or an index wraps around within it.
void EmitRunByRuntime(const IndexedAccess& x, const asmjit::Label& done);

}  // namespace gcnjit::backend::avx512
