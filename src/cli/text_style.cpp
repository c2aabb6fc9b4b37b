#include "cli/text_style.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace gcnjit::cli {

TextStyle TextStyle::OfStandardOutput() {
  // https://no-color.org: any value but an empty one.
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  const bool unwanted = no_colour != nullptr && *no_colour != '\0';
  return TextStyle(::isatty(STDOUT_FILENO) == 1 && !unwanted && !is_dumb);
}

std::string TextStyle::In(std::string_view code, std::string_view text) const {
  if (!has_colours_) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace gcnjit::cli
