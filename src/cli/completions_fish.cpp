#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "cli/completions.h"

namespace gcnjit::cli {
namespace {

std::string InFishQuotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// `condition`: when it is offered.
std::string FishOption(const CommandOption& option, const std::string& condition) {
  std::string text = "complete -c gcnjit -n " + InFishQuotes(condition);
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    text += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
  }
  if (!option.choices.empty()) {
    text += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  } else if (!option.value.empty() && !option.value_is_optional) {
    text += " -r -F";
  }
  return text + " -d " + InFishQuotes(option.description) + "\n";
}

}  // namespace

std::string FishCompletions(const CommandTree& program) {
  std::string text =
      "# fish completion for gcnjit, made by 'gcnjit completions fish'\n"
      "complete -c gcnjit -f\n";
  for (const CommandTree& command : program.commands) {
    text += fmt::format("complete -c gcnjit -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        InFishQuotes(command.description));
  }
  for (const CommandOption& option : program.options) {
    text += FishOption(option, "__fish_use_subcommand");
  }
  for (const CommandTree& command : program.commands) {
    const std::string seen = "__fish_seen_subcommand_from " + command.name;
    for (const CommandOption& option : command.options) text += FishOption(option, seen);
    for (const CommandOption& positional : command.positionals) {
      text += "complete -c gcnjit -n " + InFishQuotes(seen);
      if (command.runs_program) {
        text += " -x -a '(__fish_complete_subcommand --fcs-skip=2)'\n";
      } else if (positional.choices.empty()) {
        text += " -F\n";
      } else {
        text += fmt::format(" -x -a '{}'\n", fmt::join(positional.choices, " "));
      }
    }
  }
  return text;
}

}  // namespace gcnjit::cli
