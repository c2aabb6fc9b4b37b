#include "runtime/hsa/check_log.h"

#include <fmt/format.h>

#include "runtime/check/finding_json.h"

namespace gcnjit::hsa {

std::string CheckLog::Add(const LaunchResult& result) {
  ++launches_;
  left_out_ += result.findings_left_out;
  std::string text;
  for (const Finding& finding : result.findings) {
    const uint64_t other = finding.other ? finding.other->kernel_offset : 0;
    const Key key{finding.kind, finding.kernel, finding.site.kernel_offset, other};
    const auto [at, is_new] = known_.try_emplace(key, findings_.size());
    if (!is_new) {
      findings_[at->second].count += finding.count;
      continue;
    }
    findings_.push_back(finding);
    text += "gcnjit: " + finding.Describe();
  }
  return text;
}

std::string CheckLog::Summary() const {
  uint64_t events = 0;
  for (const Finding& finding : findings_) events += finding.count;
  std::string text =
      fmt::format("{} finding{}", findings_.size(), findings_.size() == 1 ? "" : "s");
  if (events != findings_.size()) text += fmt::format(", {} times in all", events);
  text += fmt::format(", in {} launch{}", launches_, launches_ == 1 ? "" : "es");
  if (left_out_ != 0) text += fmt::format("; {} more were left out", left_out_);
  return text;
}

nlohmann::json CheckLog::ToJson() const {
  nlohmann::json findings = nlohmann::json::array();
  for (const Finding& finding : findings_) findings.push_back(gcnjit::ToJson(finding));
  return {{"launches", launches_}, {"findings", findings}, {"left_out", left_out_}};
}

}  // namespace gcnjit::hsa
