// Hands the work-groups of a launch out to host threads (group_runner.h runs them).
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "gcnjit/launch.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/schedule/stop_flags.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::runtime {

class RegionCache;

// Work-groups start in ascending order, x fastest, and those that the device would hold at the same
// time all get on: a group may wait for any of these (group_turns.h). `threads` workers each have
// scratch for a whole group, laid out worker after worker from launch.scratch_base, and groups that
// are set aside have theirs after that; there are fewer workers where the host gives fewer threads.
// `progress` (may be empty) is called from another thread now and then. `jit` null: everything is
// interpreted; otherwise what comes before the end of the kernel's warm-up (jit/warm_up.h). An
// error: no thread can enforce the time limit. `cancellation` and `failure` (may be null) may end
// it.
Result<LaunchResult> RunGrid(const LaunchState& launch, const KernelInfo& kernel, CodeMap& code,
                             RegionCache* jit, GuestMemory& memory, unsigned threads,
                             double timeout_seconds, std::shared_ptr<StopFlags> cancellation,
                             const std::function<void(uint64_t done, uint64_t total)>& progress,
                             std::shared_ptr<StopFlags> failure = nullptr);

}  // namespace gcnjit::runtime
