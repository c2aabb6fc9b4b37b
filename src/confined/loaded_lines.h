// Source lines of code where it is loaded, for reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "confined/source_lines.h"
#include "gcnjit/check.h"
#include "gcnjit/launch.h"

namespace gcnjit::confined {

// A code object, whose bytes must stay, and where it is.
struct LoadedFile {
  std::span<const std::byte> object;
  uint64_t begin = 0;  // guest addresses of its image
  uint64_t bytes = 0;
  uint64_t bias = 0;  // guest address minus the code object's own address
};

class LoadedLines {
 public:
  // `reader`: the path of the gcnjit program. `note` is called when lines are missing, with the
  // reason, maybe more than once.
  using Note = void (*)(const std::string& why);
  LoadedLines(std::span<const LoadedFile> files, const std::string& reader, Note note);

  // Empty where nothing is known.
  std::vector<SourceFrames> At(std::span<const uint64_t> pcs);
  SourceFrames At(uint64_t pc) { return At(std::span(&pc, 1)).front(); }

 private:
  struct Entry {
    LoadedFile file;
    SourceLines lines;
  };
  std::vector<Entry> entries_;
  Note note_;
};

// Fill in the places of what is reported.
void AddSource(FaultReport& fault, LoadedLines& lines);
void AddSource(std::span<Finding> findings, LoadedLines& lines);

}  // namespace gcnjit::confined
