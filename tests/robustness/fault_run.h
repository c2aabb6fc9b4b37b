// Runs the cells of the fault matrix and compares what comes of them.
#pragma once

#include <cstdint>

#include "isa/generation.h"
#include "robustness/launch_counts.h"

namespace gcnjit::robustness {

// Each `every`th cell of a generation, in every engine that the host has; `first` is the first one.
void RunFaultMatrix(frontend::Generation generation, uint64_t first, uint64_t every,
                    LaunchCounts& counts);

}  // namespace gcnjit::robustness
