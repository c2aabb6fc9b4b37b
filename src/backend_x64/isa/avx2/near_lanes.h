// Accesses of the indexed form whose lanes are dwords near each other.
#pragma once

#include "backend_x64/isa/avx2/indexed_access.h"

namespace gcnjit::backend::avx2 {

// Can the lanes be among the dwords of two registers, a store's of eight, of which lane 0's is the
// first?
bool MayBeNear(const IndexedAccess& x, int n);
void EmitNear(const IndexedAccess& x, int n, const asmjit::Label& fail);

}  // namespace gcnjit::backend::avx2
