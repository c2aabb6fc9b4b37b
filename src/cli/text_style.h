// Colours on a terminal, where the user wants them.
#pragma once

#include <string>
#include <string_view>

namespace gcnjit::cli {

class TextStyle {
 public:
  // For standard output: colours if it is a terminal, and neither NO_COLOR is set nor TERM "dumb".
  static TextStyle OfStandardOutput();
  explicit TextStyle(bool has_colours) : has_colours_(has_colours) {}

  bool has_colours() const { return has_colours_; }
  std::string Bold(std::string_view text) const { return In("1", text); }
  std::string Dim(std::string_view text) const { return In("2", text); }
  std::string Red(std::string_view text) const { return In("31", text); }
  std::string Green(std::string_view text) const { return In("32", text); }
  std::string Yellow(std::string_view text) const { return In("33", text); }
  std::string Cyan(std::string_view text) const { return In("36", text); }

 private:
  std::string In(std::string_view code, std::string_view text) const;

  bool has_colours_;
};

}  // namespace gcnjit::cli
