#include "cli/empty_values.h"

#include <algorithm>
#include <string_view>

#include "cli/command_tree.h"

namespace gcnjit::cli {

std::string OptionWithoutValue(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option->get_items_expected_max() == 0) continue;
    const auto& values = option->results();
    if (std::ranges::find(values, "") != values.end()) return option->get_name();
  }
  for (const CLI::App* chosen : command.get_subcommands()) {
    if (std::string found = OptionWithoutValue(*chosen); !found.empty()) return found;
  }
  return {};
}

std::string OptionWithoutValue(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return {};
  const CLI::App* const command = FindCommand(app, argv[1]);
  if (command == nullptr) return {};
  for (int n = 2; n < argc; ++n) {
    const std::string_view word = argv[n];
    if (word == "--") break;
    // Where a program's own arguments begin.
    if (command->get_positionals_at_end() && !word.starts_with('-')) break;
    if (!word.starts_with("--") || !word.ends_with('=')) continue;
    std::string name(word.substr(0, word.size() - 1));
    if (command->get_option_no_throw(name) != nullptr) return name;
  }
  return {};
}

}  // namespace gcnjit::cli
