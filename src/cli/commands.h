// The subcommands of the gcnjit program, one file each. Each adds itself to the command line; the
// function it registers is called after parsing and its result is the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace gcnjit::cli {

enum ExitCode : int {
  kExitDone = 0,
  kExitBadInput = 2,  // usage, files, arguments, code objects, limits
  kExitFault = 3,     // the guest faulted
  kExitMismatch = 4,  // results differ from what they should be
  kExitTimeout = 5,
  kExitFindings = 6,  // run --check has found something
};

using Action = std::function<int()>;

void AddExec(CLI::App& app, Action& action);
void AddRun(CLI::App& app, Action& action);
void AddBench(CLI::App& app, Action& action);
void AddInfo(CLI::App& app, Action& action);
void AddDisasm(CLI::App& app, Action& action);
void AddIsa(CLI::App& app, Action& action);
void AddFuzz(CLI::App& app, Action& action);
void AddDiff(CLI::App& app, Action& action);
void AddCompletions(CLI::App& app, Action& action);
void AddManual(CLI::App& app, Action& action);
void AddDebug(CLI::App& app, Action& action);

}  // namespace gcnjit::cli
