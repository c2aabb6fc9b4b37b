// --junit of the commands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "gcnjit/error.h"
#include "report/junit.h"

namespace gcnjit::cli {

using report::JunitCase;
using report::JunitSuite;

// --junit FILE
void AddJunitOption(CLI::App& command, std::string& path);
// Nothing if there is no path.
Result<void> WriteJunit(const std::string& path, const JunitSuite& suite);

}  // namespace gcnjit::cli
