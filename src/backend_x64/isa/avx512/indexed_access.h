// Code for loads and stores of the indexed form (indexed.cpp, rows.cpp, half_runs.cpp,
// two_runs.cpp, permutation_cache.cpp).
#pragma once

#include <optional>

#include "backend_x64/emit/indexed_access.h"
#include "backend_x64/isa/avx512/slow_path.h"

namespace gcnjit::backend::avx512 {

// Code for one access, in registers that stay as they are until it is done; also used out of line.
struct IndexedAccess : IndexedOperands {
  int halves_overlap = 0;    // of two runs
  AddressShape halves = {};  // of the index, where a part is two halves
  // Where each part needs them: the base with `imm`, counted from the window's begin; that begin;
  // and the end for runs, 0 if the base is far from the window. -1: in memory.
  int base_gpr = -1;
  int window_gpr = -1;
  int end_gpr = -1;
  int index[4] = {};
  x86::Mem first_lane[4] = {};         // of the index, if it is in the wave's state
  std::optional<LateIndex> late = {};  // instead of both: all parts are a run, or each row is
  // Others are so many bytes before and after it.
  int32_t lowest = 0;
  int32_t highest = 0;
  // The run's address where another access has left it, and so many bytes. -1: rax.
  int run_gpr = -1;
  int32_t run_distance = 0;
  PartAccess part[4] = {};  // low and high are not set
  // Where the whole wave is one run, these registers have what is so many lanes away from what a
  // part loads. 0: there are none.
  int shift = 0;
  int shift_from[4] = {};
  bool may_go_past_caches = false;

  // Does EmitRunAddress count from the window's begin? AccessCode has an index register of its own
  // for 12 bytes.
  bool IsRelative() const { return base_gpr >= 0 && !lookahead && access.bytes != 12; }
  // Of the run whose address that has made.
  x86::Mem At(int offset) const {
    if (run_gpr >= 0) {
      return x86::ptr(x86::gpq(static_cast<uint32_t>(run_gpr)), run_distance + offset);
    }
    if (!IsRelative()) return x86::ptr(x86::rax, offset);
    return x86::ptr(x86::rax, x86::gpq(static_cast<uint32_t>(window_gpr)), 0, offset);
  }

  // half_runs.cpp: what each half of a part is for certain, where the whole is neither: in rows of
  // 8 lanes, each of which has a base of its own.
  bool IsTwoRuns(int n) const;
  int32_t StepOfHalves() const;
  bool IsTwoElements(int n) const;
  bool IsHalves(int n) const { return IsTwoRuns(n) || IsTwoElements(n); }
  void EmitHalves(int n, const asmjit::Label& fail) const;
  // two_runs.cpp
  bool MayBeTwoRuns() const { return !shape.is_known && !halves.is_known && StepOfTwoRuns() != 0; }
  int32_t StepOfTwoRuns() const;
  void EmitTwoRuns(int n, const asmjit::Label& fail) const;
  // For runs of `count` parts.
  void LoadRegisters(int count) const;
  void EmitFirstIndex(int part) const;
  void EmitRun(int first, int count, const asmjit::Label& fail) const;
  void EmitRunIndex(int first, int count, const asmjit::Label& fail) const;
  void EmitRunAddress(bool is_wide, const asmjit::Label& fail) const;
  void EmitMoves(int first, int count) const;
  // EmitRunOfAllParts's.
  void UseRunAt(const x86::Gp& gpr, int32_t distance) {
    run_gpr = static_cast<int>(gpr.id());
    run_distance = distance;
  }
  void EmitWholeRunAddress(const RunAddress& run, const asmjit::Label& fail);
  void EmitWholeRun() const;
  void EmitParts(const asmjit::Label& done) const;
  // rows.cpp
  void EmitRowsInPlane(AccessGuard& guard) const;
  void EmitRow(int first, int count, const asmjit::Label& fail) const;
  // `step`: a register for what lies between rows.
  void EmitRows(std::optional<int> step) const;
  void EmitRowLanes(int first, int count) const;
  void EmitShifted() const;
  void EmitPastCaches() const;
  void EmitPart(int n, bool in_line) const;
  bool MayBeScattered(int n) const;
  void EmitOtherwise(int n, const asmjit::Label& entry) const;
  bool MayBeUniform() const { return !is_store || access.Dwords() == 1; }
  void EmitUniform(int n, const asmjit::Label& different) const;
  bool MayBeNear() const {
    return !is_store && !shape.is_known && access.bytes == 4 && access.index_shift == 2;
  }
  void EmitNear(int n, const asmjit::Label& fail) const;
  void EmitExtension(int last, const asmjit::Label& fail) const;
  // permutation_cache.cpp: of whole waves without masks. All lanes, then on to `done`, if they lie
  // as they did when they were looked at.
  bool MayLearn() const;
  void EmitLearned(const asmjit::Label& done) const;
  void EmitLearnedMoves() const;
  void EmitLanes(int n) const;
  void EmitStreams() const;
  // overlapping.cpp: one part whose elements lie `step` bytes apart (SpacedStep).
  void EmitSpaced(int n, int step, const asmjit::Label& fail) const;
  void EmitRunByRuntime(const asmjit::Label& done) const;
};

}  // namespace gcnjit::backend::avx512
