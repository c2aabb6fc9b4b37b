// Loads whose lanes' elements overlap (OverlapStep), or have gaps between them (SpacedStep): whole
// registers and permutations.
#pragma once

#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/isa/avx512/registers.h"

namespace gcnjit::backend::avx512 {

struct IndexedAccess;

// 16 lanes' elements, from `at` on, `step` bytes apart; reads no more than 16 elements side by side
// have, or than lies between the first and the last. All of a lane's 8 bytes or less, or 16, comes
// from one load, as an element's aligned bytes have to (runtime/interpreter/element.h). Changes the
// scratch registers.
void LoadOverlapping(RegionAssembler& region, const ir::MemoryAccess& access, int step, int mask,
                     const int (&result)[4], const x86::Mem& at);

// The same of 8 lanes at `low` and 8 at `high`.
void LoadOverlappingHalves(RegionAssembler& region, const ir::MemoryAccess& access, int step,
                           int mask, const int (&result)[4], const x86::Mem& low,
                           const x86::Mem& high);

// How far after the first element memory must be there for it, of elements that far apart.
int SpacedBytes(const ir::MemoryAccess& access, int step);

// One part of a load of the indexed form whose elements lie `step` bytes apart (SpacedStep).
void EmitSpaced(const IndexedAccess& x, int n, int step, const asmjit::Label& fail);

}  // namespace gcnjit::backend::avx512
