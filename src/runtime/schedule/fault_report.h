// From what a wave recorded to what a person reads.
#pragma once

#include <string>

#include "gcnjit/launch.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::runtime {

// `w` has faulted; its state is at the faulting instruction.
FaultReport MakeFaultReport(const Wave& w, const CodeMap& code, const LaunchState& launch,
                            const KernelInfo& kernel);

}  // namespace gcnjit::runtime
