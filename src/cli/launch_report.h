// What `gcnjit diff` says of a whole launch that differs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "differential/launch_diff.h"
#include "runtime/check/allocation_map.h"

namespace gcnjit::cli {

// `names`: of the buffers that differ.
std::string DescribeLaunch(const runtime::check::AllocationMap& names,
                           const differential::Engine& reference, uint64_t groups,
                           const differential::LaunchDivergence& found);
nlohmann::json LaunchToJson(const runtime::check::AllocationMap& names,
                            const differential::LaunchDivergence& found);

}  // namespace gcnjit::cli
