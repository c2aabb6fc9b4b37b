// Accesses whose lanes lie as they did before (abi/permutation_cache.h). What is emitted here is
// out of line: after the test for runs, before what looks at each part.
#pragma once

#include "backend_x64/isa/avx512/indexed_access.h"

namespace gcnjit::backend::avx512 {

// Is it one of whole waves without masks?
bool MayLearn(const IndexedAccess& x);
// All lanes, then on to `done`, if they lie as they did when they were looked at.
void EmitLearned(const IndexedAccess& x, const asmjit::Label& done);

}  // namespace gcnjit::backend::avx512
