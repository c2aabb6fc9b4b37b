#include "runtime/hsa/check_log.h"

#include <fmt/format.h>

#include <span>

#include "runtime/check/finding_json.h"

namespace gcnjit::hsa {

std::string CheckLog::Add(const LaunchResult& result, confined::LoadedLines& lines) {
  ++launches_;
  left_out_ += result.findings_left_out;
  return Add(result.findings, lines, findings_) + Add(result.notes, lines, notes_);
}

std::string CheckLog::Add(const std::vector<Finding>& found, confined::LoadedLines& lines,
                          List& list) {
  const size_t first = list.findings.size();
  for (const Finding& finding : found) {
    const int64_t other = finding.other ? finding.other->kernel_offset : 0;
    const Key key{finding.kind, finding.kernel, finding.site.kernel_offset, other};
    const auto [at, is_new] = list.known.try_emplace(key, list.findings.size());
    if (!is_new) {
      list.findings[at->second].count += finding.count;
      continue;
    }
    list.findings.push_back(finding);
  }
  const std::span<Finding> added = std::span(list.findings).subspan(first);
  AddSource(added, lines);
  std::string text;
  for (const Finding& finding : added) text += "gcnjit: " + finding.Describe();
  return text;
}

std::string CheckLog::Summary() const {
  uint64_t events = 0;
  for (const Finding& finding : findings_.findings) events += finding.count;
  const size_t count = findings_.findings.size();
  std::string text = fmt::format("{} finding{}", count, count == 1 ? "" : "s");
  if (events != count) text += fmt::format(", {} times in all", events);
  text += fmt::format(", in {} launch{}", launches_, launches_ == 1 ? "" : "es");
  if (left_out_ != 0) text += fmt::format("; {} more were left out", left_out_);
  const size_t notes = notes_.findings.size();
  if (notes != 0) text += fmt::format("; {} note{}", notes, notes == 1 ? "" : "s");
  return text;
}

nlohmann::json CheckLog::ToJson() const {
  const auto all = [](const List& list) {
    nlohmann::json json = nlohmann::json::array();
    for (const Finding& finding : list.findings) json.push_back(gcnjit::ToJson(finding));
    return json;
  };
  return {{"launches", launches_},
          {"findings", all(findings_)},
          {"notes", all(notes_)},
          {"left_out", left_out_}};
}

}  // namespace gcnjit::hsa
