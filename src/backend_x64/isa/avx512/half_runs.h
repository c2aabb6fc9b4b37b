// Accesses of work-groups with rows of 8 lanes: a register has two rows, whose addresses have
// nothing to do with each other.
#pragma once

#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

// Is each half of the part for certain a run, or of a load one element, and the whole neither?
bool IsHalves(const IndexedAccess& x, int n);
void EmitHalves(const IndexedAccess& x, int n, const asmjit::Label& fail);

}  // namespace gcnjit::backend::avx512
