// The host code of the places of a hot report.
#pragma once

#include <string>

#include "backend_x64/host/features.h"
#include "cli/hot_report.h"
#include "cli/launch_request.h"

namespace gcnjit::cli {

// As `gcnjit disasm --host` shows it, for work-groups of the launch's size. `program` is what the
// report is about, loaded from the request's file with that target.
void AddHostCode(HotReport& report, const Program& program, const LaunchRequest& request,
                 const std::string& target, backend::HostIsa isa);

}  // namespace gcnjit::cli
