// Source lines for what launches report.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gcnjit/launch.h"
#include "gcnjit/program.h"

namespace gcnjit::python {

class ReportLines {
 public:
  // Keeps the code objects with debug information of the file that the program was loaded from,
  // with that target.
  ReportLines(std::span<const std::byte> file, const std::string& target, const Program& program);

  // Are there any? Without, no report has lines.
  bool some() const;
  // Fills in the places of all that the result reports. `reader` is the path of the gcnjit program,
  // of which a process with limits reads the debug information, for some seconds at most. Returns
  // why lines are missing; empty: none are.
  std::string AddTo(LaunchResult& result, const std::string& reader) const;

 private:
  Program program_;
  std::vector<std::vector<std::byte>> objects_;  // of each image; empty: it has no lines
};

}  // namespace gcnjit::python
