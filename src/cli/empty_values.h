// Options with an empty value, as from a variable of the shell that is not set: no option means
// anything by it, and to take it for absent would do something else than what was asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gcnjit::cli {

// The option of the command, or of what it has parsed, that was given as `--option ""`; empty:
// none.
std::string OptionWithoutValue(const CLI::App& command);

// Likewise for `--option=`, which would take the next argument. Before the command line is parsed.
std::string OptionWithoutValue(const CLI::App& app, int argc, char** argv);

}  // namespace gcnjit::cli
