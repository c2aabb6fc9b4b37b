// Runs the cells of the fault matrix and compares what comes of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/isa/generation.h"

namespace gcnjit::robustness {

struct MatrixCounts {
  uint64_t executed = 0;  // launches
  uint64_t faults = 0;    // that ended with one
  std::vector<std::string> failures;
};

// Each `every`th cell of a generation, in every engine that the host has; `first` is the first one.
void RunFaultMatrix(frontend::Generation generation, uint64_t first, uint64_t every,
                    MatrixCounts& counts);

}  // namespace gcnjit::robustness
