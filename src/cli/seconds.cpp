#include "cli/seconds.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace gcnjit::cli {
namespace {

constexpr double kMostSeconds = 1e9;  // 31 years

std::optional<double> FiniteNumber(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string NoSeconds(const std::string& text) {
  const std::optional<double> seconds = FiniteNumber(text);
  if (seconds && *seconds >= 0) return {};
  return fmt::format("'{}' is no number of seconds, 0 or more", text);
}

std::string NoSecondsUpTo(double most, const std::string& text) {
  const std::optional<double> seconds = FiniteNumber(text);
  if (seconds && *seconds >= 0 && *seconds <= most) return {};
  return fmt::format("'{}' is no number of seconds, from 0 to {:.0f}", text, most);
}

std::string NoTimeLimit(const std::string& text) {
  const std::optional<double> seconds = FiniteNumber(text);
  if (seconds && *seconds > 0 && *seconds <= kMostSeconds) return {};
  return fmt::format("'{}' is no number of seconds, above 0 and up to {:.0f}", text, kMostSeconds);
}

}  // namespace gcnjit::cli
