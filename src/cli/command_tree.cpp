#include "cli/command_tree.h"

#include <algorithm>
#include <string_view>

#include "cli/names.h"

namespace gcnjit::cli {
namespace {

// "{interp,jit}" at the end of a type's name.
std::vector<std::string> ChoicesIn(const std::string& type) {
  const size_t begin = type.rfind('{');
  if (begin == std::string::npos || type.back() != '}') return {};
  return SplitNames(type.substr(begin + 1, type.size() - begin - 2));
}

// A type's name is "TEXT", or "FLOAT:SECONDS" where a validator knows better, or names its limits:
// "UINT:POSITIVE", "UINT:UINT in [1 - 16]".
std::string ValueIn(const std::string& type) {
  const size_t colon = type.find(':');
  const std::string base = type.substr(0, colon);
  if (colon == std::string::npos) return base;
  const std::string better = type.substr(colon + 1);
  const bool is_word = std::ranges::all_of(better, [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_word && better != "POSITIVE" && better != "NONNEGATIVE" ? better : base;
}

CommandOption Read(const CLI::Option& option) {
  CommandOption read;
  for (const std::string& name : option.get_snames()) read.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) read.names.push_back("--" + name);
  if (option.get_positional()) read.names = {option.get_name(/*positional=*/true)};
  read.description = option.get_description();
  read.required = option.get_required();
  if (option.get_items_expected_max() == 0) return read;  // a flag
  const std::string type = option.get_type_name();
  read.value = ValueIn(type);
  read.choices = ChoicesIn(type);
  read.default_value = option.get_default_str();
  read.value_is_optional = option.get_items_expected_min() == 0;
  read.repeats = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  return read;
}

}  // namespace

CommandTree TreeOf(const CLI::App& app) {
  CommandTree tree;
  tree.name = app.get_name();
  tree.description = app.get_description();
  tree.footer = app.get_footer();
  tree.runs_program = app.get_positionals_at_end();
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? tree.positionals : tree.options).push_back(Read(*option));
  }
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    tree.commands.push_back(TreeOf(*command));
  }
  return tree;
}

const CLI::App* FindCommand(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

}  // namespace gcnjit::cli
