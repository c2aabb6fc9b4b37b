// Code for loads and stores of the indexed form (indexed.cpp, rows.cpp, indexed_lanes.cpp,
// two_runs.cpp).
#pragma once

#include <optional>

#include "backend_x64/emit/indexed_access.h"
#include "backend_x64/isa/avx2/slow_path.h"

namespace gcnjit::backend::avx2 {

// Code for one access, in registers that stay as they are until it is done; also used out of line.
struct IndexedAccess : IndexedOperands {
  struct Part {
    int number = 0;  // in the slice
    int index = -1;
    int mask = -1;
    int last_lane = -1;  // of the active ones; -1: it is not known
    int data[4] = {-1, -1, -1, -1};
    int result[4] = {-1, -1, -1, -1};
    std::optional<StreamBuffer> stream = {};
  };

  SiteId site = {};
  bool environment = false;  // MXCSR is not the block's
  asmjit::Label abort = {};
  bool may_go_past_caches = false;
  // Instead of each part's index: all are a run, or each row is.
  std::optional<LateIndex> late = {};
  Part part[4] = {};

  void EmitRun(int first, int count, const asmjit::Label& fail) const;
  void EmitFirstIndex(int n) const;
  void EmitRunAddress(int first, int count, const asmjit::Label& fail) const;
  void EmitAddressOf(int last, const asmjit::Label& fail) const;
  void EmitWindowCheck(int count, const asmjit::Label& fail, int32_t lowest, int32_t highest) const;
  void EmitMoves(int first, int count) const;
  // EmitRunOfAllParts's.
  void UseRunAt(const x86::Gp& gpr, int32_t distance) const {
    region.a.lea(x86::rax, x86::ptr(gpr, distance));
  }
  void EmitWholeRunAddress(const RunAddress& run, const asmjit::Label& fail);
  void EmitWholeRun() const { may_go_past_caches ? EmitPastCaches() : EmitMoves(0, parts); }
  void EmitParts(const asmjit::Label& done) const;
  // rows.cpp
  void EmitRowsInPlane(AccessGuard& guard) const;
  void EmitRow(int first, int count, const asmjit::Label& fail) const;
  // `step`: a register for what lies between rows.
  void EmitRows(std::optional<int> step) const;
  void EmitRowLanes(int first, int count, const asmjit::Label& done) const;
  void EmitPastCaches() const;
  void EmitPart(int n, bool in_line) const;
  void EmitStreams() const;
  // overlapping.cpp: one part whose elements lie `step` bytes apart (SpacedStep).
  void EmitSpaced(int n, int step, const asmjit::Label& fail) const;
  // two_runs.cpp
  bool MayBeTwoRuns() const { return !shape.is_known && StepOfTwoRuns() != 0; }
  int32_t StepOfTwoRuns() const;
  void EmitTwoRuns(int n, const asmjit::Label& fail) const;
  // indexed_lanes.cpp
  bool IsUniform(int n) const {
    return shape.IsUniform(Number(n)) && (!is_store || access.Dwords() == 1);
  }
  void EmitUniform(const Part& p, const asmjit::Label& fail, const asmjit::Label& done) const;
  bool MayBeNear(int n) const;
  // The last of the dwords that near lanes may be.
  int LastNear() const { return (is_store ? 8 : 2) * kLanes - 1; }
  void EmitNearOffsets(int n, const asmjit::Label& fail) const;
  void EmitNearLoad(int n, const asmjit::Label& fail) const;
  void EmitNearStore(int n, const asmjit::Label& fail) const;
  void EmitNear(int n, const asmjit::Label& fail) const;
  void EmitOtherwise(int n, const asmjit::Label& entry, const asmjit::Label& scattered,
                     const asmjit::Label& done) const;
  bool MayBeScattered(int n) const;
  void EmitAddresses(const Part& p) const;
  void EmitOffsets(const Part& p, const asmjit::Label& fail) const;
  void EmitStream(const Part& p, const asmjit::Label& done, const asmjit::Label& fail) const;
  void EmitScattered(const Part& p, const asmjit::Label& done) const;
  void EmitRunByRuntime(const asmjit::Label& done) const;
  PartAccess OperandsOf(const Part& p, const asmjit::Label& done) const;
};

}  // namespace gcnjit::backend::avx2
