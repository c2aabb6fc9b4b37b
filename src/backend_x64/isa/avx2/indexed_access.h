// Code for loads and stores of the indexed form (indexed.cpp, indexed_lanes.cpp,
// two_runs.cpp).
#pragma once

#include <optional>

#include "backend_x64/emit/contiguous_accesses.h"
#include "backend_x64/emit/prefetch.h"
#include "backend_x64/isa/avx2/slow_path.h"

namespace gcnjit::backend::avx2 {

// Code for one access, in registers that stay as they are until it is done; also used out of line.
struct IndexedAccess {
  struct Part {
    int number = 0;  // in the slice
    int index = -1;
    int mask = -1;
    int last_lane = -1;  // of the active ones; -1: it is not known
    int data[4] = {-1, -1, -1, -1};
    int result[4] = {-1, -1, -1, -1};
    std::optional<StreamBuffer> stream = {};
  };

  RegionAssembler& region;
  SiteId site = {};
  ir::MemoryAccess access;
  bool is_store = false;
  int overlap = 0;  // OverlapStep
  std::optional<Lookahead> lookahead = {};
  LookaheadMemory lookahead_memory = {};
  int first_part = 0;
  int parts = 1;
  AddressShape shape = {};  // of the index
  bool has_index = true;    // false: it is 0
  int32_t imm = 0;
  uint32_t last_index = 0;  // others' indices are up to so much above
  x86::Mem base = {};       // 8 bytes
  uint32_t window = 0;
  bool environment = false;  // MXCSR is not the block's
  asmjit::Label abort = {};
  bool may_be_two_runs = false;  // MayBeTwoRuns, and no lane's index was loaded
  Part part[4] = {};

  x86::Mem Base(int byte_offset, uint32_t size) const {
    x86::Mem memory = base;
    memory.addOffset(byte_offset);
    memory.setSize(size);
    return memory;
  }
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
  void EmitRun(int first, int count, const asmjit::Label& fail) const;
  void EmitRunAddress(int first, int count, const asmjit::Label& fail) const;
  void EmitAddressOf(int last, const asmjit::Label& fail) const;
  void EmitWindowCheck(int count, const asmjit::Label& fail, int32_t lowest, int32_t highest) const;
  void EmitMoves(int first, int count) const;
  void EmitPastCaches() const;
  void EmitPart(int n, bool in_line) const;
  void EmitStreams() const;
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
  void EmitOtherwise(int n, const asmjit::Label& entry, const asmjit::Label& done) const;
  void EmitAddresses(const Part& p) const;
  void EmitScattered(const Part& p, const asmjit::Label& done) const;
  void EmitRunByRuntime(const asmjit::Label& done) const;
  PartAccess OperandsOf(const Part& p, const asmjit::Label& done) const;
};

}  // namespace gcnjit::backend::avx2
