// Accesses of the indexed form of which each row of a slice's lanes (LateIndex) is a run: the order
// in which rows are tried, the same for every instruction set. `Access` is its IndexedAccess, which
// has these functions in its namespace:
//   EmitRow(x, first, count, fail)   one row, of so many parts: on to `fail` unless it is a run
//                                    within the window
//   EmitRowLanes(x, first, count)    rows of which that is not known, lane by lane; each part but
//                                    the last one ends at its `done`
//   EmitMoves(x, first, count)       the moves of a row, which begins at rax
#pragma once

#include <algorithm>
#include <optional>

#include "backend_x64/emit/fault_table.h"
#include "backend_x64/emit/gpr.h"
#include "backend_x64/emit/indexed_access.h"
#include "backend_x64/emit/plane_rows.h"
#include "backend_x64/emit/row_addresses.h"

namespace gcnjit::backend {

// All rows at once, of a plane that has been looked at; outside it, row by row.
template <typename Access>
void EmitRowsInPlane(const Access& x, const PlaceInPlane& place, AccessGuard& guard) {
  const asmjit::Label outside = x.region.a.newLabel();
  const asmjit::Label done = x.region.a.newLabel();
  guard.ResumeAt(outside);
  place.EmitAddress(x.region.a, *x.index.late, x.parts.Number(0) * Access::kPartLanes, outside);
  const int count = std::min(x.parts.count, x.index.late->row_lanes / Access::kPartLanes);
  for (int n = 0; n < x.parts.count; n += count) {
    if (n != 0) x.region.a.add(x86::rax, place.step);
    EmitMoves(x, n, count);
  }
  x.region.a.bind(done);
  x.region.cold.push_back([x, count, outside, done] {
    x.region.a.bind(outside);
    for (int n = 0; n < x.parts.count; n += count) {
      const asmjit::Label lanes = x.region.a.newLabel();
      const asmjit::Label& next = x.parts[n + count - 1].exits.done;
      EmitRow(x, n, count, lanes);
      x.region.a.jmp(next);
      x.region.a.bind(lanes);
      EmitRowLanes(x, n, count);
      x.region.a.bind(next);
    }
    x.region.a.jmp(done);
  });
}

// All rows at once, if there is a register for what lies between them (`step`), else one by one.
template <typename Access>
void EmitRows(const Access& x, std::optional<int> step) {
  const int count = std::min(x.parts.count, x.index.late->row_lanes / Access::kPartLanes);
  const int together = step ? x.parts.count : count;
  for (int first = 0; first < x.parts.count; first += together) {
    const asmjit::Label otherwise = x.region.a.newLabel();
    if (together > count) {
      EmitRowsAddress(x, *x.index.late, together / count, count * Access::kPartLanes,
                      Gp(*step, true), otherwise);
      for (int n = first; n < first + together; n += count) {
        if (n != first) x.region.a.add(x86::rax, Gp(*step, true));
        EmitMoves(x, n, count);
      }
    } else {
      EmitRow(x, first, count, otherwise);
    }
    x.region.a.bind(x.parts[first + together - 1].exits.done);
    x.region.cold.push_back([x, first, together, otherwise] {
      x.region.a.bind(otherwise);
      EmitRowLanes(x, first, together);
    });
  }
}

}  // namespace gcnjit::backend
