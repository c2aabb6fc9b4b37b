// Loads and stores of the indexed form. All parts of a slice are tried as one run of consecutive
// elements first: then what differs between lanes is known, and the address is scalar code. Out of
// line follow a run of each part, a gather or scatter, and the runtime; of what is known to be a
// run, the runtime at once.
#include <algorithm>

#include "backend_x64/emit/row_addresses.h"
#include "backend_x64/emit/scattered_lanes.h"
#include "backend_x64/emit/stream_fill.h"
#include "backend_x64/emit/window_check.h"
#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/global.h"
#include "backend_x64/isa/avx512/indexed_access.h"
#include "backend_x64/isa/avx512/lane_stores.h"
#include "backend_x64/isa/avx512/overlapping.h"
#include "backend_x64/isa/avx512/streams.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Value;

void IndexedAccess::LoadRegisters(int count) const {
  x86::Assembler& a = region.a;
  const x86::Gp from = x86::gpq(static_cast<uint32_t>(base_gpr));
  const x86::Gp begin = x86::gpq(static_cast<uint32_t>(window_gpr));
  const x86::Gp end = x86::gpq(static_cast<uint32_t>(end_gpr));
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(from, WholeBase());
  if (imm != 0) a.add(from, imm);
  a.mov(begin, Window(offsetof(MemoryWindow, base), 8));
  a.mov(end, Window(offsetof(MemoryWindow, run_end), 8));
  a.sub(from, begin);
  // Far: 2^30 or more before it, or nearly 2^32 after its begin.
  a.lea(x86::rax, x86::ptr(from, 1 << 30));
  a.shr(x86::rax, 32);
  a.mov(x86::eax, 0);
  a.cmovnz(end, x86::rax);
  if (count == 1) return;
  a.sub(end, (count - 1) * kLanes * StepBytes());
  a.cmovb(end, x86::rax);
}

// rax: the index, extended. Makes it the run's address (see At), which is within the window.
// Changes rcx, rdx.
void IndexedAccess::EmitRunAddress(bool is_wide, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  if (base_gpr >= 0) {
    if (access.index_shift > 3) a.shl(x86::rax, access.index_shift);
    a.lea(x86::rax, x86::ptr(x86::gpq(static_cast<uint32_t>(base_gpr)), x86::rax,
                             access.index_shift > 3 ? 0 : access.index_shift));
    a.cmp(x86::rax, x86::gpq(static_cast<uint32_t>(end_gpr)));
    a.jae(fail);
    if (!IsRelative()) a.add(x86::rax, x86::gpq(static_cast<uint32_t>(window_gpr)));
    return;
  }
  if (access.index_shift != 0) a.shl(x86::rax, access.index_shift);
  a.add(x86::rax, WholeBase());
  if (imm != 0) a.add(x86::rax, imm);
  EmitWindowCheck(a, window, is_wide, lowest, highest, fail);
}

// `count` parts from part `first` on, if their indices are consecutive.
void IndexedAccess::EmitRun(int first, int count, const asmjit::Label& fail) const {
  EmitRunIndex(first, count, fail);
  EmitRunAddress(/*is_wide=*/count > 1, fail);
  EmitMoves(first, count);
}

// eax: the part's first index.
void IndexedAccess::EmitFirstIndex(int part) const {
  x86::Assembler& a = region.a;
  if (late) {
    late->IsOfRows() ? late->EmitInRow(a, part * kLanes) : late->EmitFirst(a);
  } else if (first_lane[part].hasBase()) {
    a.mov(x86::eax, first_lane[part]);
  } else {
    a.vmovd(x86::eax, X(index[part]));
  }
}

// rax: the first part's first index, extended.
void IndexedAccess::EmitRunIndex(int first, int count, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  const int lanes = count * kLanes;
  const auto span = static_cast<int32_t>(static_cast<uint32_t>(lanes - 1) * Step() + last_index);
  EmitFirstIndex(first);
  if (!IsRun(first, count)) {
    a.vpbroadcastd(Z(kT0), X(index[first]));
    for (int n = 0; n < count; ++n) {
      ConstantPool::Vector steps;
      for (uint32_t l = 0; l < 16; ++l) steps[l] = (static_cast<uint32_t>(n) * 16 + l) * Step();
      a.vpsubd(Z(kT1), Z(index[first + n]), Z(kT0));
      if (n != 0) a.k(K(kM0));
      a.vpcmpeqd(K(kM0), Z(kT1), region.constants.Whole(steps));
    }
    a.kortestw(K(kM0), K(kM0));
    a.jnc(fail);
  }
  EmitExtension(span, fail);
}

// Extends the index in eax, from which the access's others are up to `last` away modulo 2^32;
// extended, the last one must not have wrapped around. That shows in the first one's address where
// the base is not far: it is beyond every window, they have less than 2^31 bytes.
void IndexedAccess::EmitExtension(int last, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  const bool may_wrap = base_gpr < 0 || access.index_shift == 0;
  if (access.index_signed) {
    if (may_wrap) {
      a.cmp(x86::eax, INT32_MAX - last);
      a.jg(fail);
    }
    a.movsxd(x86::rax, x86::eax);
  } else if (may_wrap) {
    a.cmp(x86::eax, -1 - last);
    a.ja(fail);
  }
}

void IndexedAccess::EmitMoves(int first, int count) const {
  const int step_bytes = kLanes * StepBytes();
  AccessCode code(region);
  if (lookahead) {
    EmitPrefetch(region.a, *region.options.tuning, *lookahead, lookahead_memory, At(0),
                 access.index_shift, count * step_bytes, is_store);
  }
  for (int n = first; n < first + count; ++n) {
    const x86::Mem at = At((n - first) * step_bytes);
    if (is_store) {
      code.StoreRun(access, part[n].mask, part[n].data, at);
    } else if (overlap != 0) {
      LoadOverlapping(region, access, overlap, part[n].mask, part[n].result, at);
    } else {
      code.LoadRun(access, part[n].mask, part[n].result, at);
    }
  }
}

// All parts, of which all but one lie within two registers of an earlier load each: loads of
// neighbours would cross a cache line every time.
void IndexedAccess::EmitShifted() const {
  AccessCode code(region);
  if (lookahead) {
    EmitPrefetch(region.a, *region.options.tuning, *lookahead, lookahead_memory, At(0),
                 access.index_shift, parts * kLanes * 4, is_store);
  }
  for (int n = 0; n < parts; ++n) {
    const int low = shift > 0 ? n : n - 1;  // the first of the registers
    if (low < 0 || low + 1 == parts) {
      code.LoadRun(access, part[n].mask, part[n].result, At(n * kLanes * 4));
    } else if (part[n].result[0] >= 0) {
      OrZero(region.a, part[n].mask)
          .valignd(Z(part[n].result[0]), Z(shift_from[low + 1]), Z(shift_from[low]),
                   shift > 0 ? shift : kLanes + shift);
    }
  }
}

// A store of all parts, of whole cache lines if they are aligned.
void IndexedAccess::EmitPastCaches() const {
  x86::Assembler& a = region.a;
  const asmjit::Label in_caches = a.newLabel();
  const asmjit::Label done = a.newLabel();
  if (run_gpr >= 0) a.lea(x86::rax, At(0));
  EmitPastCachesCheck(a, in_caches);
  for (int n = 0; n < parts; ++n) a.vmovntdq(At(n * kCacheLine), Z(part[n].data[0]));
  a.jmp(done);
  a.bind(in_caches);
  EmitMoves(0, parts);
  a.bind(done);
}

void IndexedAccess::EmitWholeRunAddress(const RunAddress& run, const asmjit::Label& fail) {
  last_index = run.last_index;
  lowest = run.lowest;
  highest = run.highest;
  EmitRunIndex(0, parts, fail);
  EmitRunAddress(/*is_wide=*/parts > 1, fail);
}

void IndexedAccess::EmitWholeRun() const {
  if (shift != 0) {
    EmitShifted();
  } else if (may_go_past_caches) {
    EmitPastCaches();
  } else {
    EmitMoves(0, parts);
  }
}

void IndexedAccess::EmitParts(const asmjit::Label& done) const {
  if (MayLearn()) EmitLearned(done);
  for (int n = 0; n < parts; ++n) EmitPart(n, /*in_line=*/false);
}

// One part: what costs least first, the rest out of line.
void IndexedAccess::EmitPart(int n, bool in_line) const {
  x86::Assembler& a = region.a;
  const asmjit::Label otherwise = a.newLabel();
  if (MayBeUniform() && shape.IsUniform(n)) {
    EmitUniform(n, otherwise);
  } else if (IsHalves(n)) {
    EmitHalves(n, otherwise);
  } else if (MayBeRun(n, 1)) {
    EmitRun(n, 1, otherwise);
  } else if (const int step = is_store ? 0 : SpacedStep(access, shape, Number(n)); step != 0) {
    EmitSpaced(n, step, otherwise);
  } else {
    a.jmp(otherwise);
  }
  if (in_line) {
    a.bind(part[n].done);
    region.cold.push_back([*this, n, otherwise] { EmitOtherwise(n, otherwise); });
  } else {
    a.jmp(part[n].done);
    EmitOtherwise(n, otherwise);
    a.bind(part[n].done);
  }
}

// A load that is tried in several ways.
bool IndexedAccess::MayBeScattered(int n) const {
  return !is_store && !shape.is_known && !IsHalves(n) && !part[n].stream;
}

void IndexedAccess::EmitOtherwise(int n, const asmjit::Label& entry) const {
  x86::Assembler& a = region.a;
  const asmjit::Label scattered = a.newLabel();
  a.bind(entry);
  if (MayBeScattered(n)) EmitIfScattered(region, part[n].site, scattered);
  if (may_be_two_runs) {
    const asmjit::Label others = a.newLabel();
    EmitTwoRuns(n, others);
    a.jmp(part[n].done);
    a.bind(others);
  }
  if (!is_store && !shape.is_known) {
    const asmjit::Label different = a.newLabel();
    EmitUniform(n, different);
    a.jmp(part[n].done);
    a.bind(different);
  }
  if (MayBeNear()) {
    const asmjit::Label far = a.newLabel();
    EmitNear(n, far);
    a.jmp(part[n].done);
    a.bind(far);
  }
  if (MayBeScattered(n)) NoteScattered(region, part[n].site, scattered);
  EmitLanes(n);
}

// One part of a load whose lanes are all among the dwords of two registers, of which lane 0's is
// the first: two moves and a permutation instead of a gather.
void IndexedAccess::EmitNear(int n, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  constexpr int kLast = 2 * kLanes - 1;
  const PartAccess& to = part[n];
  a.vmovd(x86::eax, X(index[n]));
  a.vpbroadcastd(Z(kT0), X(index[n]));
  a.vpsubd(Z(kT0), Z(index[n]), Z(kT0));
  Under(a, to.mask).vpcmpud(K(kM0), Z(kT0), region.constants.Broadcast32(kLast)._1to16(), 6);
  a.kortestw(K(kM0), K(kM0));
  a.jnz(fail);
  IndexedAccess two = *this;
  two.base_gpr = -1;  // it goes with the end for one register
  two.EmitExtension(kLast, fail);
  two.EmitRunAddress(/*is_wide=*/true, fail);
  a.vmovdqu32(Z(kT1), two.At(0));
  a.vpermi2d(Z(kT0), Z(kT1), two.At(64));
  if (to.result[0] >= 0) OrZero(a, to.mask).vmovdqa32(Z(to.result[0]), Z(kT0));
}

// One part, if all its lanes have the same index: of a store, if they are known to.
void IndexedAccess::EmitUniform(int n, const asmjit::Label& different) const {
  x86::Assembler& a = region.a;
  if (!shape.IsUniform(n)) {
    a.vpbroadcastd(Z(kT0), X(index[n]));
    a.vpcmpd(K(kM0), Z(kT0), Z(index[n]), 4);
    a.kortestw(K(kM0), K(kM0));
    a.jnz(different);
  }
  if (has_index) {
    a.vmovd(x86::eax, X(index[n]));
    if (access.index_signed) a.movsxd(x86::rax, x86::eax);
    if (access.index_shift != 0) a.shl(x86::rax, access.index_shift);
    a.add(x86::rax, WholeBase());
  } else {
    a.mov(x86::rax, WholeBase());
  }
  if (imm != 0) a.add(x86::rax, imm);
  PartAccess lanes = part[n];
  lanes.slow = different;  // where the addresses are made for the runtime
  if (is_store) return EmitLastLane(region, lanes);
  EmitLaneCheck(a, lanes);
  AccessCode(region).Broadcast(access, lanes.mask, lanes.result);
}

// All parts, which are a run, but not one that code in line can access: its window has yet to be
// found, or the run is not all within memory, or an index wraps around within it.
void IndexedAccess::EmitRunByRuntime(const asmjit::Label& done) const {
  EmitFirstIndex(0);
  PartAccess run[4];
  std::copy(std::begin(part), std::end(part), run);
  run[0].done = done;
  EmitSlowRun(region, run, parts, WholeBase());
}

// One part, lane by lane.
void IndexedAccess::EmitLanes(int n) const {
  x86::Assembler& a = region.a;
  const x86::Zmm x = Z(index[n]);
  const int shift = access.index_shift;
  // (kT1:kT0) = base + (ext(index) << shift)
  if (shift != 0) {
    a.vpslld(Z(kT0), x, shift);
  } else {
    a.vmovdqa32(Z(kT0), x);
  }
  if (access.index_signed) {
    a.vpsrad(Z(kT1), x, shift == 0 ? 31 : 32 - shift);
  } else if (shift != 0) {
    a.vpsrld(Z(kT1), x, 32 - shift);
  } else {
    a.vpxord(Z(kT1), Z(kT1), Z(kT1));
  }
  a.vpaddd(Z(kT0), Z(kT0), Base(0, 4)._1to16());
  a.vpcmpud(K(kM0), Z(kT0), Base(0, 4)._1to16(), 1);
  a.vpaddd(Z(kT1), Z(kT1), Base(4, 4)._1to16());
  a.k(K(kM0)).vpaddd(Z(kT1), Z(kT1), region.constants.Broadcast32(1)._1to16());
  PartAccess lanes = part[n];
  lanes.low = kT0;
  lanes.high = kT1;
  EmitScattered(region, lanes, kT2);
  EmitSlow(region, lanes);
}

// Part by part: what has been read before, else as any part.
void IndexedAccess::EmitStreams() const {
  for (int p = 0; p < parts; ++p) {
    if (!part[p].stream) continue;
    const asmjit::Label other = region.a.newLabel();
    EmitStreamRead(region, part[p], other);
    region.a.jmp(part[p].done);
    region.a.bind(other);
    EmitPart(p, /*in_line=*/true);
    EmitStreamStep(region, *part[p].stream);
  }
  PrepareStreamFill(region, access, kLanes, kT0);
}

// Is it a stream, of lanes that are not known to be close to each other?
bool GlobalCode::TakeStreams(Value v, IndexedAccess& x) const {
  if (!b_.accesses.streams.Of(v, 0) || x.late) return false;
  for (int p = 0; p < x.parts; ++p) {
    if (x.shape.IsUniform(p) || x.IsRun(p, 1) || x.IsHalves(p)) return false;
  }
  for (int p = 0; p < x.parts; ++p) {
    if (!b_.block.IsStandIn(v, p)) continue;
    x.part[p].stream = b_.accesses.streams.Of(v, p);
    x.part[p].stream->SetIndex(x.index[p], x.access);
  }
  return true;
}

void GlobalCode::EmitIndexed(Value v, const Inst& inst, int part) {
  if (part != 0) return;  // all parts at once
  const SiteId site = b_.accesses.sites.Add(v);
  IndexedAccess x{{b_.region, inst.access()}};
  x.is_store = inst.op == Op::kStore;
  x.lookahead = b_.accesses.prefetcher.LookaheadOf(inst);
  if (x.lookahead) x.lookahead_memory = b_.accesses.prefetcher.MemoryOf(*x.lookahead);
  x.parts = parts();
  x.imm = static_cast<int32_t>(inst.imm);
  x.base = ScalarMemory(inst.args[1]);
  x.window = site.index;
  x.shape = b_.at.ShapeOfAddress(inst.args[0]);
  x.halves = b_.block.ShapeOfHalves(inst.args[0], x.parts);
  if (!x.is_store) {
    x.overlap = OverlapStep(x.access, x.shape, 0, x.parts);
    if (AccessCode::IsOfHalves(x.access) || x.access.bytes == 12) {
      x.halves_overlap = OverlapStep(x.access, x.halves, 0, 2 * x.parts);
    }
  }
  x.may_be_two_runs = x.MayBeTwoRuns() && b_.block.from_loaded_lanes[inst.args[0].id] == 0;
  x.has_index = !b_.block.IsZero(inst.args[0]);
  x.may_go_past_caches = b_.accesses.prefetcher.MayGoPastCaches(v);
  x.late = b_.accesses.runs.LateIndexOf(inst.args[0]);
  x.in_plane = b_.accesses.planes.PlaceOf(v);
  const ContiguousAccesses::Group* const group = b_.accesses.runs.GroupOf(v);
  const bool is_looked_at = group != nullptr && b_.accesses.planes.AreInOne(group->owner, v);
  if (const auto shifted = b_.accesses.runs.ShiftedLoadOf(v, is_looked_at)) {
    x.shift = shifted->lanes;
    std::copy(std::begin(shifted->from), std::end(shifted->from), x.shift_from);
  }
  const bool is_run = b_.at.HasNoGaps(v) && x.IsRun(0, x.parts) && x.overlap == 0;
  for (int p = 0; p < parts(); ++p) {
    if (!b_.block.IsStandIn(v, p)) continue;
    PartAccess& at = x.part[p];
    if (!x.late) {
      x.index[p] = Use(inst.args[0], p);
      if (b_.memory.IsInState(inst.args[0], p))
        x.first_lane[p] = b_.memory.FirstLane(inst.args[0], p);
    }
    at = PartOf(inst, site, p);
    at.mask = AccessMask(inst.args[2], p);
    at.last_lane = b_.at.LastLaneOf(inst.args[2], p);
    UseData(inst, p, at.data);
    DefResults(v, inst, p, at.result);
    if (is_run) continue;
    at.slow = a.newLabel();
    at.done = a.newLabel();
  }
  AccessGuard guard(b_.region, site);
  if (TakeStreams(v, x)) return x.EmitStreams();
  if (is_run && x.in_plane) return EmitRunInPlane(b_, guard, x);
  if (x.is_store && !is_run) LaneStores(b_.region, x.access).Prepare();
  const bool is_of_rows = x.late && x.late->IsOfRows() && !is_run;
  if (b_.at.HasNoGaps(v) && x.MayBeRun(0, x.parts) && !x.IsHalves(0) && !is_of_rows) {
    return EmitRunOfAllParts(b_, v, guard, x, b_.accesses.runs.AddressOf(v));
  }
  if (is_of_rows && x.in_plane) return x.EmitRowsInPlane(guard);
  if (is_of_rows && IsWorthRowsAddress(x.parts * kLanes / x.late->row_lanes)) {
    if (const std::optional<int> step = b_.scalars.Borrow()) {
      x.EmitRows(step);
      b_.scalars.GiveBack(*step);
      return;
    }
  }
  const std::optional<int> taken[3] = {b_.scalars.Borrow(), b_.scalars.Borrow(),
                                       b_.scalars.Borrow()};
  if (taken[2] && (x.IsHalves(0) || (x.parts > 1 && x.MayBeRun(0, 1)))) {
    x.base_gpr = *taken[0];
    x.window_gpr = *taken[1];
    x.end_gpr = *taken[2];
    x.LoadRegisters(is_of_rows ? std::min(x.parts, x.late->row_lanes / kLanes) : 1);
  }
  if (is_of_rows) {
    x.EmitRows(std::nullopt);
  } else {
    for (int p = 0; p < x.parts; ++p) {
      if (b_.block.IsStandIn(v, p)) x.EmitPart(p, /*in_line=*/true);
    }
  }
  for (const std::optional<int>& gpr : taken) {
    if (gpr) b_.scalars.GiveBack(*gpr);
  }
}

}  // namespace gcnjit::backend::avx512
