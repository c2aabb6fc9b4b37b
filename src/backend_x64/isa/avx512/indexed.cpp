// Loads and stores of the indexed form. All parts of a slice are tried as one run of consecutive
// elements first: then what differs between lanes is known, and the address is scalar code. Out of
// line follow a run of each part, a gather or scatter, and the runtime; of what is known to be a
// run, the runtime at once.
#include <algorithm>

#include "backend_x64/emit/indexed_rows.h"
#include "backend_x64/emit/indexed_run.h"
#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/global.h"
#include "backend_x64/isa/avx512/half_runs.h"
#include "backend_x64/isa/avx512/indexed_lanes.h"
#include "backend_x64/isa/avx512/indexed_parts.h"
#include "backend_x64/isa/avx512/lane_stores.h"
#include "backend_x64/isa/avx512/rows.h"
#include "backend_x64/isa/avx512/runs.h"
#include "backend_x64/isa/avx512/whole_run.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Value;

// Is it a stream, of lanes that are not known to be close to each other?
bool GlobalCode::TakeStreams(Value v, IndexedAccess& x) const {
  if (!b_.accesses.streams.Of(v, 0) || x.index.late) return false;
  for (int p = 0; p < x.parts.count; ++p) {
    if (x.index.shape.IsUniform(p) || x.IsRun(p, 1) || IsHalves(x, p)) return false;
  }
  for (int p = 0; p < x.parts.count; ++p) {
    if (!b_.block.IsStandIn(v, p)) continue;
    x.parts[p].stream = b_.accesses.streams.Of(v, p);
    x.parts[p].stream->SetIndex(x.index.reg[p], x.access);
  }
  return true;
}

// What is known of it before its operands are in registers.
IndexedAccess GlobalCode::IndexedOf(Value v, const Inst& inst) {
  IndexedAccess x{{b_.region, inst.access(), b_.accesses.sites.Add(v)}};
  x.is_store = inst.op == Op::kStore;
  x.is_joined = b_.block.has_joined_dwords[v.id] != 0;
  if (const auto lookahead = b_.accesses.prefetcher.LookaheadOf(inst)) {
    x.ahead = {*lookahead, b_.accesses.prefetcher.MemoryOf(*lookahead)};
  }
  x.parts.count = parts();
  x.base.imm = static_cast<int32_t>(inst.imm);
  x.base.memory = ScalarMemory(inst.args[1]);
  x.index.shape = b_.at.ShapeOfAddress(inst.args[0]);
  x.halves.shape = b_.block.ShapeOfHalves(inst.args[0], x.parts.count);
  if (!x.is_store) {
    x.overlap = OverlapStep(x.access, x.index.shape, 0, x.parts.count);
    if (AccessCode::IsOfHalves(x.access) || x.access.bytes == 12) {
      x.halves.overlap = OverlapStep(x.access, x.halves.shape, 0, 2 * x.parts.count);
    }
  }
  x.index.is_loaded = b_.block.from_loaded_lanes[inst.args[0].id] != 0;
  x.index.is_zero = b_.block.IsZero(inst.args[0]);
  x.moves.may_go_past_caches = b_.accesses.prefetcher.MayGoPastCaches(v);
  x.index.late = b_.accesses.runs.LateIndexOf(inst.args[0]);
  const ContiguousAccesses::Group* const group = b_.accesses.runs.GroupOf(v);
  const bool is_looked_at = group != nullptr && b_.accesses.planes.AreInOne(group->owner, v);
  const auto shifted = b_.accesses.runs.ShiftedLoadOf(v, is_looked_at);
  if (shifted && shifted->lanes != 0) x.moves.shifted = shifted;
  return x;
}

// `is_run`: for certain, so that its parts are not tried one by one.
void GlobalCode::TakeOperands(Value v, const Inst& inst, bool is_run, IndexedAccess& x) {
  for (int p = 0; p < x.parts.count; ++p) {
    if (!b_.block.IsStandIn(v, p)) continue;
    if (!x.index.late) {
      x.index.reg[p] = Use(inst.args[0], p);
      if (b_.memory.IsInState(inst.args[0], p)) {
        x.index.first_lane[p] = b_.memory.FirstLane(inst.args[0], p);
      }
    }
    PartAccess& at = x.parts[p];
    at = PartOf(inst, x.site, p);
    at.mask = AccessMask(inst.args[2], p);
    at.last_lane = b_.at.LastLaneOf(inst.args[2], p);
    UseData(inst, p, at.data);
    DefResults(v, inst, p, at.result);
    if (is_run) continue;
    at.exits.slow = a.newLabel();
    at.exits.done = a.newLabel();
  }
}

void GlobalCode::EmitIndexed(Value v, const Inst& inst, int part) {
  if (part != 0) return;  // all parts at once
  IndexedAccess x = IndexedOf(v, inst);
  const bool is_run = b_.at.HasNoGaps(v) && x.IsRun(0, x.parts.count) && x.overlap == 0;
  TakeOperands(v, inst, is_run, x);
  const std::optional<PlaceInPlane> in_plane = b_.accesses.planes.PlaceOf(v);
  AccessGuard guard(b_.region, x.site);
  if (TakeStreams(v, x)) return EmitStreams(x);
  if (is_run && in_plane) return EmitRunInPlane(b_, *in_plane, guard, x);
  if (x.is_store && !is_run) LaneStores(b_.region, x.access).Prepare();
  const bool is_of_rows = x.index.late && x.index.late->IsOfRows() && !is_run;
  if (b_.at.HasNoGaps(v) && x.MayBeRun(0, x.parts.count) && !IsHalves(x, 0) && !is_of_rows) {
    return EmitRunOfAllParts(b_, v, guard, x, b_.accesses.runs.AddressOf(v));
  }
  if (is_of_rows && in_plane) return EmitRowsInPlane(x, *in_plane, guard);
  if (is_of_rows && IsWorthRowsAddress(x.parts.count * kLanes / x.index.late->row_lanes)) {
    if (const std::optional<int> step = b_.scalars.Borrow()) {
      EmitRows(x, step);
      b_.scalars.GiveBack(*step);
      return;
    }
  }
  EmitEachPart(v, is_of_rows, x);
}

// With the base in registers, if there are any and several parts want it.
void GlobalCode::EmitEachPart(Value v, bool is_of_rows, IndexedAccess& x) {
  const std::optional<int> taken[3] = {b_.scalars.Borrow(), b_.scalars.Borrow(),
                                       b_.scalars.Borrow()};
  if (taken[2] && (IsHalves(x, 0) || (x.parts.count > 1 && x.MayBeRun(0, 1)))) {
    x.registers = {Gp(*taken[0], true), Gp(*taken[1], true), Gp(*taken[2], true)};
    LoadBase(x, is_of_rows ? std::min(x.parts.count, x.index.late->row_lanes / kLanes) : 1);
  }
  if (is_of_rows) {
    EmitRows(x, std::nullopt);
  } else {
    for (int p = 0; p < x.parts.count; ++p) {
      if (b_.block.IsStandIn(v, p)) EmitPart(x, p, /*in_line=*/true);
    }
  }
  for (const std::optional<int>& gpr : taken) {
    if (gpr) b_.scalars.GiveBack(*gpr);
  }
}

}  // namespace gcnjit::backend::avx512
