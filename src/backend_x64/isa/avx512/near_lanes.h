// Loads of the indexed form whose lanes are dwords near each other.
#pragma once

#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

bool MayBeNear(const IndexedAccess& x);
// One part of a load whose lanes are all among the dwords of two registers, of which lane 0's is
// the first: two moves and a permutation instead of a gather.
void EmitNear(const IndexedAccess& x, int n, const asmjit::Label& fail);

}  // namespace gcnjit::backend::avx512
