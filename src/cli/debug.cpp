// gcnjit debug: a kernel in the interpreter, under control, forwards and backwards.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/argument_spec.h"
#include "cli/command_lines.h"
#include "cli/commands.h"
#include "cli/dap_server.h"
#include "cli/debug_console.h"
#include "cli/line_editor.h"
#include "cli/message.h"
#include "cli/names.h"
#include "differential/fixed_addresses.h"

namespace gcnjit::cli {
namespace {

struct DebugCommandOptions : DebugOptions {
  std::vector<std::string> command_files;
  bool dap = false;
};

int FailDebug(const std::string& message) {
  PrintMessage("gcnjit debug: {}\n", message);
  return kExitBadInput;
}

// What Ctrl-C sets while a person debugs.
std::atomic<bool> interrupted = false;

void Say(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

// Commands from a file or a pipe: a mistake ends it. Each is shown before what it says.
bool RunCommands(DebugConsole& console, CommandLines& commands, const std::string& name) {
  const auto fail = [&](uint64_t number, const Error& error) {
    FailDebug(fmt::format("{}:{}: {}", name, number, error.message));
    return false;
  };
  for (uint64_t number = 1; !console.is_over(); ++number) {
    const auto next = commands.Next();
    if (!next) return fail(number, next.error());
    if (!*next) break;
    const std::string& line = **next;
    if (line.find_first_not_of(" \t") == std::string::npos || line.starts_with('#')) continue;
    Say(fmt::format("(gcnjit) {}\n", line));
    const auto text = console.Execute(line);
    if (!text) return fail(number, text.error());
    Say(*text);
  }
  return true;
}

int RunCommandFiles(DebugConsole& console, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    auto commands = CommandLines::Open(file);
    if (!commands) {
      return FailDebug(fmt::format("cannot read {}: {}", file, commands.error().message));
    }
    if (!RunCommands(console, *commands, file)) return kExitBadInput;
  }
  return kExitDone;
}

// What the names of commands that begin so go on with.
std::vector<std::string> EndingsOf(const std::string& begin) {
  std::vector<std::string> endings;
  for (const DebugConsole::Command& command : DebugConsole::Commands()) {
    const std::string name = SplitNames(command.names).front();
    if (name.starts_with(begin)) endings.push_back(name.substr(begin.size()));
  }
  return endings;
}

// A person types. An empty line is the last command again.
int Converse(DebugTarget& target, DebugConsole& console, const TextStyle& style) {
  std::signal(SIGINT, [](int) { interrupted = true; });
  target.session().is_interrupted = [] { return interrupted.exchange(false); };
  LineEditor editor(EndingsOf);
  std::string last;
  while (!console.is_over()) {
    const auto line = editor.Read("(gcnjit) ");
    if (!line) break;
    if (!line->empty()) last = *line;
    interrupted = false;
    const auto text = console.Execute(last);
    Say(text ? *text : style.Red(text.error().message) + "\n");
  }
  return kExitDone;
}

int Run(const DebugCommandOptions& options) {
  differential::FixAddresses();
  if (options.dap && !options.command_files.empty()) {
    return FailDebug("with --dap the client says what to do: leave out -x");
  }
  if (options.dap) return ServeDap(options);
  if (options.file.empty()) return FailDebug("give CODE_OBJECT and --global, or --dap");
  const auto code = WithDebugTarget(options, [&](DebugTarget& target) -> int {
    const TextStyle style = TextStyle::OfStandardOutput();
    DebugConsole console(target, style, ::isatty(STDOUT_FILENO) == 1);
    Say(console.Begin());
    if (!options.command_files.empty()) return RunCommandFiles(console, options.command_files);
    if (::isatty(STDIN_FILENO) == 1) return Converse(target, console, style);
    auto commands = CommandLines::OfStandardInput();
    return RunCommands(console, commands, "standard input") ? kExitDone : kExitBadInput;
  });
  return code ? *code : FailDebug(code.error().message);
}

}  // namespace

void AddDebug(CLI::App& app, Action& action) {
  auto options = std::make_shared<DebugCommandOptions>();
  CLI::App* debug =
      app.add_subcommand("debug", "Run a kernel under control, forwards and backwards");
  AddLaunchOptions(*debug, *options, /*required=*/false);
  debug
      ->add_option("-x,--commands", options->command_files,
                   "Execute the commands in a file, then end; once for each file")
      ->allow_extra_args(false);
  debug->add_flag("--dap", options->dap,
                  "Serve the Debug Adapter Protocol on standard input and output; the client's "
                  "launch request says what is not said here");
  debug
      ->add_option("--check", options->check,
                   "Stop at mistakes of the kernel: memory,races,waits,barriers,uninit,atomics; "
                   "all if nothing is said")
      ->expected(0, 1)
      ->default_str("all")
      ->type_name("KINDS");
  debug->footer(
      std::string(kSpecHelp) +
      "\n\nThe kernel runs in the interpreter, on one host thread, and stops before its first\n"
      "instruction. 'help' lists the commands. Output files are not written.\n\nExamples:\n"
      "  gcnjit debug saxpy.co --kernel saxpy --global 1024 --arg f32:2.5 \\\n"
      "      --arg iota:f32:1024 --arg buf:4096\n"
      "  gcnjit debug saxpy.co --kernel saxpy --global 1024 --check -x commands.txt \\\n"
      "      --arg f32:2.5 --arg iota:f32:1024 --arg buf:4096");
  debug->callback([options, &action] { action = [options] { return Run(*options); }; });
}

}  // namespace gcnjit::cli
