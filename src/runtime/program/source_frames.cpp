// Places in the source, in words.
#include <fmt/format.h>

#include "gcnjit/source.h"

namespace gcnjit {

std::string DescribeSource(const SourceFrames& frames, const std::string& separator) {
  std::string text;
  for (const SourceFrame& frame : frames) {
    if (!text.empty()) text += separator + "inlined at ";
    text += frame.line == 0 ? frame.file : fmt::format("{}:{}", frame.file, frame.line);
    if (!frame.function.empty()) text += " in " + frame.function;
  }
  return text;
}

}  // namespace gcnjit
