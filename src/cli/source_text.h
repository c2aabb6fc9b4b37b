// Lines of source files, as debug information names them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gcnjit/source.h"

namespace gcnjit::cli {

class SourceText {
 public:
  // A line without its end; empty if the file cannot be read, has no such line, or it is no text.
  std::string Line(const std::string& path, uint32_t number);
  // The places as comments of a listing, with the text of the innermost.
  std::string Comment(const SourceFrames& frames);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace gcnjit::cli
