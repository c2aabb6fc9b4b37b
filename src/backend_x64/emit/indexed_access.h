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

struct IndexedOperands {
  RegionAssembler& region;
  ir::MemoryAccess access;
  SiteId site;
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
  int index[4] = {};
  std::optional<LateIndex> late = {};  // instead of it: all parts are a run, or each row is
  bool has_loaded_index = false;       // a lane's index has been loaded
  bool may_go_past_caches = false;
  PartAccess part[4] = {};  // low and high are not set

  x86::Mem Base(int byte_offset, uint32_t size) const {
    x86::Mem memory = base;
    memory.addOffset(byte_offset);
    memory.setSize(size);
    return memory;
  }
  x86::Mem WholeBase() const { return Base(0, 8); }
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
  // Is it of a part whose lanes have one address? Of a store of more than a dword it does not
  // count.
  bool IsUniform(int n) const {
    return shape.IsUniform(Number(n)) && (!is_store || access.Dwords() == 1);
  }
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

}  // namespace gcnjit::backend
