// What a fuzz target says when something that must hold does not: a message, and the end that both
// libFuzzer and ctest take for a finding.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace gcnjit::fuzz {

inline void Require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz target: %s\n", what.c_str());
  std::abort();
}

}  // namespace gcnjit::fuzz
