// Accesses that compiled code hands over to the runtime.
#pragma once

#include <optional>

#include "backend_x64/emit/slow_path.h"
#include "backend_x64/isa/avx512/lanes.h"

namespace gcnjit::backend::avx512 {

// What a call of the runtime needs.
struct SlowAccess {
  const MemorySite* site = nullptr;
  int low = -1;  // registers
  int high = -1;
  std::optional<x86::Mem> pointer = {};  // instead of these: all lanes' address
  int mask = -1;                         // -1: all lanes
  int last_lane = -1;                    // of the active ones; -1: it is not known
  int data[4] = {-1, -1, -1, -1};
  int result[4] = {-1, -1, -1, -1};
  uint32_t window = 0;
  int part = 0;
  bool environment = false;  // MXCSR is not the block's
  asmjit::Label entry, done, abort;
};

// Out of line: from `entry` to `done`, or to `abort` after a fault.
void EmitSlow(RegionShared& shared, const SlowAccess& s);

// All of a run's parts, out of line; of the parts' labels, the first one's `done` and `abort` are
// used. eax: the first lane's index. Changes rcx.
void EmitSlowRun(RegionShared& shared, const SlowAccess* parts, int count,
                 const ir::MemoryAccess& access, const x86::Mem& base);

// ---- Guest memory, in line or out of line (global.cpp)

// rax: an address; on to s.entry unless one lane may access there. Changes rcx and rdx.
void EmitLaneCheck(x86::Assembler& c, const SlowAccess& s);
// A store of one dword, or less, to rax, where all lanes do: what remains is the last active
// lane's. Checks the address; goes on to s.done if no lane is active.
void EmitLastLane(RegionShared& shared, const SlowAccess& s, const ir::MemoryAccess& access);
// Addresses in any order: a gather or scatter if they are in the window, then on to s.done; else to
// s.entry, with low and high as they were. Changes scratch register `offsets`, and then, if they
// are in the window, all of them.
void EmitScattered(RegionShared& shared, const SlowAccess& s, const ir::MemoryAccess& access,
                   bool is_store, int32_t imm, int offsets);

// ---- LDS, out of line (lds.cpp)

// An access that is not a simple one; the limit has yet to be looked up.
void EmitScatteredLds(RegionShared& shared, const SlowAccess& s, const ir::MemoryAccess& access,
                      bool is_store, int32_t imm, const LdsLimit& limit);

inline x86::Mem LdsBegin() { return x86::ptr(x86::r12, offsetof(RegionContext, lds)); }

}  // namespace gcnjit::backend::avx512
