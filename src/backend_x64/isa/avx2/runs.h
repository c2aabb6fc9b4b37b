// Accesses of the indexed form whose lanes are a run of consecutive elements: index, address,
// moves.
#pragma once

#include "backend_x64/isa/avx2/indexed_access.h"

namespace gcnjit::backend::avx2 {

// eax: the part's first index.
void EmitFirstIndex(const IndexedAccess& x, int n);
// rax: the address of the index in eax, from which others are up to `last` away.
void EmitAddressOf(const IndexedAccess& x, int last, const asmjit::Label& fail);
// rax: where the run of `count` parts from part `first` on begins. On to `fail` unless their
// indices are consecutive; others' are up to `last_index` above them.
void EmitRunAddress(const IndexedAccess& x, int first, int count, uint32_t last_index,
                    const asmjit::Label& fail);
// Are the run at rax, and others from `lowest` to `highest` bytes after it, within the window?
void EmitRunWindowCheck(const IndexedAccess& x, int count, const asmjit::Label& fail,
                        int32_t lowest = 0, int32_t highest = 0);
// The moves of `count` parts from part `first` on, whose run begins at rax.
void EmitMoves(const IndexedAccess& x, int first, int count);
// All of it.
void EmitRun(const IndexedAccess& x, int first, int count, const asmjit::Label& fail);

}  // namespace gcnjit::backend::avx2
