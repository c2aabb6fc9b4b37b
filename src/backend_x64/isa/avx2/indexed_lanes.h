// Accesses of the indexed form whose lanes are no run: one element for all, or lane by lane.
#pragma once

#include "backend_x64/isa/avx2/indexed_access.h"

namespace gcnjit::backend::avx2 {

// One part whose lanes are known to have one address. What a store leaves there is the last active
// lane's.
void EmitUniform(const IndexedAccess& x, int n, const asmjit::Label& fail);
// A load of all parts whose lanes have the same index, which are more than one.
void EmitAlike(const IndexedAccess& x, const asmjit::Label& different);
// One part, whose lanes' indices are in that register: a gather or scatter if they are in the
// window, else by the runtime.
void EmitLanes(const IndexedAccess& x, int n, int index);

}  // namespace gcnjit::backend::avx2
