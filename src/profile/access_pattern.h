// What one access of a wave asks of caches and of LDS.
#pragma once

#include <cstdint>

#include "runtime/check/access.h"

namespace gcnjit::profile {

// Of the vector caches of gfx6 to gfx9.
inline constexpr uint32_t kLineBytes = 64;

struct CacheLines {
  uint32_t needed = 0;  // that hold what the lanes ask for; each is counted once
  uint32_t least = 0;   // of as many different bytes, one after the other
};
CacheLines CacheLinesOf(const runtime::check::Access& access);

// LDS has 32 banks of 4 bytes, of which each gives or takes one dword at a time. Lanes come in
// groups whose dwords are as many as the banks: 32 lanes of up to 4 bytes, 16 of 8 bytes, 8 of
// more. Lanes that read or write the same dword share it; atomics do it one after the other.
//
// Sources: AMD APP SDK OpenCL Optimization Guide, "Local Memory (LDS) Optimization" (banks, address
// bits 6:2, half waves, and float2 without conflicts); ROCm, Composable Kernel, "Understanding AMD
// GPU LDS and Bank Conflicts" (8 lanes of 16 bytes a phase). gfx9 reads 16 bytes in other groups of
// 8 lanes than writes them, which this leaves aside.
struct LdsPasses {
  uint32_t needed = 0;  // by the busiest bank of each group of lanes, summed
  uint32_t least = 0;   // without conflicts: one for each group that has lanes
};
LdsPasses LdsPassesOf(const runtime::check::Access& access);

}  // namespace gcnjit::profile
