#include "cli/whole_number.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace gcnjit::cli {

CLI::Validator IsWholeNumber(uint64_t least, uint64_t most) {
  const auto why_not = [least, most](const std::string& text) -> std::string {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (is_number && value >= least && value <= most) return {};
    return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
  };
  return CLI::Validator(why_not, "");
}

}  // namespace gcnjit::cli
