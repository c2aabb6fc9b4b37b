#include "cli/check_report.h"

#include <fmt/format.h>

#include <sstream>

namespace gcnjit::cli {
namespace {

struct CheckName {
  const char* name;
  uint32_t checks;
};
constexpr CheckName kNames[] = {{"memory", kCheckMemory}, {"races", kCheckRaces},
                                {"waits", kCheckWaits},   {"barriers", kCheckBarriers},
                                {"uninit", kCheckUninit}, {"all", kCheckAll}};

nlohmann::json ToJson(const FindingSite& site) {
  nlohmann::json json = {{"pc", site.pc},
                         {"kernel_offset", site.kernel_offset},
                         {"instruction", site.instruction},
                         {"workgroup", site.workgroup},
                         {"wave", site.wave},
                         {"lane", site.lane}};
  if (!site.access.empty()) json["access"] = site.access;
  if (site.lane >= 0) json["work_item"] = site.work_item;
  return json;
}

}  // namespace

Result<uint32_t> ParseChecks(const std::string& text) {
  uint32_t checks = kCheckNothing;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    uint32_t found = kCheckNothing;
    for (const CheckName& known : kNames) {
      if (part == known.name) found = known.checks;
    }
    if (found == kCheckNothing) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--check '{}': there are memory, races, waits, barriers, uninit "
                               "(separated by commas) and all",
                               part)};
    }
    checks |= found;
  }
  return checks == kCheckNothing ? kCheckAll : checks;
}

nlohmann::json ToJson(const Finding& finding) {
  nlohmann::json json = {{"kind", ToString(finding.kind)},
                         {"kernel", finding.kernel},
                         {"count", finding.count},
                         {"site", ToJson(finding.site)},
                         {"detail", finding.detail}};
  if (finding.other) json["other"] = ToJson(*finding.other);
  if (finding.access_bytes != 0) {
    json["address"] = finding.address;
    json["access_bytes"] = finding.access_bytes;
    json["place"] = finding.place;
  }
  return json;
}

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
