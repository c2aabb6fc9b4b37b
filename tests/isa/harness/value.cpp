#include "harness/value.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "case_header.h"

namespace gcnjit::isa_tests {
namespace {

Error BadValue(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

uint64_t FloatBits(const std::string& decimal, FloatFormat format) {
  switch (format) {
    case FloatFormat::kF16:
      return std::bit_cast<uint16_t>(static_cast<_Float16>(std::strtod(decimal.c_str(), nullptr)));
    case FloatFormat::kF32: return std::bit_cast<uint32_t>(std::strtof(decimal.c_str(), nullptr));
    case FloatFormat::kF64: return std::bit_cast<uint64_t>(std::strtod(decimal.c_str(), nullptr));
  }
  return 0;
}

struct Special {
  std::string_view name;
  uint64_t bits[3];  // f16, f32, f64
};
constexpr Special kSpecials[] = {
    {"inf", {0x7C00, 0x7F800000, 0x7FF0000000000000}},
    {"nan", {0x7E00, 0x7FC00000, 0x7FF8000000000000}},
    {"snan", {0x7D00, 0x7FA00000, 0x7FF4000000000000}},
};
constexpr uint64_t kSignBits[3] = {0x8000, 0x80000000, 0x8000000000000000};

// A float literal: with a point, an exponent, or the name of a special value.
std::optional<uint64_t> ParseFloat(std::string_view token, FloatFormat format) {
  const bool negative = token.starts_with('-');
  const std::string_view magnitude = negative ? token.substr(1) : token;
  const int index = static_cast<int>(format);
  for (const Special& special : kSpecials) {
    if (magnitude == special.name) return special.bits[index] | (negative ? kSignBits[index] : 0);
  }
  if (magnitude.empty() || magnitude.find_first_not_of("0123456789.e+-") != magnitude.npos ||
      (magnitude[0] < '0' && magnitude[0] != '.') || magnitude[0] > '9') {
    return std::nullopt;
  }
  char* end = nullptr;
  const std::string text(token);
  std::strtod(text.c_str(), &end);
  if (*end != '\0') return std::nullopt;
  return FloatBits(text, format);
}

std::optional<uint64_t> ParseInteger(std::string_view token) {
  const bool negative = token.starts_with('-');
  if (negative) token.remove_prefix(1);
  const bool hexadecimal = token.starts_with("0x");
  if (hexadecimal) token.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(token.data(), token.data() + token.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != token.data() + token.size() || token.empty()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

// Does an integer, possibly written with a minus sign, fit a place of `bits`?
bool Fits(uint64_t value, bool negative, int bits) {
  if (bits == 64) return true;
  const uint64_t limit = uint64_t{1} << bits;
  return negative ? -value <= limit / 2 : value < limit;
}

// An integer or float literal without operators.
Result<Value> ParseScalar(std::string_view token, int bits) {
  Value value;
  value.is_qword = bits == 64;
  if (const auto integer = ParseInteger(token)) {
    if (!Fits(*integer, token.starts_with('-'), bits)) {
      return BadValue(fmt::format("{} does not fit {} bits", token, bits));
    }
    value.bits = bits == 64 ? *integer : *integer & ((uint64_t{1} << bits) - 1);
    value.format = bits == 16   ? FloatFormat::kF16
                   : bits == 32 ? FloatFormat::kF32
                                : FloatFormat::kF64;
    return value;
  }
  if (token.ends_with('q')) {
    if (const auto integer = ParseInteger(token.substr(0, token.size() - 1))) {
      value.bits = *integer;
      value.is_qword = true;
      return value;
    }
  }
  value.format = bits == 16   ? FloatFormat::kF16
                 : bits == 32 ? FloatFormat::kF32
                              : FloatFormat::kF64;
  if (const auto plain = ParseFloat(token, value.format)) {
    value.bits = *plain;
    return value;
  }
  if (!token.empty()) {
    const char suffix = token.back();
    value.format = suffix == 'h'   ? FloatFormat::kF16
                   : suffix == 'f' ? FloatFormat::kF32
                                   : FloatFormat::kF64;
    const auto typed = ParseFloat(token.substr(0, token.size() - 1), value.format);
    if (typed && (suffix == 'h' || suffix == 'f' || suffix == 'd')) {
      value.bits = *typed;
      value.is_qword = suffix == 'd' || bits == 64;
      return value;
    }
  }
  return BadValue(fmt::format("not a value: {}", token));
}

// A literal, a packed pair, or an address; with a tolerance.
Result<Value> ParseOne(std::string_view token, int bits) {
  if (token == "_") return Value{.kind = Value::Kind::kUnchanged, .symbol = {}};
  if (token == "*") return Value{.kind = Value::Kind::kAnything, .symbol = {}};
  uint32_t ulps = 0;
  if (const size_t tilde = token.find('~'); tilde != token.npos) {
    const auto count = ParseInteger(token.substr(tilde + 1));
    if (!count || *count > 1u << 20) return BadValue(fmt::format("bad tolerance: {}", token));
    ulps = static_cast<uint32_t>(*count);
    token = token.substr(0, tilde);
  }
  if (token.starts_with('&')) {
    Value value{.is_qword = true, .symbol = {}};
    const size_t plus = token.find('+');
    value.symbol = token.substr(1, plus == token.npos ? plus : plus - 1);
    if (plus != token.npos) {
      const auto offset = ParseInteger(token.substr(plus + 1));
      if (!offset) return BadValue(fmt::format("bad offset: {}", token));
      value.bits = *offset;
    }
    return value;
  }
  if (const size_t bar = token.find('|'); bar != token.npos) {
    const Result<Value> low = ParseScalar(token.substr(0, bar), 16);
    if (!low) return low.error();
    const Result<Value> high = ParseScalar(token.substr(bar + 1), 16);
    if (!high) return high.error();
    if (ulps != 0) return BadValue("packed values take no tolerance");
    Value value{.symbol = {}};
    value.bits = (low.value().bits & 0xFFFF) | (high.value().bits & 0xFFFF) << 16;
    return value;
  }
  Result<Value> value = ParseScalar(token, bits);
  if (value) value.value().ulps = ulps;
  return value;
}

constexpr uint64_t kMaxRepeat = 1 << 20;

// `A..B` or `A..B/STEP`; nullopt if the token is no range.
std::optional<Result<std::vector<Value>>> ParseRange(std::string_view token, int bits) {
  const size_t dots = token.find("..");
  if (dots == token.npos) return std::nullopt;
  std::string_view last = token.substr(dots + 2);
  uint64_t step = 1;
  if (const size_t slash = last.find('/'); slash != last.npos) {
    step = ParseInteger(last.substr(slash + 1)).value_or(0);
    last = last.substr(0, slash);
  }
  const auto begin = ParseInteger(token.substr(0, dots));
  const auto end = ParseInteger(last);
  if (!begin || !end || step == 0 || *end < *begin || (*end - *begin) / step >= kMaxRepeat) {
    return BadValue(fmt::format("bad range: {}", token));
  }
  std::vector<Value> values;
  for (uint64_t bits_now = *begin; bits_now <= *end; bits_now += step) {
    Value value{.is_qword = bits == 64, .symbol = {}};
    value.bits = bits_now;
    values.push_back(value);
  }
  return values;
}

}  // namespace

Result<std::vector<Value>> ParseValues(std::string_view text, int bits) {
  std::vector<Value> values;
  std::vector<std::string_view> tokens = SplitWords(text);
  std::optional<Value> base;
  if (tokens.size() >= 3 && tokens[0].starts_with('&') && tokens[1] == "+") {
    Result<Value> address = ParseOne(tokens[0], bits);
    if (!address) return address.error();
    base = *address;
    tokens.erase(tokens.begin(), tokens.begin() + 2);
  }
  for (std::string_view token : tokens) {
    if (const auto range = ParseRange(token, bits)) {
      if (!range->ok()) return range->error();
      values.insert(values.end(), range->value().begin(), range->value().end());
      continue;
    }
    uint64_t repeat = 1;
    if (const size_t star = token.find('*'); star != token.npos && star + 1 < token.size()) {
      repeat = ParseInteger(token.substr(star + 1)).value_or(0);
      if (repeat == 0 || repeat > kMaxRepeat) return BadValue(fmt::format("bad count: {}", token));
      token = token.substr(0, star);
    }
    Result<Value> value = ParseOne(token, bits);
    if (!value) return value.error();
    values.insert(values.end(), repeat, *value);
  }
  if (values.empty()) return BadValue("a list needs at least one value");
  if (base) {
    for (Value& value : values) {
      value.bits += base->bits;
      value.symbol = base->symbol;
      value.is_qword = true;
    }
  }
  return values;
}

bool WithinUlps(FloatFormat format, uint64_t got, uint64_t expected, uint32_t ulps) {
  const uint64_t sign = kSignBits[static_cast<int>(format)];
  const uint64_t infinity = kSpecials[0].bits[static_cast<int>(format)];
  const bool got_nan = (got & (sign - 1)) > infinity;
  const bool expected_nan = (expected & (sign - 1)) > infinity;
  if (got_nan || expected_nan) return got_nan && expected_nan;
  // Floats of one format are ordered like sign-magnitude integers.
  const auto order = [&](uint64_t bits) {
    const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
  };
  const int64_t a = order(got);
  const int64_t b = order(expected);
  const uint64_t distance = a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                                  : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
  return distance <= ulps;
}

std::string Show(uint64_t value, int bits) {
  if (bits == 64) {
    return fmt::format("{:#018x} ({})", value, std::bit_cast<double>(value));
  }
  const auto word = static_cast<uint32_t>(value);
  return fmt::format("{:#010x} ({})", word, std::bit_cast<float>(word));
}

}  // namespace gcnjit::isa_tests
