// A load or store of the indexed form, with what this instruction set wants to know of it.
#pragma once

#include "backend_x64/emit/indexed_access.h"
#include "backend_x64/isa/avx512/slow_path.h"

namespace gcnjit::backend::avx512 {

// Registers that have what the address of each run takes.
struct BaseRegisters {
  x86::Gp base;   // with `imm`, counted from the window's begin
  x86::Gp begin;  // the window's
  x86::Gp end;    // the window's for runs; 0 if the base is far from the window
};

// A part's lanes as two halves.
struct LaneHalves {
  AddressShape shape = {};  // of the index
  int overlap = 0;          // OverlapStep
};

struct IndexedAccess : IndexedOperands {
  static constexpr int kPartLanes = kLanes;

  LaneHalves halves = {};
  std::optional<BaseRegisters> registers = {};  // none: it is in memory
};

}  // namespace gcnjit::backend::avx512
