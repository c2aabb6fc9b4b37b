// Lists on the command line.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace gcnjit::cli {

// "a,b" -> "a", "b"; nothing for an empty text.
inline std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names;
  for (size_t at = 0; !text.empty() && at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    names.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

}  // namespace gcnjit::cli
