// Loads and stores of the indexed form: what is known of one before its code is emitted, and the
// order in which a slice's lanes are tried as one run, the same for every instruction set.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/fault_table.h"
#include "backend_x64/emit/gpr.h"
#include "backend_x64/emit/prefetch.h"
#include "backend_x64/emit/window_check.h"

namespace gcnjit::backend {

struct IndexedOperands {
  RegionAssembler& region;
  ir::MemoryAccess access;
  bool is_store = false;
  int overlap = 0;  // OverlapStep
  std::optional<Lookahead> lookahead = {};
  LookaheadMemory lookahead_memory = {};
  int first_part = 0;  // in the slice
  int parts = 1;
  AddressShape shape = {};  // of the index
  bool has_index = true;    // false: it is 0
  int32_t imm = 0;
  x86::Mem base = {};  // 8 bytes
  uint32_t window = 0;
  std::optional<PlaceInPlane> in_plane = {};
  uint32_t last_index = 0;       // others' indices are up to so much above
  bool may_be_two_runs = false;  // MayBeTwoRuns, and no lane's index was loaded

  x86::Mem Base(int byte_offset, uint32_t size) const {
    x86::Mem memory = base;
    memory.addOffset(byte_offset);
    memory.setSize(size);
    return memory;
  }
  x86::Mem WholeBase() const { return Base(0, 8); }
  // rdx: RegionTables::windows.
  x86::Mem Window(size_t offset, uint32_t size) const {
    return x86::ptr(x86::rdx, static_cast<int32_t>(window * sizeof(MemoryWindow) + offset), size);
  }

  // Between the indices, and the addresses, of neighbouring lanes of a run.
  uint32_t Step() const {
    return overlap != 0 ? static_cast<uint32_t>(overlap) >> access.index_shift : access.IndexStep();
  }
  int StepBytes() const { return overlap != 0 ? overlap : access.bytes; }
  // A part's number in the slice.
  int Number(int n) const { return first_part + n; }
  // Can the parts be one run, as far as is known?
  bool MayBeRun(int first, int count) const {
    return Step() != 0 &&
           (!shape.is_known || shape.IsRun(Number(first), count, static_cast<int32_t>(Step())));
  }
  // Are they, for certain?
  bool IsRun(int first, int count) const { return shape.is_known && MayBeRun(first, count); }
};

// All parts of an access as one run. `run`: the register for its address that it shares. `Access`
// is IndexedOperands with these leaves:
//   UseRunAt(gpr, distance)        the run is there, which has been looked at
//   EmitWholeRunAddress(run, fail) finds it, and looks whether it is within the window
//   EmitWholeRun()                 the moves
//   EmitParts(done)                out of line, if it is no such run: part by part
//   EmitRunByRuntime(done)         out of line, if it is one for certain
template <typename Access>
void EmitRunOfAllParts(BlockParts& b, ir::Value v, AccessGuard& guard, Access x,
                       const RunAddress& run) {
  x86::Assembler& a = b.region.a;
  const asmjit::Label each_part = a.newLabel();
  const asmjit::Label done = a.newLabel();
  const Access apart = x;
  if (run.from) {
    const x86::Gp from = Gp(*run.from, true);
    if (run.is_checked) {
      guard.ResumeAt(each_part);
      a.test(from, from);
      a.jz(each_part);
      x.UseRunAt(from, run.distance);
    } else {
      a.lea(x86::rax, x86::ptr(from, run.distance));
      EmitWindowCheck(a, x.window, x.parts * b.block.lanes > kMaxPartLanes, run.lowest, run.highest,
                      each_part);
    }
  } else if (!b.accesses.wave_runs.Use(v, guard, each_part)) {
    x.EmitWholeRunAddress(run, each_part);
  }
  if (run.to) a.mov(Gp(*run.to, true), x86::rax);
  const int bytes = x.parts * b.block.lanes * x.StepBytes();
  if (!x.is_store && x.lookahead && b.accesses.prefetcher.PutOff(*x.lookahead, run, bytes)) {
    x.lookahead.reset();
  }
  x.EmitWholeRun();
  a.bind(done);
  b.region.cold.push_back([x = apart, each_part, done, known = run.KnownIn()] {
    x.region.a.bind(each_part);
    if (known) x.region.a.mov(Gp(*known, false), 0);
    if (x.IsRun(0, x.parts) && x.overlap == 0) return x.EmitRunByRuntime(done);
    x.EmitParts(done);
    x.region.a.jmp(done);
  });
}

// Likewise of a run of which it is known whether it is within the window.
template <typename Access>
void EmitRunInPlane(BlockParts& b, AccessGuard& guard, Access x) {
  x86::Assembler& a = b.region.a;
  const asmjit::Label outside = a.newLabel();
  const asmjit::Label done = a.newLabel();
  Access apart = x;
  guard.ResumeAt(outside);
  x.in_plane->EmitAddress(a, *x.late, x.first_part * b.block.lanes, outside);
  const int bytes = x.parts * b.block.lanes * x.StepBytes();
  if (!x.is_store && x.lookahead && b.accesses.prefetcher.PutOff(*x.lookahead, {}, bytes)) {
    x.lookahead.reset();
  }
  x.EmitWholeRun();
  a.bind(done);
  b.region.cold.push_back([x = apart, outside, done]() mutable {
    const asmjit::Label by_runtime = x.region.a.newLabel();
    x.region.a.bind(outside);
    x.EmitWholeRunAddress({}, by_runtime);
    x.EmitWholeRun();
    x.region.a.jmp(done);
    x.region.a.bind(by_runtime);
    x.EmitRunByRuntime(done);
  });
}

}  // namespace gcnjit::backend
