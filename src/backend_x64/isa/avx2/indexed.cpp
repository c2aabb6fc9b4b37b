// Loads and stores of the indexed form. All parts of a slice are tried as one run of consecutive
// elements first: then what differs between lanes is known, and the address is scalar code. Out of
// line follow a run of each part, what else its lanes may be (indexed_lanes.cpp), and the runtime;
// of what is known to be a run, the runtime at once.
#include <algorithm>

#include "backend_x64/emit/index_range.h"
#include "backend_x64/emit/indexed_rows.h"
#include "backend_x64/emit/indexed_run.h"
#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/global.h"
#include "backend_x64/isa/avx2/indexed_lanes.h"
#include "backend_x64/isa/avx2/indexed_parts.h"
#include "backend_x64/isa/avx2/rows.h"
#include "backend_x64/isa/avx2/runs.h"
#include "backend_x64/isa/avx2/whole_run.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Value;

// Is it a stream, of lanes that are not known to be close to each other?
bool GlobalCode::TakeStreams(Value v, IndexedAccess& x) const {
  if (!b_.accesses.streams.Of(v, 0)) return false;
  for (int n = 0; n < x.parts.count; ++n) {
    if (x.IsUniform(n) || x.IsRun(n, 1)) return false;
  }
  for (int n = 0; n < x.parts.count; ++n) {
    x.parts[n].stream = b_.accesses.streams.Of(v, x.parts.Number(n));
    x.parts[n].stream->SetIndex(x.index.reg[n], x.access);
  }
  return true;
}

// What is known of `count` parts from part `first` on before their operands are in registers.
IndexedAccess GlobalCode::IndexedOf(Value v, const Inst& inst, int first, int count) {
  IndexedAccess x{{b_.region, inst.access(), SiteOf(v, first)}};
  x.is_store = inst.op == Op::kStore;
  x.is_joined = b_.block.has_joined_dwords[v.id] != 0;
  if (const auto lookahead = b_.accesses.prefetcher.LookaheadOf(inst)) {
    x.ahead = {*lookahead, b_.accesses.prefetcher.MemoryOf(*lookahead)};
  }
  x.parts.first = first;
  x.parts.count = count;
  x.index.shape = b_.at.ShapeOfAddress(inst.args[0]);
  if (!x.is_store) x.overlap = OverlapStep(x.access, x.index.shape, first, count);
  x.index.is_loaded = b_.block.from_loaded_lanes[inst.args[0].id] != 0;
  x.index.is_zero = b_.block.IsZero(inst.args[0]);
  x.base.imm = static_cast<int32_t>(inst.imm);
  x.base.memory = ScalarMemory(inst.args[1]);
  x.index.late = b_.accesses.runs.LateIndexOf(inst.args[0]);
  // Two parts are a line.
  x.moves.may_go_past_caches = count > 1 && b_.accesses.prefetcher.MayGoPastCaches(v);
  return x;
}

void GlobalCode::TakeOperands(Value v, const Inst& inst, IndexedAccess& x) {
  for (int n = 0; n < x.parts.count; ++n) {
    const int number = x.parts.Number(n);
    if (!x.index.late) x.index.reg[n] = Use(inst.args[0], number);
    PartAccess& at = x.parts[n];
    at = PartOf(inst, x.site, number);
    at.mask = AccessMask(inst.args[2], number);
    at.last_lane = b_.at.LastLaneOf(inst.args[2], number);
    UseData(inst, number, at.data);
    DefResults(v, inst, number, at.result);
    at.exits.done = a.newLabel();
  }
}

void GlobalCode::EmitIndexed(Value v, const Inst& inst, int part) {
  const int operands =
      (b_.block.IsAllLanes(inst.args[2]) ? 1 : 2) + std::max(1, inst.access().Dwords());
  const bool together = b_.at.HasNoGaps(v) && operands * parts() <= kFewest;
  if (together && part != 0) return;
  IndexedAccess x = IndexedOf(v, inst, part, together ? parts() : 1);
  TakeOperands(v, inst, x);
  const std::optional<PlaceInPlane> in_plane = b_.accesses.planes.PlaceOf(v);
  PrepareIndexRange(b_.region, x.access);
  AccessGuard guard(b_.region, x.site);
  if (TakeStreams(v, x)) return EmitStreams(x);
  const bool is_run = x.IsRun(0, x.parts.count) && x.overlap == 0;
  if (is_run && in_plane) return EmitRunInPlane(b_, *in_plane, guard, x);
  if (x.index.late && x.index.late->IsOfRows() && !is_run) {
    if (in_plane) return EmitRowsInPlane(x, *in_plane, guard);
    const std::optional<int> step =
        IsWorthRowsAddress(x.parts.count * kLanes / x.index.late->row_lanes) ? b_.scalars.Borrow()
                                                                             : std::nullopt;
    EmitRows(x, step);
    if (step) b_.scalars.GiveBack(*step);
    return;
  }
  if (x.MayBeRun(0, x.parts.count)) {
    // An access that is made part by part is asked for once.
    const RunAddress run = together ? b_.accesses.runs.AddressOf(v) : RunAddress{};
    return EmitRunOfAllParts(b_, v, guard, x, run);
  }
  for (int n = 0; n < x.parts.count; ++n) EmitPart(x, n, /*in_line=*/true);
}

}  // namespace gcnjit::backend::avx2
