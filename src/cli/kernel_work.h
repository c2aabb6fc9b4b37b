// What a launch asks for, whatever runs it: arithmetic and memory traffic, counted in the
// interpreter.
#pragma once

#include <cstdint>
#include <string>

#include "cli/launch_request.h"
#include "profile/code_counts.h"

namespace gcnjit::cli {

struct KernelWork {
  uint64_t groups = 0;
  uint64_t groups_counted = 0;  // the first ones
  uint64_t waves = 0;           // this and what follows: of the groups counted
  // Flops and bytes are of lanes that EXEC enables, of scalar loads once a wave. Bytes are what
  // loads, stores and atomics other than those of LDS ask for: caches may have them, and scratch is
  // among them.
  profile::CountsByPc counts;
  profile::CountTotals totals;  // of these
};

// Counts work-groups in ascending order until about `most_instructions` have been executed. A fault
// ends it early. Changes guest memory as the launch does.
Result<KernelWork> CountWork(LaunchRequest& request, const std::string& kernel,
                             uint64_t most_instructions);

}  // namespace gcnjit::cli
