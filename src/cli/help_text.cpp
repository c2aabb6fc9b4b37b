#include "cli/help_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace gcnjit::cli {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kColumn = 26;  // where descriptions begin
constexpr std::string_view kExamples = "Examples:\n";

// In lines of up to kWidth, after a name; all but the first begin at kColumn.
std::string Entry(const std::string& name, std::string_view description) {
  std::string text = fmt::format("  {:<{}}", name, kColumn - 2);
  if (text.size() > kColumn) text += " ";
  size_t column = text.size();
  bool is_first = true;
  while (!description.empty()) {
    const size_t end = std::min(description.find(' '), description.size());
    if (!is_first && column + 1 + end > kWidth) {
      text += "\n" + std::string(kColumn, ' ');
      column = kColumn;
      is_first = true;
    }
    text += is_first ? "" : " ";
    text += description.substr(0, end);
    column += end + (is_first ? 0 : 1);
    is_first = false;
    description.remove_prefix(std::min(end + 1, description.size()));
  }
  return text + "\n";
}

std::string ValueOf(const CommandOption& option) {
  std::string value = option.value;
  if (!option.choices.empty()) value = fmt::format("{}", fmt::join(option.choices, "|"));
  return value;
}

std::string OptionEntry(const CommandOption& option) {
  std::string name = fmt::format("{}", fmt::join(option.names, ","));
  if (option.value_is_optional) {
    name += "[=" + ValueOf(option) + "]";
  } else if (!option.value.empty()) {
    name += " " + ValueOf(option);
  }
  std::string description = option.description;
  if (!option.default_value.empty() && !option.value_is_optional) {
    description += " (" + option.default_value + ")";
  }
  return Entry(name, description);
}

// What stands before the examples, without empty lines at its end.
std::string_view NotesIn(std::string_view footer) {
  std::string_view notes = footer.substr(0, std::min(footer.find(kExamples), footer.size()));
  while (notes.ends_with('\n')) notes.remove_suffix(1);
  return notes;
}

// The first example: a line, and those that go on with it. `more`: are there others?
std::string_view FirstExample(std::string_view footer, bool* more) {
  const size_t at = footer.find(kExamples);
  *more = false;
  if (at == std::string_view::npos) return {};
  const std::string_view examples = footer.substr(at + kExamples.size());
  size_t end = 0;
  do {
    end = std::min(examples.find('\n', end), examples.size() - 1) + 1;
  } while (end < examples.size() && examples.substr(end).starts_with("   "));
  *more = end < examples.size();
  return examples.substr(0, end);
}

}  // namespace

std::string HelpText(const CommandTree& command, const std::string& name) {
  std::string usage = "Usage: " + name + (command.commands.empty() ? " [OPTIONS]" : " COMMAND ...");
  for (const CommandOption& positional : command.positionals) {
    const std::string& what = positional.names.front();
    usage += positional.required ? " " + what : " [" + what + "]";
  }
  std::string text = command.description + "\n" + usage + "\n";
  bool more = false;
  if (const std::string_view example = FirstExample(command.footer, &more); !example.empty()) {
    text += fmt::format("\nExample:\n{}{}", example, example.ends_with('\n') ? "" : "\n");
  }
  if (!command.positionals.empty()) text += "\n";
  for (const CommandOption& positional : command.positionals) {
    text += Entry(positional.names.front(), positional.description);
  }
  text += "\nOptions:\n";
  for (const CommandOption& option : command.options) text += OptionEntry(option);
  if (!command.commands.empty()) text += "\nSubcommands:\n";
  for (const CommandTree& sub : command.commands) text += Entry(sub.name, sub.description);
  if (const std::string_view notes = NotesIn(command.footer); !notes.empty()) {
    text += fmt::format("\n{}\n", notes);
  }
  if (more) {
    std::string page = name;
    std::ranges::replace(page, ' ', '-');
    text += fmt::format("\nMore examples: man {}\n", page);
  }
  return text;
}

}  // namespace gcnjit::cli
