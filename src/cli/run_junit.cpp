#include "cli/run_junit.h"

#include "report/launch_cases.h"

namespace gcnjit::cli {
namespace {

JunitCase CaseOfEnd(const std::string& kernel, const LaunchResult& result) {
  if (result.fault) return report::FaultCase(kernel, *result.fault);
  JunitCase test = report::EndCase(kernel);
  if (result.status == LaunchStatus::kDone) return test;
  test.outcome = JunitCase::Outcome::kError;
  test.message = result.status == LaunchStatus::kTimeout ? "time-out" : "stopped";
  if (result.unfinished) test.details = result.unfinished->Describe();
  return test;
}

}  // namespace

JunitSuite RunSuite(const std::string& file, const std::string& kernel, uint32_t checks,
                    const LaunchResult& result) {
  JunitSuite suite{"gcnjit run " + file, result.statistics.seconds, {CaseOfEnd(kernel, result)}};
  for (JunitCase& test : report::CheckCases(kernel, checks, result.findings)) {
    suite.cases.push_back(std::move(test));
  }
  return suite;
}

}  // namespace gcnjit::cli
