#include "cli/check_report.h"

#include <fmt/format.h>

namespace gcnjit::cli {

std::string DescribeFindings(const LaunchResult& result) {
  std::string text;
  uint64_t events = 0;
  for (const Finding& finding : result.findings) {
    text += finding.Describe() + "\n";
    events += finding.count;
  }
  text +=
      fmt::format("{} finding{}", result.findings.size(), result.findings.size() == 1 ? "" : "s");
  if (events != result.findings.size()) text += fmt::format(", {} times in all", events);
  if (result.findings_left_out != 0) {
    text += fmt::format("; {} more are not shown (--check-limit)", result.findings_left_out);
  }
  return text + "\n";
}

}  // namespace gcnjit::cli
