// All that a command writes: to files, and to standard output.
#pragma once

#include <string>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::cli {

struct Output {
  std::string option;  // as people are told: "--junit"
  std::string path;    // "-": standard output; empty: it is not asked for
};

// "-", "/dev/stdout" and what else it is called.
bool IsStandardOutput(const std::string& path);

// Can each be written, and does each go to a place of its own? Asked before a long run, so that no
// result is lost or mixed with another.
Result<void> CheckOutputs(const std::vector<Output>& outputs);

}  // namespace gcnjit::cli
