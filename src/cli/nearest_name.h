// For messages: the command that a name that is none was meant to be.
#pragma once

#include <string>
#include <vector>

namespace gcnjit::cli {

// The one of `names` that differs from `name` by the fewest letters that are missing, too many,
// wrong or in each other's place; empty: by more than a third of them.
std::string NearestName(const std::string& name, const std::vector<std::string>& names);

}  // namespace gcnjit::cli
