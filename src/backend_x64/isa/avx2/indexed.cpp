// Loads and stores of the indexed form. All parts of a slice are tried as one run of consecutive
// elements first: then what differs between lanes is known, and the address is scalar code. Out of
// line follow a run of each part, what else its lanes may be (indexed_lanes.cpp), and the runtime;
// of what is known to be a run, the runtime at once.
#include <algorithm>

#include "backend_x64/emit/index_range.h"
#include "backend_x64/emit/row_addresses.h"
#include "backend_x64/emit/scattered_lanes.h"
#include "backend_x64/emit/stream_fill.h"
#include "backend_x64/emit/window_check.h"
#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/global.h"
#include "backend_x64/isa/avx2/indexed_access.h"
#include "backend_x64/isa/avx2/overlapping.h"
#include "backend_x64/isa/avx2/streams.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Value;

// `count` parts from part `first` on, if their indices are consecutive.
void IndexedAccess::EmitRun(int first, int count, const asmjit::Label& fail) const {
  EmitRunAddress(first, count, fail);
  EmitWindowCheck(count, fail, 0, 0);
  EmitMoves(first, count);
}

// eax: the part's first index.
void IndexedAccess::EmitFirstIndex(int n) const {
  if (late && late->IsOfRows()) return late->EmitInRow(region.a, Number(n) * kLanes);
  if (late) return late->EmitFirst(region.a);
  region.a.vmovd(x86::eax, X(part[n].index));
}

// rax: where the run begins.
void IndexedAccess::EmitRunAddress(int first, int count, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  const int lanes = count * kLanes;
  const auto span = static_cast<int32_t>(static_cast<uint32_t>(lanes - 1) * Step() + last_index);
  EmitFirstIndex(first);
  if (!IsRun(first, count)) {
    a.vpbroadcastd(Y(kT0), X(part[first].index));
    for (int n = 0; n < count; ++n) {
      ConstantPool::Vector steps;
      for (uint32_t l = 0; l < steps.size(); ++l) {
        steps[l] = (static_cast<uint32_t>(n * kLanes) + l) * Step();
      }
      const int difference = n == 0 ? kT2 : kT1;
      a.vpsubd(Y(difference), Y(part[first + n].index), Y(kT0));
      a.vpcmpeqd(Y(difference), Y(difference), region.constants.Whole(steps));
      if (n != 0) a.vpand(Y(kT2), Y(kT2), Y(kT1));
    }
    a.vmovmskps(x86::edx, Y(kT2));
    a.cmp(x86::edx, kAllLanes);
    a.jne(fail);
  }
  EmitAddressOf(span, fail);
}

// rax: the address of the index in eax, from which others are up to `last` away.
void IndexedAccess::EmitAddressOf(int last, const asmjit::Label& fail) const {
  EmitIndexAddress(region.a, access, Base(0, 8), imm, last, fail);
}

// Are the run at rax, and others from `lowest` to `highest` bytes after it, within the window?
void IndexedAccess::EmitWindowCheck(int count, const asmjit::Label& fail, int32_t lowest,
                                    int32_t highest) const {
  const bool is_wide = count * kLanes > kMaxPartLanes;
  backend::EmitWindowCheck(region.a, window, is_wide, lowest, highest, fail);
}

// A store of all parts, of cache lines or halves of them. May change rax.
void IndexedAccess::EmitPastCaches() const {
  x86::Assembler& a = region.a;
  const asmjit::Label in_caches = a.newLabel();
  const asmjit::Label done = a.newLabel();
  EmitPastCachesCheck(a, in_caches);
  for (int n = 0; n < parts; ++n) {
    a.vmovntdq(x86::ptr(x86::rax, n * kLanes * 4), Y(part[n].data[0]));
  }
  a.jmp(done);
  a.bind(in_caches);
  EmitMoves(0, parts);
  a.bind(done);
}

// The first one's are at rax.
void IndexedAccess::EmitMoves(int first, int count) const {
  x86::Assembler& a = region.a;
  const int step_bytes = kLanes * StepBytes();
  if (lookahead) {
    EmitPrefetch(region.a, *region.options.tuning, *lookahead, lookahead_memory, x86::ptr(x86::rax),
                 access.index_shift, count * step_bytes, is_store);
  }
  for (int n = first; n < first + count; ++n) {
    const Part& p = part[n];
    AccessCode code(region, access, (n - first) * step_bytes);
    if (overlap != 0) {
      LoadOverlapping(region, access, overlap, p.mask, p.result,
                      x86::ptr(x86::rax, (n - first) * step_bytes));
      continue;
    }
    if (!is_store) {
      code.LoadRun(p.mask, p.result);
      continue;
    }
    if (p.mask < 0) {
      code.StoreRun(p.data);
      continue;
    }
    const asmjit::Label all = a.newLabel();
    const asmjit::Label stored = a.newLabel();
    a.vmovmskps(x86::edx, Y(p.mask));
    a.cmp(x86::edx, kAllLanes);
    a.je(all);
    code.StorePartOfRun(p.mask, p.data);
    a.jmp(stored);
    a.bind(all);
    code.StoreRun(p.data);
    a.bind(stored);
  }
}

void IndexedAccess::EmitWholeRunAddress(const RunAddress& run, const asmjit::Label& fail) {
  if (MayBeScattered(0)) EmitIfScattered(region, site, fail);
  last_index = run.last_index;
  EmitRunAddress(0, parts, fail);
  last_index = 0;
  EmitWindowCheck(parts, fail, run.lowest, run.highest);
}

void IndexedAccess::EmitParts(const asmjit::Label&) const {
  for (int n = 0; n < parts; ++n) EmitPart(n, /*in_line=*/false);
}

// One part: in line what it is known to be, or a run if it may be one; the rest out of line.
void IndexedAccess::EmitPart(int n, bool in_line) const {
  x86::Assembler& a = region.a;
  const asmjit::Label otherwise = a.newLabel();
  const asmjit::Label scattered = a.newLabel();
  const asmjit::Label done = a.newLabel();
  if (MayBeScattered(n)) EmitIfScattered(region, site, scattered);
  if (IsUniform(n)) {
    EmitUniform(part[n], otherwise, done);
  } else if (MayBeRun(n, 1)) {
    EmitRun(n, 1, otherwise);
  } else if (const int step = is_store ? 0 : SpacedStep(access, shape, Number(n)); step != 0) {
    EmitSpaced(n, step, otherwise);
  } else if (MayBeNear(n)) {
    EmitNear(n, otherwise);
  } else {
    a.jmp(otherwise);
  }
  if (in_line) {
    a.bind(done);
    region.cold.push_back(
        [*this, n, otherwise, scattered, done] { EmitOtherwise(n, otherwise, scattered, done); });
  } else {
    a.jmp(done);
    EmitOtherwise(n, otherwise, scattered, done);
    a.bind(done);
  }
}

// Part by part: what has been read before, else as any part.
void IndexedAccess::EmitStreams() const {
  x86::Assembler& a = region.a;
  for (int n = 0; n < parts; ++n) {
    const asmjit::Label other = a.newLabel();
    const asmjit::Label done = a.newLabel();
    EmitStreamRead(region, OperandsOf(part[n], done), other);
    a.jmp(done);
    a.bind(other);
    EmitPart(n, /*in_line=*/true);
    a.bind(done);
    EmitStreamStep(region, *part[n].stream);
  }
  PrepareStreamFill(region, access, kLanes, kT0);
}

// Is it a stream, of lanes that are not known to be close to each other?
bool GlobalCode::TakeStreams(Value v, IndexedAccess& x) const {
  if (!b_.accesses.streams.Of(v, 0)) return false;
  for (int n = 0; n < x.parts; ++n) {
    if (x.IsUniform(n) || x.IsRun(n, 1)) return false;
  }
  for (int n = 0; n < x.parts; ++n) {
    x.part[n].stream = b_.accesses.streams.Of(v, x.part[n].number);
    x.part[n].stream->SetIndex(x.part[n].index, x.access);
  }
  return true;
}

void GlobalCode::EmitIndexed(Value v, const Inst& inst, int part) {
  const int operands =
      (b_.block.IsAllLanes(inst.args[2]) ? 1 : 2) + std::max(1, inst.access().Dwords());
  const bool together = b_.at.HasNoGaps(v) && operands * parts() <= kFewest;
  if (together && part != 0) return;
  IndexedAccess x{{b_.region, inst.access()}};
  x.site = SiteOf(v, part);
  x.is_store = inst.op == Op::kStore;
  x.lookahead = b_.accesses.prefetcher.LookaheadOf(inst);
  if (x.lookahead) x.lookahead_memory = b_.accesses.prefetcher.MemoryOf(*x.lookahead);
  x.first_part = part;
  x.parts = together ? parts() : 1;
  x.shape = b_.at.ShapeOfAddress(inst.args[0]);
  if (!x.is_store) x.overlap = OverlapStep(x.access, x.shape, part, x.parts);
  x.may_be_two_runs = x.MayBeTwoRuns() && b_.block.from_loaded_lanes[inst.args[0].id] == 0;
  x.has_index = !b_.block.IsZero(inst.args[0]);
  x.imm = static_cast<int32_t>(inst.imm);
  x.base = ScalarMemory(inst.args[1]);
  x.window = x.site.index;
  x.environment = !b_.environment.IsBase();
  x.abort = b_.at.next_slice;
  x.late = b_.accesses.runs.LateIndexOf(inst.args[0]);
  x.in_plane = b_.accesses.planes.PlaceOf(v);
  for (int n = 0; n < x.parts; ++n) {
    IndexedAccess::Part& p = x.part[n];
    p.number = part + n;
    if (!x.late) p.index = Use(inst.args[0], p.number);
    p.mask = AccessMask(inst.args[2], p.number);
    p.last_lane = b_.at.LastLaneOf(inst.args[2], p.number);
    for (int d = 3; d < inst.argument_count; ++d) p.data[d - 3] = Use(inst.args[d], p.number);
    DefResults(v, inst, p.number, p.result);
  }
  // Two parts are a line.
  x.may_go_past_caches = x.parts > 1 && b_.accesses.prefetcher.MayGoPastCaches(v);
  PrepareIndexRange(b_.region, x.access);
  AccessGuard guard(b_.region, x.site);
  if (TakeStreams(v, x)) return x.EmitStreams();
  const bool is_run = x.IsRun(0, x.parts) && x.overlap == 0;
  if (is_run && x.in_plane) return EmitRunInPlane(b_, guard, x);
  if (x.late && x.late->IsOfRows() && !is_run) {
    if (x.in_plane) return x.EmitRowsInPlane(guard);
    const std::optional<int> step = IsWorthRowsAddress(x.parts * kLanes / x.late->row_lanes)
                                        ? b_.scalars.Borrow()
                                        : std::nullopt;
    x.EmitRows(step);
    if (step) b_.scalars.GiveBack(*step);
    return;
  }
  if (x.MayBeRun(0, x.parts)) {
    // An access that is made part by part is asked for once.
    const RunAddress run = together ? b_.accesses.runs.AddressOf(v) : RunAddress{};
    return EmitRunOfAllParts(b_, v, guard, x, run);
  }
  for (int n = 0; n < x.parts; ++n) x.EmitPart(n, /*in_line=*/true);
}

}  // namespace gcnjit::backend::avx2
