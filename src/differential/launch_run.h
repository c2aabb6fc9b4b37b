// Whole launches, as gcnjit::Launch has host threads run them: one thread in the order of their
// groups, and where they are compiled, group after group in compiled code.
#pragma once

#include "differential/engine.h"
#include "runtime/jit/region_cache.h"

namespace gcnjit::differential {

LaunchFunction InterpretedLaunch(runtime::CodeMap& code);
// Nothing is interpreted first. All launches share what was compiled and what that has learned.
LaunchFunction CompiledLaunch(runtime::CodeMap& code, runtime::HostIsa isa);
// Not so: each group by itself, on this thread, and by `other` those that `is_other` holds for.
using IsOtherGroup = bool (*)(const runtime::WorkgroupState& group, const LaunchLimits& limits);
LaunchFunction LaunchOfGroups(runtime::CodeMap& code, RunFunction run, RunFunction other,
                              IsOtherGroup is_other);

}  // namespace gcnjit::differential
