#include "python/report_lines.h"

#include <algorithm>

#include "confined/loaded_lines.h"
#include "frontend/code_object/bundle.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::python {

namespace {

// What LoadedLines has noted on this thread.
thread_local std::string noted;

void Note(const std::string& why) { noted = why; }

}  // namespace

ReportLines::ReportLines(std::span<const std::byte> file, const std::string& target,
                         const Program& program)
    : program_(program) {
  const auto entries = frontend::SelectCodeObjects(file, target);
  if (!entries) return;
  for (const frontend::BundleEntry& entry : *entries) {
    const auto bytes = entry.contents;
    objects_.emplace_back();
    if (confined::HasLines(bytes)) objects_.back().assign(bytes.begin(), bytes.end());
  }
}

bool ReportLines::some() const {
  return std::ranges::any_of(objects_, [](const auto& object) { return !object.empty(); });
}

std::string ReportLines::AddTo(LaunchResult& result, const std::string& reader) const {
  std::vector<confined::LoadedFile> files;
  const auto& images = program_.internal()->images();
  for (size_t n = 0; n < std::min(images.size(), objects_.size()); ++n) {
    if (objects_[n].empty()) continue;
    files.push_back({objects_[n], images[n].base, images[n].bytes, images[n].load_bias});
  }
  // Its processes end here: the program may wait for all that it has started.
  confined::LoadedLines lines(files, reader, Note);
  noted.clear();
  if (result.fault) AddSource(*result.fault, lines);
  AddSource(result.findings, lines);
  AddSource(result.notes, lines);
  return noted;
}

}  // namespace gcnjit::python
