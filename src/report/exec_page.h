// The page of `gcnjit exec --html`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gcnjit::report {

// `statistics`: what GCNJIT_STATS=json prints; `command`: the program.
std::string ExecPage(const nlohmann::json& statistics, const std::string& command);

}  // namespace gcnjit::report
