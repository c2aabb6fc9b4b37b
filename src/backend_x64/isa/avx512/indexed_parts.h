// Accesses of the indexed form part by part: the order in which it is tried what a part is.
#pragma once

#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

// One part: what costs least first. What else it may be comes out of line, or at once where all of
// this is out of line (not `in_line`).
void EmitPart(const IndexedAccess& x, int n, bool in_line);
// Out of line: all at once, then on to `done`, if they lie as they did when they were looked at;
// else one by one.
void EmitParts(const IndexedAccess& x, const asmjit::Label& done);
// Part by part: what has been read before, else as any part.
void EmitStreams(const IndexedAccess& x);

}  // namespace gcnjit::backend::avx512
