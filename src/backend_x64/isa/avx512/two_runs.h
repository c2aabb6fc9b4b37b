// Accesses whose lanes are in two runs, one after the other: where a row ends within a register, in
// work-groups with rows of any length, or where x = i % width.
#pragma once

#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

bool MayBeTwoRuns(const IndexedAccess& x);
// One part.
void EmitTwoRuns(const IndexedAccess& x, int n, const asmjit::Label& fail);

}  // namespace gcnjit::backend::avx512
