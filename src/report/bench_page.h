// The page of `gcnjit bench --html`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gcnjit::report {

// `bench`: what `gcnjit bench --json` prints.
std::string BenchPage(const nlohmann::json& bench);

}  // namespace gcnjit::report
