// What `gcnjit diff` says of a whole launch that differs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/launch_request.h"
#include "differential/launch_diff.h"

namespace gcnjit::cli {

std::string DescribeLaunch(const LaunchRequest& request, const KernelInfo& info,
                           const differential::Engine& reference, uint64_t groups,
                           const differential::LaunchDivergence& found);
nlohmann::json LaunchToJson(const LaunchRequest& request, const KernelInfo& info,
                            const differential::LaunchDivergence& found);

}  // namespace gcnjit::cli
