// Code for loads and stores of the indexed form (indexed.cpp, half_runs.cpp, two_runs.cpp,
// permutation_cache.cpp).
#pragma once

#include <optional>

#include "backend_x64/emit/contiguous_accesses.h"
#include "backend_x64/emit/prefetch.h"
#include "backend_x64/isa/avx512/slow_path.h"

namespace gcnjit::backend::avx512 {

// Code for one access, in registers that stay as they are until it is done; also used out of line.
struct IndexedAccess {
  RegionAssembler& region;
  ir::MemoryAccess access;
  bool is_store = false;
  int overlap = 0;         // OverlapStep
  int halves_overlap = 0;  // of two runs
  std::optional<Lookahead> lookahead = {};
  LookaheadMemory lookahead_memory = {};
  int parts = 1;
  AddressShape shape = {};   // of the index
  AddressShape halves = {};  // of the same, where a part is two halves
  bool has_index = true;     // false: it is 0
  int32_t imm = 0;
  x86::Mem base = {};  // 8 bytes
  uint32_t window = 0;
  // Where each part needs them: the base with `imm`, counted from the window's begin; that begin;
  // and the end for runs, 0 if the base is far from the window. -1: in memory.
  int base_gpr = -1;
  int window_gpr = -1;
  int end_gpr = -1;
  int index[4] = {};
  x86::Mem first_lane[4] = {};         // of the index, if it is in the wave's state
  std::optional<LateIndex> late = {};  // instead of both: all parts are a run
  // Others' indices are up to so much above, and they are so many bytes before and behind.
  uint32_t last_index = 0;
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
  bool may_be_two_runs = false;  // MayBeTwoRuns, and no lane's index was loaded

  x86::Mem Base(int byte_offset) const {
    x86::Mem memory = base;
    memory.addOffset(byte_offset);
    memory.setSize(4);
    return memory;
  }
  x86::Mem WholeBase() const {
    x86::Mem memory = base;
    memory.setSize(8);
    return memory;
  }
  x86::Mem Window(size_t offset, uint32_t size) const {
    return x86::ptr(x86::rdx, static_cast<int32_t>(window * sizeof(MemoryWindow) + offset), size);
  }

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

  // Between the indices, and the addresses, of neighbouring lanes of a run.
  uint32_t Step() const {
    return overlap != 0 ? static_cast<uint32_t>(overlap) >> access.index_shift : access.IndexStep();
  }
  int StepBytes() const { return overlap != 0 ? overlap : access.bytes; }
  // Can the parts be one run, as far as is known?
  bool MayBeRun(int first, int count) const {
    return Step() != 0 &&
           (!shape.is_known || shape.IsRun(first, count, static_cast<int32_t>(Step())));
  }
  // Are they, for certain?
  bool IsRun(int first, int count) const { return shape.is_known && MayBeRun(first, count); }
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
  void LoadRegisters() const;
  void EmitFirstIndex(int part) const;
  void EmitRun(int first, int count, const asmjit::Label& fail) const;
  void EmitRunIndex(int first, int count, const asmjit::Label& fail) const;
  void EmitRunAddress(bool is_wide, const asmjit::Label& fail) const;
  void EmitMoves(int first, int count) const;
  void EmitShifted() const;
  void EmitPastCaches() const;
  void EmitPart(int n, bool in_line) const;
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
  void EmitRunByRuntime(const asmjit::Label& done) const;
};

}  // namespace gcnjit::backend::avx512
