// Source lines of a loaded program's code, at guest addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "confined/source_lines.h"
#include "frontend/code_object/bundle.h"
#include "gcnjit/gcnjit.h"

namespace gcnjit::cli {

class ProgramLines {
 public:
  // `file` is what the program was loaded from with this target, and must stay.
  ProgramLines(std::span<const std::byte> file, const std::string& target, const Program& program);

  // Empty where nothing is known. A process that reads debug information and fails is mentioned on
  // stderr, once.
  std::vector<SourceFrames> At(std::span<const uint64_t> pcs);
  SourceFrames At(uint64_t pc) { return At(std::span(&pc, 1)).front(); }

 private:
  const Program program_;
  std::vector<frontend::BundleEntry> entries_;
  std::vector<confined::SourceLines> lines_;  // of each image of the program
};

// Says on stderr that there are no lines, and why. Once a process.
void NoteMissingLines(const std::string& why);

// Fills in the places of everything that the result reports.
void AddSource(LaunchResult& result, ProgramLines& lines);

}  // namespace gcnjit::cli
