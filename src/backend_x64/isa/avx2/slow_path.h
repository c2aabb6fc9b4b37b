// Accesses that compiled code hands over to the runtime.
#pragma once

#include "backend_x64/emit/part_access.h"
#include "backend_x64/emit/slow_path.h"
#include "backend_x64/isa/avx2/registers.h"

namespace gcnjit::backend::avx2 {

// Out of line: from `slow` to `done`, or to `abort` after a fault. Addresses that are in no
// register are in AccessTransfer::access already.
void EmitSlow(RegionAssembler& region, const PartAccess& s);
// All of a run's parts, out of line; of the parts' labels, the first one's `done` and `abort` are
// used. eax: the first lane's index. Changes rcx.
void EmitSlowRun(RegionAssembler& region, const PartAccess* parts, int count, const x86::Mem& base,
                 bool is_joined);
// A store to a run of which not all lanes are active: from `partial` to `done`.
void EmitPartial(RegionAssembler& region, const PartAccess& s);
// The bits of an access's lanes.
void EmitMaskBits(x86::Assembler& a, const x86::Gp& to, int mask);
// On to `missing` unless the register `lanes` has all of an access's. Changes `scratch`.
void EmitAllCheck(x86::Assembler& a, int lanes, int mask, const x86::Gp& scratch,
                  const asmjit::Label& missing);
// Scratch 0: the lanes' addresses modulo 2^32.
void AddressesToScratch(RegionAssembler& region, const PartAccess& s);

}  // namespace gcnjit::backend::avx2
