#include "cli/junit.h"

#include <span>

#include "cli/files.h"

namespace gcnjit::cli {

void AddJunitOption(CLI::App& command, std::string& path) {
  command.add_option("--junit", path, "Write the result as JUnit XML, for CI systems")
      ->type_name("FILE");
}

Result<void> WriteJunit(const std::string& path, const JunitSuite& suite) {
  if (path.empty()) return {};
  const std::string text = ToXml(suite);
  return WriteFile(path, std::as_bytes(std::span(text)));
}

}  // namespace gcnjit::cli
