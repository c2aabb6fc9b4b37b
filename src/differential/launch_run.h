// Whole launches, as gcnjit::Launch has one host thread run them: in the order of their groups, and
// where they are compiled, group after group in compiled code.
#pragma once

#include "differential/engine.h"
#include "runtime/jit/region_cache.h"

namespace gcnjit::differential {

LaunchFunction InterpretedLaunch(runtime::CodeMap& code);
// Nothing is interpreted first. All launches share what was compiled and what that has learned.
LaunchFunction CompiledLaunch(runtime::CodeMap& code, runtime::HostIsa isa);
// Not so: each group by itself. Those that are the first of their row run by `first`.
LaunchFunction LaunchOfGroups(runtime::CodeMap& code, RunFunction first, RunFunction others);

}  // namespace gcnjit::differential
