#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "cli/completions.h"

namespace gcnjit::cli {
namespace {

// For single quotes, in which `special` characters get a backslash.
std::string InZshQuotes(std::string_view text, std::string_view special) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string ZshAction(const CommandOption& option) {
  if (option.choices.empty()) return "_files";
  return fmt::format("({})", fmt::join(option.choices, " "));
}

// As _arguments wants it: --name=[what it does]:value:action
std::string ZshOption(const CommandOption& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += fmt::format(" \\\n        '{}{}", option.repeats ? "*" : "", name);
    if (option.value_is_optional) {
      text += "=-";  // in the same word
    } else if (!option.value.empty()) {
      text += "=";
    }
    text += "[" + InZshQuotes(option.description, "[]\\") + "]";
    if (option.value_is_optional) {
      text += "::" + option.value + ": ";
    } else if (!option.value.empty()) {
      text += ":" + option.value + ":" + ZshAction(option);
    }
    text += "'";
  }
  return text;
}

std::string ZshCommand(const CommandTree& command) {
  std::string text = fmt::format("    {})\n      _arguments", command.name);
  for (const CommandOption& option : command.options) text += ZshOption(option);
  for (const CommandOption& positional : command.positionals) {
    text += fmt::format(" \\\n        ':{}:{}'", positional.names.front(),
                        command.runs_program ? "_command_names -e" : ZshAction(positional));
  }
  if (command.runs_program) text += " \\\n        '*::argument:_normal'";
  return text + " ;;\n";
}

}  // namespace

std::string ZshCompletions(const CommandTree& program) {
  std::string commands;
  std::string cases;
  for (const CommandTree& command : program.commands) {
    commands +=
        fmt::format("      '{}:{}'\n", command.name, InZshQuotes(command.description, ":\\"));
    cases += ZshCommand(command);
  }
  std::string options;
  for (const CommandOption& option : program.options) options += ZshOption(option);
  return fmt::format(
      "#compdef gcnjit\n"
      "# zsh completion for gcnjit, made by 'gcnjit completions zsh'\n"
      "_gcnjit() {{\n"
      "  local curcontext=\"$curcontext\" state line\n"
      "  local -a commands\n"
      "  typeset -A opt_args\n"
      "  _arguments -C{} \\\n"
      "        '1:command:->command' '*::argument:->arguments'\n"
      "  case $state in\n"
      "  command)\n"
      "    commands=(\n{}    )\n"
      "    _describe command commands ;;\n"
      "  arguments)\n"
      "    case $words[1] in\n{}    esac ;;\n"
      "  esac\n"
      "}}\n"
      "if [[ $funcstack[1] = _gcnjit ]]; then\n"
      "  _gcnjit \"$@\"\n"
      "else\n"
      "  compdef _gcnjit gcnjit\n"
      "fi\n",
      options, commands, cases);
}

}  // namespace gcnjit::cli
