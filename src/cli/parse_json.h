// JSON that others have written.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace gcnjit::cli {

// Nothing: it is none, or has more values within values than anything of ours. What copies,
// compares or prints JSON takes a part of the stack for each.
std::optional<nlohmann::json> ParseJson(std::string_view text);

}  // namespace gcnjit::cli
