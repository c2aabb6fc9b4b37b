// Loads whose lanes' elements overlap (OverlapStep), or have gaps between them (SpacedStep): whole
// registers and permutations.
#pragma once

#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/isa/avx2/registers.h"

namespace gcnjit::backend::avx2 {

struct IndexedAccess;

// 8 lanes' elements, from `at` on, `step` bytes apart; reads no more than 8 elements side by side
// have, or than lies between the first and the last, but 16 bytes. All of a lane comes from one
// load, as an element's aligned bytes have to (runtime/interpreter/element.h). Changes the scratch
// registers.
void LoadOverlapping(RegionAssembler& region, const ir::MemoryAccess& access, int step, int mask,
                     const int (&result)[4], const x86::Mem& at);

// How far after the first element memory must be there for it, of elements that far apart.
int SpacedBytes(const ir::MemoryAccess& access, int step);

// One part of a load of the indexed form whose elements lie `step` bytes apart (SpacedStep).
void EmitSpaced(const IndexedAccess& x, int n, int step, const asmjit::Label& fail);

}  // namespace gcnjit::backend::avx2
