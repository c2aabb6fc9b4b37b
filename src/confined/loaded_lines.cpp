#include "confined/loaded_lines.h"

#include <utility>

namespace gcnjit::confined {

LoadedLines::LoadedLines(std::span<const LoadedFile> files, const std::string& reader, Note note)
    : note_(note) {
  for (const LoadedFile& file : files) entries_.push_back({file, SourceLines(file.object, reader)});
}

std::vector<SourceFrames> LoadedLines::At(std::span<const uint64_t> pcs) {
  std::vector<SourceFrames> all(pcs.size());
  for (Entry& entry : entries_) {
    std::vector<uint64_t> addresses;
    std::vector<size_t> places;  // in `all`
    for (size_t at = 0; at < pcs.size(); ++at) {
      if (pcs[at] - entry.file.begin >= entry.file.bytes) continue;
      addresses.push_back(pcs[at] - entry.file.bias);
      places.push_back(at);
    }
    if (addresses.empty()) continue;
    std::vector<SourceFrames> found = entry.lines.At(addresses);
    for (size_t at = 0; at < found.size(); ++at) all[places[at]] = std::move(found[at]);
    if (!entry.lines.failure().empty()) note_(entry.lines.failure());
  }
  return all;
}

void AddSource(FaultReport& fault, LoadedLines& lines) { fault.source = lines.At(fault.pc); }

void AddSource(std::span<Finding> findings, LoadedLines& lines) {
  std::vector<uint64_t> pcs;
  std::vector<SourceFrames*> places;
  const auto add = [&](FindingSite& site) {
    pcs.push_back(site.pc);
    places.push_back(&site.source);
  };
  for (Finding& finding : findings) {
    add(finding.site);
    if (finding.other) add(*finding.other);
  }
  std::vector<SourceFrames> found = lines.At(pcs);
  for (size_t n = 0; n < found.size(); ++n) *places[n] = std::move(found[n]);
}

}  // namespace gcnjit::confined
