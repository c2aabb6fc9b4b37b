// Accesses that compiled code hands over to the runtime.
#pragma once

#include <optional>

#include "backend_x64/emit/slow_path.h"
#include "backend_x64/isa/avx2/lanes.h"

namespace gcnjit::backend::avx2 {

// The operands of an access, in registers, and where its code continues.
struct Operands {
  const MemorySite* site = nullptr;
  ir::MemoryAccess access;
  bool is_store = false;
  int32_t imm = 0;
  int low = -1;
  int high = -1;
  std::optional<x86::Mem> pointer = {};  // instead of these: all lanes' address
  int mask = -1;                         // -1: all lanes
  int data[4] = {-1, -1, -1, -1};
  int result[4] = {-1, -1, -1, -1};
  uint32_t window = 0;
  int part = 0;
  bool environment = false;  // MXCSR is not the block's
  asmjit::Label slow, scattered, partial, done, abort;
};

// Out of line: from `slow` to `done`, or to `abort` after a fault. Addresses that are in no
// register are in RegionContext::access already.
void EmitSlow(RegionShared& shared, const Operands& s);
// All of a run's parts, out of line; of the parts' labels, the first one's `done` and `abort` are
// used. eax: the first lane's index. Changes rcx.
void EmitSlowRun(RegionShared& shared, const Operands* parts, int count, const x86::Mem& base);
// A store to a run of which not all lanes are active: from `partial` to `done`.
void EmitPartial(RegionShared& shared, const Operands& s);
// The bits of an access's lanes.
void EmitMaskBits(x86::Assembler& a, const x86::Gp& to, int mask);
// On to `missing` unless the register `lanes` has all of an access's. Changes `scratch`.
void EmitAllCheck(x86::Assembler& a, int lanes, int mask, const x86::Gp& scratch,
                  const asmjit::Label& missing);
// Scratch 0: the lanes' addresses modulo 2^32.
void AddressesToScratch(RegionShared& shared, const Operands& s);

}  // namespace gcnjit::backend::avx2
