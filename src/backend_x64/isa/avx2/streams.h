// Streams (emit/stream_buffers.h).
#pragma once

#include "backend_x64/isa/avx2/slow_path.h"

namespace gcnjit::backend::avx2 {

// In line, of a part of a stream: what has been read before, or on to `other`. Its high dwords, if
// there is a register of them, must be what they were then. Changes rax, rcx and scratch 0.
void EmitStreamRead(RegionAssembler& region, const PartAccess& s, const asmjit::Label& other);

// Out of line, of a part of a stream. Its active lanes are within the window, which begins at rax,
// at the offsets that `offsets` holds. Then on to the elements of this iteration, unless those of
// the later ones are not within the window; `offsets` is what it was then. Changes rcx, rdx and the
// scratch registers.
void EmitStreamFill(RegionAssembler& region, const PartAccess& s, int offsets);

}  // namespace gcnjit::backend::avx2
