// What --help prints, from the texts that the manual pages are made of, too.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace gcnjit::cli {

// `name`: as it is called, "gcnjit run". A screen of 50 lines and 100 columns: the first example,
// all options, and what a footer says; other examples are in the manual.
std::string HelpText(const CommandTree& command, const std::string& name);

}  // namespace gcnjit::cli
