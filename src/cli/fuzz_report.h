// The result of `gcnjit fuzz`: as JSON, which --merge puts together, and as what is made of that.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/junit.h"
#include "differential/campaign.h"
#include "differential/sweep.h"
#include "gcnjit/error.h"

namespace gcnjit::cli {

nlohmann::json CountsToJson(const differential::CampaignCounts& counts);
nlohmann::json SweepToJson(const differential::SweepResult& result);
nlohmann::json FailuresToJson(const std::vector<differential::Failure>& failures);
nlohmann::json ShardToJson(const differential::Shard& shard);

// Of all shards of one campaign. The Error says which are missing, or what does not fit together.
Result<nlohmann::json> MergeReports(
    const std::vector<std::pair<std::string, nlohmann::json>>& reports);  // paths, contents

// Is a failure counted or listed?
bool HasFailed(const nlohmann::json& report);

// A test for each target.
JunitSuite FuzzSuite(const nlohmann::json& report);

// A line for each target, and the failures.
std::string DescribeReport(const nlohmann::json& report);

}  // namespace gcnjit::cli
