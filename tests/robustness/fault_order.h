// Which of several faults is reported (R9): random programs in which several accesses go astray, in
// one block, in loops, under changing EXEC. Every engine must report what the interpreter reports.
#pragma once

#include <cstdint>

#include "robustness/fault_run.h"

namespace gcnjit::robustness {

void RunRandomFaults(frontend::Generation generation, uint64_t seed, uint64_t count,
                     LaunchCounts& counts);

}  // namespace gcnjit::robustness
