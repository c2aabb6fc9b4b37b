// The cache bits by gfx942's names.
#pragma once

#include <regex>
#include <string>

namespace gcnjit::oracle {

// Of a line with the other targets' names. Scalar instructions keep them.
inline std::string WithScopes(const std::string& line) {
  if (line.starts_with("s_")) return line;
  std::string result = std::regex_replace(line, std::regex(" glc\\b"), " sc0");
  result = std::regex_replace(result, std::regex(" slc\\b"), " nt");
  return std::regex_replace(result, std::regex(" scc\\b"), " sc1");
}

}  // namespace gcnjit::oracle
