// Results as JUnit XML, which CI systems show (docs/ci.md).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::cli {

struct JunitCase {
  std::string classname;  // what is tested: a kernel, a target
  std::string name;
  enum class Outcome { kPassed, kFailed, kError } outcome = Outcome::kPassed;  // kError: no result
  std::string message;  // one line; of what has not passed
  std::string details;  // any text
};

struct JunitSuite {
  std::string name;
  double seconds = 0;
  std::vector<JunitCase> cases;
};

std::string ToXml(const JunitSuite& suite);

// --junit FILE
void AddJunitOption(CLI::App& command, std::string& path);
// Can it be written? Asked before a long run.
Result<void> CheckJunit(const std::string& path);
// Nothing if there is no path.
Result<void> WriteJunit(const std::string& path, const JunitSuite& suite);

}  // namespace gcnjit::cli
