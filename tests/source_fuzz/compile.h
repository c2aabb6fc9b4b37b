// Sources to code objects and to host libraries, by the compilers that are installed.
#pragma once

#include <string>
#include <vector>

namespace gcnjit::source_fuzz {

struct Build {
  std::string compiler;  // "clang-15"
  std::string target;    // "gfx900"
  std::string level;     // "-O2"
  std::string Name() const { return compiler + " " + level + " " + target; }
};

// Those that are installed, and the targets of each.
std::vector<std::string> InstalledCompilers();

// Compile `source` to `output`. False if the compiler refuses, crashes or takes over a minute:
// `said` has its words.
bool CompileForDevice(const std::string& source, const Build& build, const std::string& output,
                      std::string& said);
bool CompileForHost(const std::string& source, const std::string& output, bool is_sanitized,
                    std::string& said);

}  // namespace gcnjit::source_fuzz
