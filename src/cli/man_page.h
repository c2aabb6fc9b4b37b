// Manual pages (man(7)) from the texts of the command line.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace gcnjit::cli {

struct ManPage {
  std::string name;  // "gcnjit-run": the file is gcnjit-run.1
  std::string text;
};

// The program's own page, then one for each command.
std::vector<ManPage> ManPages(const CommandTree& program, const std::string& version);

}  // namespace gcnjit::cli
