// The gcnjit program: parses the command line and runs a subcommand.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/empty_values.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/nearest_name.h"
#include "cli/standard_streams.h"
#include "confined/process.h"
#include "confined/serve.h"
#include "runtime/host/host_thread.h"

namespace gcnjit::cli {
namespace {

// What is wrong with the command line, and where to read on.
std::string DescribeMistake(const CLI::App* app, const CLI::Error& error) {
  std::string command = app->get_name();
  for (const CLI::App* chosen : app->get_subcommands()) command += " " + chosen->get_name();
  return fmt::format("{}: {}\n'{} --help' explains it.\n", command, error.what(), command);
}

// Libraries run out of memory in functions that may not throw, such as the destructor of JSON.
[[noreturn]] void Terminate() {
  if (const auto exception = std::current_exception()) {
    try {
      std::rethrow_exception(exception);
    } catch (const std::bad_alloc&) {
      PrintMessage("gcnjit: out of host memory, in a library that does not say so\n");
      ::_exit(kExitBadInput);
    } catch (...) {
    }
  }
  std::abort();
}

// The first argument is no command.
int RefuseCommand(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  const std::string nearest = NearestName(name, names);
  PrintMessage("gcnjit: there is no command '{}'{}\n'gcnjit --help' lists them.\n", name,
               nearest.empty() ? std::string() : fmt::format("; is '{}' meant?", nearest));
  return kExitBadInput;
}

int RefuseEmpty(const std::string& command, const std::string& option) {
  PrintMessage("gcnjit {0}: {1} has an empty value\n'gcnjit {0} --help' explains it.\n", command,
               option);
  return kExitBadInput;
}

int ParseAndRun(int argc, char** argv) {
  CLI::App app("Runs AMD GCN GPU code objects (gfx6 to gfx942) on the CPU.", "gcnjit");
  app.require_subcommand(1);
  app.formatter_fn([](const CLI::App* command, const std::string& name, CLI::AppFormatMode) {
    return HelpText(TreeOf(*command), name);
  });
  app.failure_message(DescribeMistake);
  app.set_version_flag("--version", "gcnjit " GCNJIT_VERSION);
  app.footer(
      "Exit codes: 0 done, 2 bad usage or input, 3 guest fault, 4 mismatch, 5 time-out,\n"
      "6 findings of run --check.\n"
      "'gcnjit COMMAND --help' explains a command, with examples.");
  Action action;
  AddExec(app, action);
  AddRun(app, action);
  AddDebug(app, action);
  AddBench(app, action);
  AddInfo(app, action);
  AddDisasm(app, action);
  AddIsa(app, action);
  AddFuzz(app, action);
  AddDiff(app, action);
  AddCompletions(app, action);
  AddManual(app, action);
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    command->add_flag("-q,--quiet", IsQuiet(), "No progress and no notes on stderr");
  }
  if (argc > 1 && argv[1][0] != '-' && FindCommand(app, argv[1]) == nullptr) {
    return RefuseCommand(app, argv[1]);
  }
  if (const std::string option = OptionWithoutValue(app, argc, argv); !option.empty()) {
    return RefuseEmpty(argv[1], option);
  }
  try {
    app.parse(argc, argv);
    if (const std::string option = OptionWithoutValue(app); !option.empty()) {
      return RefuseEmpty(app.get_subcommands().front()->get_name(), option);
    }
  } catch (const CLI::RequiredError& error) {
    // What is missing may be there under a name that is wrong.
    std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
    std::erase(unknown, "--");
    app.exit(unknown.empty() ? CLI::Error(error) : CLI::ExtrasError(unknown));
    return kExitBadInput;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitBadInput;
  }
  return action();
}

int Run(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    PrintMessage("gcnjit: this processor lacks AVX2 or FMA, which gcnjit needs\n");
    return kExitBadInput;
  }
  try {
    return ParseAndRun(argc, argv);
  } catch (const std::bad_alloc&) {
    PrintMessage("gcnjit: out of host memory\n");
    return kExitBadInput;
  } catch (const std::exception& error) {
    PrintMessage("gcnjit: {}\n", error.what());
    return kExitBadInput;
  }
}

// A process may have a few KiB of stack only.
int RunWithEnoughStack(int argc, char** argv) {
  constexpr rlim_t kEnough = 1 << 20;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnough) return Run(argc, argv);
  int exit_code = kExitBadInput;
  {
    const auto thread = runtime::HostThread::Start([&] { exit_code = Run(argc, argv); });
    if (!thread) {
      PrintMessage("gcnjit: the stack is small (ulimit -s), and {}\n", thread.error().message);
    }
  }
  return exit_code;
}

}  // namespace
}  // namespace gcnjit::cli

int main(int argc, char** argv) {
  using namespace gcnjit::cli;
  if (argc == 2 && argv[1] == gcnjit::confined::kConfinedMode) {
    return gcnjit::confined::ServeConfined();
  }
  std::set_terminate(Terminate);
  PrepareStandardStreams();
  return FinishStandardOutput(RunWithEnoughStack(argc, argv));
}
