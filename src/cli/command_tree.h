// The command line as plain data, read from its parser: what manual pages and completions are made
// of.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gcnjit::cli {

struct CommandOption {
  std::vector<std::string> names;  // "-h", "--help"; a positional argument has one, "FILE"
  std::string description;
  std::string value;                 // "SECONDS", "TEXT"; empty: it takes none
  std::vector<std::string> choices;  // all that the value may be; empty: not a list
  std::string default_value;         // empty: none, or none that is known
  bool value_is_optional = false;
  bool repeats = false;
  bool required = false;
};

struct CommandTree {
  std::string name;  // "gcnjit", "run"
  std::string description;
  std::string footer;
  std::vector<CommandOption> options;      // in the order of --help
  std::vector<CommandOption> positionals;  // likewise
  std::vector<CommandTree> commands;
  bool runs_program = false;  // its positional argument is a program with arguments of its own
};

CommandTree TreeOf(const CLI::App& app);

// A subcommand; nullptr: there is none of that name.
const CLI::App* FindCommand(const CLI::App& app, const std::string& name);

}  // namespace gcnjit::cli
