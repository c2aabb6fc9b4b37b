// Results as JUnit XML, which CI systems show (docs/ci.md).
#pragma once

#include <string>
#include <vector>

namespace gcnjit::report {

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

}  // namespace gcnjit::report
