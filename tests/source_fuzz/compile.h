// Sources to code objects and to host libraries, by the compilers that are installed.
#pragma once

#include <cstdint>
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

enum class Compiled : uint8_t { kDone, kRefused, kOutOfTime };

// Compile `source` to `output`. If the compiler does not do it, `said` has its words.
Compiled CompileForDevice(const std::string& source, const Build& build, const std::string& output,
                          std::string& said);
bool CompileForHost(const std::string& source, const std::string& output, bool is_sanitized,
                    std::string& said);

}  // namespace gcnjit::source_fuzz
