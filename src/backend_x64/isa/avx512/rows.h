// Accesses of which each row of lanes is a run.
#pragma once

#include <optional>

#include "backend_x64/emit/fault_table.h"
#include "backend_x64/emit/plane_rows.h"
#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

// Of a plane.
void EmitRowsInPlane(const IndexedAccess& x, const PlaceInPlane& place, AccessGuard& guard);
// All rows at once, if there is a register for what lies between them (`step`), else one by one.
void EmitRows(const IndexedAccess& x, std::optional<int> step);

}  // namespace gcnjit::backend::avx512
