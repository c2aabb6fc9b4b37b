#include "cli/program_lines.h"

#include <algorithm>

#include "cli/message.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {

ProgramLines::ProgramLines(std::span<const std::byte> file, const std::string& target,
                           const Program& program)
    : program_(program) {
  if (auto entries = frontend::SelectCodeObjects(file, target)) entries_ = std::move(*entries);
  std::vector<confined::LoadedFile> files;
  const auto& images = program_.internal()->images();
  for (size_t n = 0; n < std::min(images.size(), entries_.size()); ++n) {
    files.push_back({entries_[n].contents, images[n].base, images[n].bytes, images[n].load_bias});
  }
  lines_.emplace(files, confined::kThisProgram, NoteMissingLines);
}

void ProgramLines::AddTo(LaunchResult& result) {
  if (result.fault) AddSource(*result.fault, *lines_);
  AddSource(result.findings, *lines_);
  AddSource(result.notes, *lines_);
}

void NoteMissingLines(const std::string& why) {
  static bool noted = false;
  if (why.empty() || noted) return;
  noted = true;
  PrintNote("gcnjit: no source lines are shown: {}\n", why);
}

}  // namespace gcnjit::cli
