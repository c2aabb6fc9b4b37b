// gcnjit manual, gcnjit completions: what the command line says of itself, for man and for shells.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/completions.h"
#include "cli/files.h"
#include "cli/man_page.h"
#include "cli/message.h"

namespace gcnjit::cli {
namespace {

int WriteManual(const CommandTree& program, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // if it fails, so does writing
  for (const ManPage& page : ManPages(program, GCNJIT_VERSION)) {
    const auto written =
        WriteFile(folder / (page.name + ".1"), std::as_bytes(std::span(page.text)));
    if (written) continue;
    PrintMessage("gcnjit manual: {}\n", written.error().message);
    return kExitBadInput;
  }
  return kExitDone;
}

int PrintCompletions(const CommandTree& program, const std::string& shell) {
  const auto completions = shell == "bash"  ? BashCompletions
                           : shell == "zsh" ? ZshCompletions
                                            : FishCompletions;
  fmt::print("{}", completions(program));
  return kExitDone;
}

}  // namespace

void AddCompletions(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completions =
      app.add_subcommand("completions", "Print what a shell needs to complete command lines");
  completions->add_option("SHELL", *shell, "bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  completions->footer(
      "Examples:\n"
      "  gcnjit completions fish > ~/.config/fish/completions/gcnjit.fish\n"
      "  source <(gcnjit completions bash)  # in ~/.bashrc\n"
      "  source <(gcnjit completions zsh)   # in ~/.zshrc, after compinit");
  completions->callback([shell, &app, &action] {
    action = [shell, &app] { return PrintCompletions(TreeOf(app), *shell); };
  });
}

void AddManual(CLI::App& app, Action& action) {
  auto folder = std::make_shared<std::string>();
  CLI::App* manual = app.add_subcommand("manual", "Write manual pages, one for each command");
  manual->add_option("FOLDER", *folder, "Where to: gcnjit.1, gcnjit-run.1, ...")->required();
  manual->footer("Examples:\n  gcnjit manual pages && man -l pages/gcnjit-run.1");
  manual->callback([folder, &app, &action] {
    action = [folder, &app] { return WriteManual(TreeOf(app), *folder); };
  });
}

}  // namespace gcnjit::cli
