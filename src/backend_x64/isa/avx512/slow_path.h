// Accesses that compiled code hands over to the runtime.
#pragma once

#include "backend_x64/emit/lds_limit.h"
#include "backend_x64/emit/part_access.h"
#include "backend_x64/emit/slow_path.h"
#include "backend_x64/isa/avx512/registers.h"

namespace gcnjit::backend::avx512 {

// Out of line: from `slow` to `done`, or to `abort` after a fault.
void EmitSlow(RegionAssembler& region, const PartAccess& s);

// All of a run's parts, out of line; of the parts' labels, the first one's `done` and `abort` are
// used. eax: the first lane's index. Changes rcx.
void EmitSlowRun(RegionAssembler& region, const PartAccess* parts, int count, const x86::Mem& base,
                 bool is_joined);

// ---- Guest memory, in line or out of line (global.cpp)

// rax: an address; on to `slow` unless one lane may access there. Changes rcx and rdx.
void EmitLaneCheck(x86::Assembler& c, const PartAccess& s);
// A store of one dword, or less, to rax, where all lanes do: what remains is the last active
// lane's. Checks the address; goes on to `done` if no lane is active.
void EmitLastLane(RegionAssembler& region, const PartAccess& s);
// Addresses in any order: a gather or scatter if they are in the window, then on to `done`; else to
// `slow`, with low and high as they were. Changes scratch register `offsets`, and then, if they are
// in the window, all of them.
void EmitScattered(RegionAssembler& region, const PartAccess& s, int offsets);

// ---- LDS, out of line (lds.cpp)

// An access that is not a simple one; the limit has yet to be looked up.
void EmitScatteredLds(RegionAssembler& region, const PartAccess& s, const LdsLimit& limit);

inline x86::Mem LdsBegin() { return x86::ptr(x86::r12, offsetof(RegionContext, lds.begin)); }

}  // namespace gcnjit::backend::avx512
