#include "debug/value.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

namespace gcnjit::debug {
namespace {

Error NoNumber(const std::string& text, const char* why) {
  return {ErrorCode::kInvalidArgument, fmt::format("'{}' {}", text, why)};
}

bool IsHex(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.starts_with("0x") || text.starts_with("0X");
}

Result<uint64_t> ParseWhole(const std::string& text, size_t bytes) {
  std::string_view digits = text;
  const bool is_negative = digits.starts_with('-');
  if (is_negative) digits.remove_prefix(1);
  const int base = IsHex(text) ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [next, status] = std::from_chars(digits.data(), end, number, base);
  const uint64_t most = ~uint64_t{0} >> (64 - 8 * bytes);
  if (status == std::errc::result_out_of_range)
    return NoNumber(text, "has more bits than there are");
  if (status != std::errc() || next != end) return NoNumber(text, "is no number");
  if (number > (is_negative ? most / 2 + 1 : most))
    return NoNumber(text, "has more bits than there are");
  return (is_negative ? -number : number) & most;
}

// Its last character may be an f.
template <typename Float>
Result<uint64_t> ParseFloat(const std::string& text) {
  std::string_view digits = text;
  if (digits.ends_with('f') && !digits.ends_with("inf")) digits.remove_suffix(1);
  Float number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [next, status] = std::from_chars(digits.data(), end, number);
  if (status == std::errc::result_out_of_range) return NoNumber(text, "is out of range");
  if (status != std::errc() || next != end) return NoNumber(text, "is no number");
  if constexpr (sizeof(Float) == 4)
    return uint64_t{std::bit_cast<uint32_t>(number)};
  else
    return std::bit_cast<uint64_t>(number);
}

}  // namespace

Result<uint64_t> ParseValue(const std::string& text, size_t bytes,
                            std::optional<NumberFormat> format) {
  const bool wants_float = format == NumberFormat::kF32 || format == NumberFormat::kF64;
  const bool is_float = !IsHex(text) && (wants_float || text.find_first_of(".efn") != text.npos);
  if (!is_float) return ParseWhole(text, bytes);
  if (bytes == 1) return NoNumber(text, "is no number of 8 bits");
  return bytes == 4 ? ParseFloat<float>(text) : ParseFloat<double>(text);
}

}  // namespace gcnjit::debug
