// Accesses of the indexed form whose lanes are a run of consecutive elements: index, address,
// moves.
#pragma once

#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

// Makes the registers of the base (IndexedAccess::registers), for runs of `count` parts.
void LoadBase(const IndexedAccess& x, int count);
// eax: the part's first index.
void EmitFirstIndex(const IndexedAccess& x, int n);
// rax: the first index of `count` parts from part `first` on, extended. On to `fail` unless their
// indices are consecutive; others' are up to `last_index` above them.
void EmitRunIndex(const IndexedAccess& x, int first, int count, uint32_t last_index,
                  const asmjit::Label& fail);
// Extends the index in eax, from which the access's others are up to `last` away modulo 2^32;
// extended, the last one must not have wrapped around. That shows in the first one's address where
// the base is not far: it is beyond every window, they have less than 2^31 bytes.
void EmitExtension(const IndexedAccess& x, int last, const asmjit::Label& fail);
// rax: the index, extended. Gives where the run begins: rax, and maybe a register that is added.
// Both it and others from `lowest` to `highest` bytes after it are within the window. Changes rcx,
// rdx.
x86::Mem EmitRunAddress(const IndexedAccess& x, bool is_wide, const asmjit::Label& fail,
                        int32_t lowest = 0, int32_t highest = 0);
// The moves of `count` parts from part `first` on, whose run begins at `begin`.
void EmitMoves(const IndexedAccess& x, int first, int count,
               const x86::Mem& begin = x86::ptr(x86::rax));
// All of it.
void EmitRun(const IndexedAccess& x, int first, int count, const asmjit::Label& fail);

}  // namespace gcnjit::backend::avx512
