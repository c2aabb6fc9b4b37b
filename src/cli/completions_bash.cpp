#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completions.h"

namespace gcnjit::cli {
namespace {

std::string NamesOf(const CommandTree& command) {
  std::vector<std::string> names;
  for (const CommandOption& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// An option's value is the next word, or follows '=', which bash makes a word of its own.
constexpr const char* kBashBegin =
    R"(# bash completion for gcnjit, made by 'gcnjit completions bash'
_gcnjit() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  local command="${COMP_WORDS[1]}" words="" at
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  COMPREPLY=()
)";

// After "--" another program's command line begins.
constexpr const char* kBashProgram = R"(
      for ((at = 2; at < COMP_CWORD; at++)); do
        [[ ${COMP_WORDS[at]} == -- ]] || continue
        if declare -F _command_offset >/dev/null; then
          _command_offset $((at + 1))
        elif ((COMP_CWORD == at + 1)); then
          COMPREPLY=($(compgen -c -- "$current"))
        fi
        return
      done ;;
)";

// Where nothing is said, bash completes names of files ("-o default").
constexpr const char* kBashEnd = R"(  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _gcnjit gcnjit
)";

}  // namespace

std::string BashCompletions(const CommandTree& program) {
  std::string commands;
  std::string programs;
  std::string values;
  std::string options;
  std::string positionals;
  for (const CommandTree& command : program.commands) {
    commands += command.name + " ";
    if (command.runs_program) programs += fmt::format("    {}){}", command.name, kBashProgram);
    options += fmt::format("      {}) words=\"{}\" ;;\n", command.name, NamesOf(command));
    for (const CommandOption& option : command.options) {
      if (option.value.empty() || option.value_is_optional) continue;
      for (const std::string& name : option.names) {
        values += fmt::format("    \"{} {}\") ", command.name, name);
        if (!option.choices.empty()) {
          values += fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); ",
                                fmt::join(option.choices, " "));
        }
        values += "return ;;\n";
      }
    }
    for (const CommandOption& positional : command.positionals) {
      if (positional.choices.empty()) continue;
      positionals += fmt::format("      {}) words=\"{}\" ;;\n", command.name,
                                 fmt::join(positional.choices, " "));
    }
  }
  return fmt::format(
      "{}"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W \"{}{}\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case $command in\n{}  esac\n"
      "  case \"$command $previous\" in\n{}  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    case $command in\n{}    esac\n"
      "  else\n"
      "    case $command in\n{}      *) return ;;\n    esac\n"
      "  fi\n"
      "{}",
      kBashBegin, commands, NamesOf(program), programs, values, options, positionals, kBashEnd);
}

}  // namespace gcnjit::cli
