#include "report/launch_cases.h"

#include <fmt/format.h>

#include "runtime/check/check_names.h"

namespace gcnjit::report {

JunitCase EndCase(const std::string& kernel) { return {kernel, "ends", {}, {}, {}}; }

JunitCase FaultCase(const std::string& kernel, const FaultReport& fault) {
  JunitCase test = EndCase(kernel);
  test.outcome = JunitCase::Outcome::kError;
  test.message = fmt::format("{} at {}", ToString(fault.kind), fault.instruction);
  test.details = fault.Describe();
  return test;
}

std::vector<JunitCase> CheckCases(const std::string& kernel, uint32_t checks,
                                  std::span<const Finding> findings) {
  std::vector<JunitCase> cases;
  for (const CheckName& check : CheckNames()) {
    if ((checks & check.check) == 0) continue;
    JunitCase test{kernel, check.name, {}, {}, {}};
    uint64_t found = 0;
    for (const Finding& finding : findings) {
      if (finding.kernel != kernel || CheckThatFinds(finding.kind) != check.check) continue;
      if (found++ == 0) {
        test.message = fmt::format("{} at {}", ToString(finding.kind), finding.site.instruction);
      }
      test.details += finding.Describe() + "\n";
    }
    if (found > 1) test.message += fmt::format(", and {} more", found - 1);
    if (found != 0) test.outcome = JunitCase::Outcome::kFailed;
    cases.push_back(std::move(test));
  }
  return cases;
}

}  // namespace gcnjit::report
