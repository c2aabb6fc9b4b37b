// Fills a stream's buffer (stream_buffers.h): what is the same for every instruction set.
#pragma once

#include "backend_x64/emit/part_access.h"
#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend {

// Makes the routines that EmitStreamFillCall calls, for parts of so many lanes. `scratch`: a vector
// register that no value is ever in.
void PrepareStreamFill(RegionAssembler& region, const ir::MemoryAccess& access, int lanes,
                       int scratch);

// On to `fail` if the later iterations' elements are beyond the window wherever this one's is.
// Then ecx: the offset from which on they are. rdx: RegionTables::windows.
void EmitStreamLimit(RegionAssembler& region, const PartAccess& s, const asmjit::Label& fail);

// The active lanes' elements are within the window, which begins at rax, at the offsets in
// AccessBlock::low; those of the other lanes are some active lane's, or 0. ZF: they are all the
// same. Then on to this iteration's elements. rdx: RegionTables::windows. Changes rcx, rdx and the
// scratch register.
void EmitStreamFillCall(RegionAssembler& region, const PartAccess& s);

}  // namespace gcnjit::backend
