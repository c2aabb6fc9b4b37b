// A kernel in all engines, for gcnjit diff: each work-group by itself, then the launch as a whole.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/engine_list.h"
#include "cli/launch_request.h"

namespace gcnjit::cli {

struct DiffReport {
  int code = 0;  // to exit with
  std::string text;
  nlohmann::json json;
};

struct ComparisonOptions {
  std::string target;     // LaunchOptions::target
  std::string case_file;  // where a divergence goes that --replay can repeat
  unsigned threads = 2;   // that the launch is compared on, too
};

// Changes the request's engine and threads.
Result<DiffReport> CompareKernel(LaunchRequest& request, const ComparisonOptions& options,
                                 const EngineList& engines);

}  // namespace gcnjit::cli
