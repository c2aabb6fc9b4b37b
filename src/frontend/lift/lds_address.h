// How DS instructions address LDS.
//
// Sources: CLRX GcnInstrsDs.md (M0 limits accesses before gfx9; the low address bits are ignored
// there); LLVM SIISelLowering ("SI has a hardware bug in the LDS / GDS bounds checking": on gfx6 a
// negative base is out of range whatever the offset).
#pragma once

#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

struct LdsAddress {
  Value address;
  Value mask;
  Value limit;
  int64_t imm = 0;
};

// Accesses of `bytes` at VGPR `vaddr` plus `offset`.
LdsAddress LdsAddressOf(Lifter& l, int vaddr, uint32_t offset, uint32_t bytes);

// GDS belongs to the interpreter. False after refusing.
bool IsLds(Lifter& l, const Instruction& i);

}  // namespace gcnjit::frontend
