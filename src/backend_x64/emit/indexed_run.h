// The order in which all lanes of a slice are tried as one run, the same for every instruction set.
#pragma once

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/fault_table.h"
#include "backend_x64/emit/gpr.h"
#include "backend_x64/emit/indexed_access.h"
#include "backend_x64/emit/scattered_lanes.h"
#include "backend_x64/emit/window_check.h"

namespace gcnjit::backend {

// All parts of an access as one run. `run`: the register for its address that it shares. `Access`
// is an instruction set's IndexedAccess, which has these functions in its namespace:
//   RunAt(x, gpr, distance)           where the run is, which has been looked at
//   EmitWholeRunAddress(x, run, fail) finds it, and looks whether it is within the window
//   EmitWholeRun(x, begin)            the moves
//   EmitAlike(x, different)           out of line, if it is no such run: one element for all lanes
//   EmitParts(x, done)                if they are not alike: part by part
//   EmitRunByRuntime(x, done)         out of line, if it is one for certain
template <typename Access>
void EmitRunOfAllParts(BlockParts& b, ir::Value v, AccessGuard& guard, Access x,
                       const RunAddress& run) {
  x86::Assembler& a = b.region.a;
  const asmjit::Label each_part = a.newLabel();
  const asmjit::Label done = a.newLabel();
  const Access apart = x;
  x86::Mem begin = x86::ptr(x86::rax);
  if (run.from) {
    const x86::Gp from = Gp(*run.from, true);
    if (run.is_checked) {
      guard.ResumeAt(each_part);
      a.test(from, from);
      a.jz(each_part);
      begin = RunAt(x, from, run.distance);
    } else {
      a.lea(x86::rax, x86::ptr(from, run.distance));
      EmitWindowCheck(a, x.site.index, x.parts.count * b.block.lanes > kMaxPartLanes, run.lowest,
                      run.highest, each_part);
    }
  } else if (!b.accesses.wave_runs.Use(v, guard, each_part)) {
    begin = EmitWholeRunAddress(x, run, each_part);
  }
  if (run.to) a.mov(Gp(*run.to, true), x86::rax);
  const int bytes = x.parts.count * b.block.lanes * x.StepBytes();
  if (!x.is_store && x.ahead && b.accesses.prefetcher.PutOff(x.ahead->lookahead, run, bytes)) {
    x.ahead.reset();
  }
  EmitWholeRun(x, begin);
  a.bind(done);
  b.region.cold.push_back([x = apart, each_part, done, known = run.KnownIn()] {
    x.region.a.bind(each_part);
    if (known) x.region.a.mov(Gp(*known, false), 0);
    if (x.IsRun(0, x.parts.count) && x.overlap == 0) return EmitRunByRuntime(x, done);
    if (x.MayBeAlike()) {
      const asmjit::Label different = x.region.a.newLabel();
      EmitIfScattered(x.region, x.site, different);
      EmitAlike(x, different);
      x.region.a.jmp(done);
      x.region.a.bind(different);
    }
    EmitParts(x, done);
    x.region.a.jmp(done);
  });
}

// Likewise of a run of which it is known whether it is within the window.
template <typename Access>
void EmitRunInPlane(BlockParts& b, const PlaceInPlane& place, AccessGuard& guard, Access x) {
  x86::Assembler& a = b.region.a;
  const asmjit::Label outside = a.newLabel();
  const asmjit::Label done = a.newLabel();
  const Access apart = x;
  guard.ResumeAt(outside);
  place.EmitAddress(a, *x.index.late, x.parts.first * b.block.lanes, outside);
  const int bytes = x.parts.count * b.block.lanes * x.StepBytes();
  if (!x.is_store && x.ahead && b.accesses.prefetcher.PutOff(x.ahead->lookahead, {}, bytes)) {
    x.ahead.reset();
  }
  EmitWholeRun(x, x86::ptr(x86::rax));
  a.bind(done);
  b.region.cold.push_back([x = apart, outside, done] {
    const asmjit::Label by_runtime = x.region.a.newLabel();
    x.region.a.bind(outside);
    EmitWholeRun(x, EmitWholeRunAddress(x, {}, by_runtime));
    x.region.a.jmp(done);
    x.region.a.bind(by_runtime);
    EmitRunByRuntime(x, done);
  });
}

}  // namespace gcnjit::backend
