#include "cli/run_junit.h"

#include <fmt/format.h>

#include "runtime/check/check_names.h"

namespace gcnjit::cli {
namespace {

JunitCase EndCase(const std::string& kernel, const LaunchResult& result) {
  JunitCase test{kernel, "ends", {}, {}, {}};
  if (result.status == LaunchStatus::kDone) return test;
  test.outcome = JunitCase::Outcome::kError;
  test.message = result.status == LaunchStatus::kTimeout ? "time-out" : "stopped";
  if (result.fault) {
    test.message = fmt::format("{} at {}", ToString(result.fault->kind), result.fault->instruction);
    test.details = result.fault->Describe();
  } else if (result.unfinished) {
    test.details = result.unfinished->Describe();
  }
  return test;
}

}  // namespace

JunitSuite RunSuite(const std::string& file, const std::string& kernel, uint32_t checks,
                    const LaunchResult& result) {
  JunitSuite suite{"gcnjit run " + file, result.statistics.seconds, {EndCase(kernel, result)}};
  for (const CheckName& check : CheckNames()) {
    if ((checks & check.check) == 0) continue;
    JunitCase test{kernel, check.name, {}, {}, {}};
    uint64_t found = 0;
    for (const Finding& finding : result.findings) {
      if (CheckThatFinds(finding.kind) != check.check) continue;
      if (found++ == 0) {
        test.message = fmt::format("{} at {}", ToString(finding.kind), finding.site.instruction);
      }
      test.details += finding.Describe() + "\n";
    }
    if (found > 1) test.message += fmt::format(", and {} more", found - 1);
    if (found != 0) test.outcome = JunitCase::Outcome::kFailed;
    suite.cases.push_back(std::move(test));
  }
  return suite;
}

}  // namespace gcnjit::cli
