// Loads and stores of the indexed form: what is known of one before its code is emitted, and its
// operands, in registers that stay as they are until it is done; so code out of line has them, too.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "backend_x64/emit/contiguous_accesses.h"
#include "backend_x64/emit/part_access.h"
#include "backend_x64/emit/prefetch.h"

namespace gcnjit::backend {

// What is known of the lanes' index, and where it is.
struct LaneIndex {
  AddressShape shape = {};
  bool is_zero = false;
  bool is_loaded = false;              // a lane's has been loaded from memory
  int reg[4] = {};                     // by part
  x86::Mem first_lane[4] = {};         // by part: where that is, if it is in the wave's state
  std::optional<LateIndex> late = {};  // instead of both: all parts are a run, or each row is
};

// The scalar that the index is added to, and a constant.
struct IndexedBase {
  x86::Mem memory = {};  // 8 bytes
  int32_t imm = 0;

  x86::Mem Whole() const { return Bytes(0, 8); }
  x86::Mem Low() const { return Bytes(0, 4); }
  x86::Mem High() const { return Bytes(4, 4); }

 private:
  x86::Mem Bytes(int offset, uint32_t size) const {
    x86::Mem bytes = memory.cloneAdjusted(offset);
    bytes.setSize(size);
    return bytes;
  }
};

// The parts of a slice that the access makes at once.
struct IndexedParts {
  int first = 0;  // in the slice
  int count = 1;
  PartAccess of[4] = {};  // no addresses: they are made of index and base

  const PartAccess& operator[](int n) const { return of[n]; }
  PartAccess& operator[](int n) { return of[n]; }
  // A part's number in the slice.
  int Number(int n) const { return first + n; }
};

// What is ahead of an access, to be asked for with it.
struct IndexedLookahead {
  Lookahead lookahead = {};
  LookaheadMemory memory = {};
};

// How all parts may be moved, if they are one run.
struct RunMoves {
  bool may_go_past_caches = false;
  std::optional<ContiguousAccesses::ShiftedLoad> shifted = {};
};

// What every instruction set wants to know of an access.
struct IndexedOperands {
  RegionAssembler& region;
  ir::MemoryAccess access;
  SiteId site;
  bool is_store = false;
  int overlap = 0;         // OverlapStep
  bool is_joined = false;  // joined_dwords.h
  LaneIndex index = {};
  IndexedBase base = {};
  IndexedParts parts = {};
  std::optional<IndexedLookahead> ahead = {};
  RunMoves moves = {};

  // rdx: RegionTables::windows.
  x86::Mem Window(size_t offset, uint32_t size) const {
    return x86::ptr(x86::rdx, static_cast<int32_t>(site.index * sizeof(MemoryWindow) + offset),
                    size);
  }
  // Between the indices, and the addresses, of neighbouring lanes of a run.
  uint32_t Step() const {
    return overlap != 0 ? static_cast<uint32_t>(overlap) >> access.index_shift : access.IndexStep();
  }
  int StepBytes() const { return overlap != 0 ? overlap : access.bytes; }
  // Have all lanes of the part one address? Stores of more than a dword make no use of it.
  bool IsUniform(int n) const {
    return index.shape.IsUniform(parts.Number(n)) && (!is_store || access.Dwords() == 1);
  }
  // Can the parts be one run, as far as is known?
  bool MayBeRun(int first, int count) const {
    return Step() != 0 &&
           (!index.shape.is_known ||
            index.shape.IsRun(parts.Number(first), count, static_cast<int32_t>(Step())));
  }
  // A load of several parts: can all their lanes have one index, as far as is known?
  bool MayBeAlike() const {
    return !is_store && parts.count > 1 && !index.shape.is_known && !index.late;
  }
  // Are they, for certain?
  bool IsRun(int first, int count) const { return index.shape.is_known && MayBeRun(first, count); }
};

// Asks for what is ahead of the `bytes` of a run that begins there, if anything is. Changes rcx.
void EmitLookahead(const IndexedOperands& x, const x86::Mem& begin, int bytes);

}  // namespace gcnjit::backend
