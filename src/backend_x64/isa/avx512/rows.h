// Accesses of which each row of lanes is a run (emit/indexed_rows.h).
#pragma once

#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

// One row, of `count` parts.
void EmitRow(const IndexedAccess& x, int first, int count, const asmjit::Label& fail);
// What is not within the window, or wraps around: lane by lane.
void EmitRowLanes(const IndexedAccess& x, int first, int count);

}  // namespace gcnjit::backend::avx512
