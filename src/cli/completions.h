// What shells need to complete gcnjit's command lines.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace gcnjit::cli {

// Scripts that the shell reads.
std::string BashCompletions(const CommandTree& program);
std::string ZshCompletions(const CommandTree& program);
std::string FishCompletions(const CommandTree& program);

}  // namespace gcnjit::cli
