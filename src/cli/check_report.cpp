#include "cli/check_report.h"

#include <fmt/format.h>

namespace gcnjit::cli {

std::string DescribeFindings(const LaunchResult& result) {
  std::string text;
  uint64_t events = 0;
  for (const Finding& note : result.notes) text += note.Describe() + "\n";
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
  const uint64_t notes = result.notes.size() + result.notes_left_out;
  if (notes != 0) text += fmt::format("; {} note{}", notes, notes == 1 ? "" : "s");
  return text + "\n";
}

}  // namespace gcnjit::cli
