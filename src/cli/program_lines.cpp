#include "cli/program_lines.h"

#include <algorithm>

#include "cli/message.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {

ProgramLines::ProgramLines(std::span<const std::byte> file, const std::string& target,
                           const Program& program)
    : program_(program) {
  auto entries = frontend::SelectCodeObjects(file, target);
  if (!entries) return;
  entries_ = std::move(*entries);
  for (const frontend::BundleEntry& entry : entries_) lines_.emplace_back(entry.contents);
}

std::vector<SourceFrames> ProgramLines::At(std::span<const uint64_t> pcs) {
  std::vector<SourceFrames> all(pcs.size());
  const auto& images = program_.internal()->images();
  for (size_t n = 0; n < std::min(images.size(), lines_.size()); ++n) {
    std::vector<uint64_t> addresses;
    std::vector<size_t> places;  // in `all`
    for (size_t at = 0; at < pcs.size(); ++at) {
      if (pcs[at] - images[n].base >= images[n].bytes) continue;
      addresses.push_back(pcs[at] - images[n].load_bias);
      places.push_back(at);
    }
    if (addresses.empty()) continue;
    std::vector<SourceFrames> found = lines_[n].At(addresses);
    for (size_t at = 0; at < found.size(); ++at) all[places[at]] = std::move(found[at]);
    NoteMissingLines(lines_[n].failure());
  }
  return all;
}

void NoteMissingLines(const std::string& why) {
  static bool noted = false;
  if (why.empty() || noted) return;
  noted = true;
  PrintMessage("gcnjit: no source lines are shown: {}\n", why);
}

void AddSource(LaunchResult& result, ProgramLines& lines) {
  std::vector<uint64_t> pcs;
  std::vector<SourceFrames*> places;
  const auto add = [&](uint64_t pc, SourceFrames& place) {
    pcs.push_back(pc);
    places.push_back(&place);
  };
  if (result.fault) add(result.fault->pc, result.fault->source);
  for (std::vector<Finding>* findings : {&result.findings, &result.notes}) {
    for (Finding& finding : *findings) {
      add(finding.site.pc, finding.site.source);
      if (finding.other) add(finding.other->pc, finding.other->source);
    }
  }
  if (pcs.empty()) return;
  std::vector<SourceFrames> found = lines.At(pcs);
  for (size_t n = 0; n < found.size(); ++n) *places[n] = std::move(found[n]);
}

}  // namespace gcnjit::cli
