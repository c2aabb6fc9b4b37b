// Instructions and source lines of a program's code, at guest addresses, each asked for once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "confined/loaded_lines.h"
#include "runtime/interpreter/code_map.h"

namespace gcnjit::debug {

class CodeLines {
 public:
  // All of these outlive the object.
  CodeLines(const runtime::CodeMap& code, confined::LoadedLines& lines)
      : code_(code), lines_(lines) {}

  // Empty where nothing is known.
  const SourceFrames& At(uint64_t pc);
  // Do the two instructions belong to the same line, in calls that are inlined alike?
  bool IsSameLine(uint64_t a, uint64_t b);
  // Has the instruction a line?
  bool HasLine(uint64_t pc) { return !At(pc).empty() && At(pc).front().line != 0; }

  // Instructions of [begin, end), in a straight line from `begin` on.
  std::vector<uint64_t> InstructionsOf(uint64_t begin, uint64_t end) const;
  uint64_t SizeAt(uint64_t pc) const;

  // The first instruction of a line in [begin, end), in each place where it is inlined. `file` is a
  // path, or the end of one. Where no instruction is of the line, the next line that has some
  // counts.
  struct Place {
    std::string file;
    uint32_t line = 0;
    std::vector<uint64_t> pcs;
  };
  std::optional<Place> Find(const std::string& file, uint32_t line, uint64_t begin, uint64_t end);

 private:
  const runtime::CodeMap& code_;
  confined::LoadedLines& lines_;
  std::unordered_map<uint64_t, SourceFrames> known_;
};

}  // namespace gcnjit::debug
