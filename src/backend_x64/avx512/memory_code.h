// The code of a memory access of one part, in registers that stay as they are until it is done.
// Used in line and out of line, so that it knows registers only.
#pragma once

#include "backend_x64/avx512/lanes.h"

namespace gcnjit::backend::avx512 {

struct PartAccess {
  const MemorySite* site = nullptr;
  // Registers; -1: none. low, high: addresses.
  int low = -1;
  int high = -1;
  int mask = -1;
  int data[4] = {-1, -1, -1, -1};
  int result[4] = {-1, -1, -1, -1};
  uint32_t window = 0;
  int part = 0;
  bool environment = false;  // MXCSR is not the block's
  // Where the runtime is called; where the access has been done; where to go if the slice is given
  // up.
  asmjit::Label entry, done, abort;
};

// A call of the runtime, at s.entry; goes on to s.done.
void EmitSlowAccess(RegionShared& shared, const PartAccess& s);
// The lanes one by one if all are in the window; else on to s.entry. Uses scratch register
// `offsets`; low and high are kept as far as s.entry is concerned.
void EmitGatherOrScatter(RegionShared& shared, const PartAccess& s, const ir::MemoryAccess& access,
                         int32_t imm, bool is_store, int offsets);
// 16 consecutive elements at [rax]. Change scratch 0 and 1.
void EmitLoadRun(RegionShared& shared, const ir::MemoryAccess& access, int mask,
                 const int (&result)[4]);
void EmitStoreRun(RegionShared& shared, const ir::MemoryAccess& access, int mask,
                  const int (&data)[4]);
// Asks for what the next waves will probably access: the `bytes` some way behind [rax].
void EmitPrefetch(x86::Assembler& a, int bytes, bool is_store);
// A dword of which the access means the first bytes.
void EmitNarrow(x86::Assembler& a, const ir::MemoryAccess& access, int reg);

}  // namespace gcnjit::backend::avx512
