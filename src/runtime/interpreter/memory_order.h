// The order in which waves on different host threads see each other's memory accesses.
//
// x86 keeps loads in order, and stores, so nothing is to be done but where a load must not overtake
// an earlier store: the store may wait in the core's store buffer, unseen by others, while the load
// is served. On the GPU s_waitcnt waits until a store has reached the second-level cache; loads
// that go there too (glc, or after an invalidation of the first level) see what others have stored
// by then. Source: LLVM AMDGPUUsage, "Memory Model gfx6-gfx9", seq_cst.
#pragma once

#include <immintrin.h>

#include "isa/instruction.h"

namespace gcnjit::runtime {

// A host fence rather than std::atomic_thread_fence: only the processor has to be told, since the
// compiler knows nothing of guest memory's other users.
inline void Fence() { _mm_mfence(); }

inline void FenceIfCoherent(const frontend::Instruction& load) {
  if (load.glc || load.scc) Fence();
}

}  // namespace gcnjit::runtime
