// Source lines of a loaded program's code, at guest addresses.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "confined/loaded_lines.h"
#include "frontend/code_object/bundle.h"
#include "gcnjit/gcnjit.h"

namespace gcnjit::cli {

class ProgramLines {
 public:
  // `file` is what the program was loaded from with this target, and must stay.
  ProgramLines(std::span<const std::byte> file, const std::string& target, const Program& program);

  confined::LoadedLines& lines() { return *lines_; }
  // Fills in the places of everything that the result reports.
  void AddTo(LaunchResult& result);

 private:
  const Program program_;
  std::vector<frontend::BundleEntry> entries_;
  std::optional<confined::LoadedLines> lines_;
};

// Says on stderr that there are no lines, and why. Once a process.
void NoteMissingLines(const std::string& why);

}  // namespace gcnjit::cli
