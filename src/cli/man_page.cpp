#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace gcnjit::cli {
namespace {

// So that troff prints each character as it is. A hyphen is a minus: option names are copied.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\': escaped += "\\e"; break;
      case '-': escaped += "\\-"; break;
      case '\'': escaped += "\\(aq"; break;
      case '`': escaped += "\\(ga"; break;
      case '^': escaped += "\\(ha"; break;
      case '~': escaped += "\\(ti"; break;
      default: escaped += c;
    }
  }
  // A line that begins with a dot would be a request.
  return escaped.starts_with('.') ? "\\&" + escaped : escaped;
}

std::string Bold(std::string_view text) { return "\\fB" + Escaped(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Escaped(text) + "\\fR"; }

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Lines as they come: those with indentation stay as they are, others become paragraphs.
std::string Paragraphs(const std::vector<std::string_view>& lines) {
  std::string text;
  bool verbatim = false;
  for (const std::string_view line : lines) {
    const bool indented = line.starts_with(' ');
    if (indented != verbatim) text += indented ? ".RS 2\n.nf\n" : ".fi\n.RE\n";
    verbatim = indented;
    if (line.empty()) {
      text += ".PP\n";
    } else {
      text += Escaped(indented ? line.substr(std::min<size_t>(2, line.size())) : line) + "\n";
    }
  }
  return text + (verbatim ? ".fi\n.RE\n" : "");
}

// A footer's last part, after "Examples:", has a section of its own.
std::string Footer(const std::string& footer) {
  std::vector<std::string_view> notes = Lines(footer);
  std::vector<std::string_view> examples;
  for (size_t n = 0; n < notes.size(); ++n) {
    if (notes[n] != "Examples:") continue;
    examples.assign(notes.begin() + static_cast<long>(n) + 1, notes.end());
    notes.resize(n);
  }
  while (!notes.empty() && notes.back().empty()) notes.pop_back();
  std::string text;
  if (!notes.empty()) text += ".SH NOTES\n" + Paragraphs(notes);
  if (!examples.empty()) text += ".SH EXAMPLES\n" + Paragraphs(examples);
  return text;
}

std::string ValueText(const CommandOption& option) {
  if (option.choices.empty()) return Italic(option.value);
  std::string text;
  for (const std::string& choice : option.choices) {
    text += (text.empty() ? "" : "|") + Bold(choice);
  }
  return text;
}

std::string OptionText(const CommandOption& option) {
  std::string text = ".TP\n";
  for (const std::string& name : option.names) {
    text += (&name == &option.names.front() ? "" : ", ") + Bold(name);
  }
  if (option.value_is_optional) {
    text += "[=" + ValueText(option) + "]";
  } else if (!option.value.empty()) {
    text += " " + ValueText(option);
  }
  text += "\n" + Escaped(option.description);
  if (!option.default_value.empty() && !option.value_is_optional) {
    text += fmt::format(" (default: {})", Escaped(option.default_value));
  }
  return text + "\n";
}

std::string Title(const std::string& name, const std::string& description,
                  const std::string& version) {
  std::string upper = name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string what = description;
  if (what.ends_with('.')) what.pop_back();
  return fmt::format(".TH {} 1 \"\" \"gcnjit {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     Escaped(upper), version, Escaped(name), Escaped(what));
}

ManPage CommandPage(const CommandTree& program, const CommandTree& command,
                    const std::string& version) {
  ManPage page{program.name + "-" + command.name, {}};
  page.text = Title(page.name, command.description, version);
  page.text += fmt::format(".SH SYNOPSIS\n{} [{}]...", Bold(program.name + " " + command.name),
                           Italic("OPTION"));
  for (const CommandOption& positional : command.positionals) {
    const std::string name = Italic(positional.names.front());
    page.text += positional.required ? " " + name : " [" + name + "]";
  }
  page.text += command.runs_program ? " [" + Italic("ARGUMENT") + "]...\n" : "\n";
  page.text += ".SH OPTIONS\n";
  for (const CommandOption& positional : command.positionals) {
    page.text +=
        ".TP\n" + Italic(positional.names.front()) + "\n" + Escaped(positional.description) + "\n";
  }
  for (const CommandOption& option : command.options) page.text += OptionText(option);
  page.text += Footer(command.footer);
  page.text += fmt::format(".SH \"SEE ALSO\"\n{}(1)\n", Bold(program.name));
  return page;
}

}  // namespace

std::vector<ManPage> ManPages(const CommandTree& program, const std::string& version) {
  std::vector<ManPage> pages;
  std::string text = Title(program.name, program.description, version);
  text += fmt::format(".SH SYNOPSIS\n{} {} [{}]...\n.SH COMMANDS\n", Bold(program.name),
                      Italic("COMMAND"), Italic("ARGUMENT"));
  std::string see_also;
  for (const CommandTree& command : program.commands) {
    const std::string page = Bold(program.name + "-" + command.name) + "(1)";
    text += fmt::format(".TP\n{}\n{}; see {}\n", Bold(command.name), Escaped(command.description),
                        page);
    see_also += (see_also.empty() ? "" : ",\n") + page;
  }
  text += ".SH OPTIONS\n";
  for (const CommandOption& option : program.options) text += OptionText(option);
  text += Footer(program.footer) + ".SH \"SEE ALSO\"\n" + see_also + "\n";
  pages.push_back({program.name, std::move(text)});
  for (const CommandTree& command : program.commands) {
    pages.push_back(CommandPage(program, command, version));
  }
  return pages;
}

}  // namespace gcnjit::cli
