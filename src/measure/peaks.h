// What a core of this machine can do at most: what other rates are measured against. Rates are by
// CPU time, so that they hold on a machine that does other things as well.
#pragma once

#include <cstddef>

#include "backend_x64/host/features.h"

namespace gcnjit::measure {

// Flops a second in fused multiply-adds of f32. The host must have the instruction set.
double FmaPeak(backend::HostIsa isa);

// The same for a fixed amount of work, for benchmarks with a clock of their own: flops done.
double RunFma(backend::HostIsa isa, size_t rounds);

// Bytes a second, of arrays that are larger than caches: the best of a sum (reads alone) and of
// a = b + s c (two reads, one write; what the processor reads in order to write is not counted).
double MemoryPeak();

}  // namespace gcnjit::measure
