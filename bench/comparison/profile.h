// Where a rival's compiled code spends its time.
#pragma once

#include "cli/hot_report.h"
#include "comparison/rivals.h"

namespace gcnjit::bench {

// Code that is compiled from now on can be profiled. It takes more memory, and longer to compile.
void EnableProfiles();

// Runs the workload, again and again, for so many seconds of CPU time, and at least once. The rival
// must have a CompiledProgram, and must have compiled the workload's kernels already. Throws if a
// run fails or the host has no timer.
cli::HotReport Profile(Rival& rival, Workload& workload, double seconds);

}  // namespace gcnjit::bench
