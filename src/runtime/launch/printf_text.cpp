#include "runtime/launch/printf_text.h"

#include <locale.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

namespace gcnjit::runtime {
namespace {

// Wider fields, and more digits, would make much text of few bytes.
constexpr uint32_t kMostWidth = 1000;

enum class Length { kNone, kChar, kShort, kInt, kLong };

struct Directive {
  std::string flags;
  std::optional<uint32_t> width;
  std::optional<uint32_t> precision;
  uint32_t elements = 0;  // of a vector; 0: a scalar
  Length length = Length::kNone;
  char conversion = 0;
  size_t size = 0;  // characters of the format
};

class DirectiveReader {
 public:
  explicit DirectiveReader(std::string_view text) : text_(text) {}

  // The directive at the start of the text, which is a '%'; nothing: it is none.
  std::optional<Directive> Read() {
    Directive d;
    at_ = 1;
    while (std::strchr("-+ #0", Peek()) != nullptr && Peek() != 0) d.flags += text_[at_++];
    d.width = Number();
    if (Skip(".")) d.precision = Number().value_or(0);
    if (Skip("v")) {
      const std::optional<uint32_t> elements = Number();
      constexpr uint32_t kVectors[] = {2, 3, 4, 8, 16};
      if (!elements || std::ranges::count(kVectors, *elements) == 0) return std::nullopt;
      d.elements = *elements;
    }
    d.length = ReadLength();
    d.conversion = Peek();
    if (std::string_view("diouxXcsfFeEgGaAp%").find(d.conversion) == std::string_view::npos ||
        d.conversion == 0) {
      return std::nullopt;
    }
    if (d.width > kMostWidth || d.precision > kMostWidth) return std::nullopt;
    d.size = at_ + 1;
    return d;
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Skip(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::optional<uint32_t> Number() {
    uint32_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (end == begin) return std::nullopt;
    at_ += static_cast<size_t>(end - begin);
    return status == std::errc() ? value : UINT32_MAX;
  }
  Length ReadLength() {
    if (Skip("hh")) return Length::kChar;
    if (Skip("hl")) return Length::kInt;  // OpenCL: of vectors with elements of 32 bits
    if (Skip("h")) return Length::kShort;
    if (Skip("ll") || Skip("l") || Skip("j") || Skip("z") || Skip("t")) return Length::kLong;
    return Length::kNone;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

uint64_t BitsOf(std::span<const std::byte> bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min(bytes.size(), sizeof bits));
  return bits;
}

int64_t SignExtended(uint64_t bits, size_t width) {
  const size_t unused = 64 - width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

// How many bits of the argument count.
size_t WidthOf(const Directive& d, size_t bytes) {
  size_t width = 32;
  if (d.length == Length::kChar) width = 8;
  if (d.length == Length::kShort) width = 16;
  if (d.length == Length::kLong) width = 64;
  return std::min(width, 8 * std::clamp<size_t>(bytes, 1, 8));
}

double FloatOf(std::span<const std::byte> bytes) {
  if (bytes.size() >= sizeof(double)) {
    double value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

// Kernels print alike wherever they run: a decimal point is none of the process's locale's.
class PlainLocale {
 public:
  PlainLocale() : before_(uselocale(Plain())) {}
  ~PlainLocale() { uselocale(before_); }
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  static locale_t Plain() {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    return plain;
  }
  const locale_t before_;
};

// What the host's printf makes of a directive. The format is one of ours.
template <typename T>
std::string Printed(const Directive& d, const char* length, T value) {
  std::string format = "%" + d.flags;
  if (d.width) format += std::to_string(*d.width);
  if (d.precision) format += "." + std::to_string(*d.precision);
  format += length;
  format += d.conversion;
  const PlainLocale plain;
  // The compiler cannot see that the format fits the value.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  const int size = std::snprintf(nullptr, 0, format.c_str(), value);
  std::string text(static_cast<size_t>(std::max(size, 0)) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
#pragma GCC diagnostic pop
  text.pop_back();
  return text;
}

std::string Scalar(const Directive& d, std::span<const std::byte> bytes) {
  switch (d.conversion) {
    case 'd':
    case 'i': {
      const int64_t value = SignExtended(BitsOf(bytes), WidthOf(d, bytes.size()));
      return Printed(d, "ll", static_cast<long long>(value));
    }
    case 'o':
    case 'u':
    case 'x':
    case 'X': {
      const size_t unused = 64 - WidthOf(d, bytes.size());
      const uint64_t value = BitsOf(bytes) << unused >> unused;
      return Printed(d, "ll", static_cast<unsigned long long>(value));
    }
    case 'c': return Printed(d, "", static_cast<int>(BitsOf(bytes) & 0xFF));
    case 'p': return Printed(d, "", reinterpret_cast<const void*>(BitsOf(bytes)));
    case 's': {
      const std::string text(TextOf(bytes));
      return Printed(d, "", text.c_str());
    }
    default: return Printed(d, "", FloatOf(bytes));
  }
}

std::string Vector(const Directive& d, std::span<const std::byte> bytes) {
  const size_t stride = bytes.size() / (d.elements == 3 ? 4 : d.elements);
  std::string text;
  for (size_t n = 0; n < d.elements; ++n) {
    if (n != 0) text += ',';
    text += Scalar(d, bytes.subspan(n * stride, stride));
  }
  return text;
}

}  // namespace

NextPrintfArgument SlotArguments(std::span<const std::byte>& rest) {
  return [&rest](bool is_text) {
    constexpr size_t kSlot = 8;
    // Only of text: it is looked through to its end, and arguments may be millions.
    const size_t wanted = is_text ? TextOf(rest).size() / kSlot * kSlot + kSlot : kSlot;
    const auto bytes = rest.first(std::min(rest.size(), wanted));
    rest = rest.subspan(bytes.size());
    return bytes;
  };
}

std::string_view TextOf(std::span<const std::byte> bytes) {
  const auto end = std::ranges::find(bytes, std::byte{0});
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(end - bytes.begin())};
}

std::string PrintfText(std::string_view format, const NextPrintfArgument& next, uint64_t most) {
  std::string text;
  while (!format.empty() && text.size() <= most) {
    const size_t percent = std::min(format.find('%'), format.size());
    text += format.substr(0, percent);
    format.remove_prefix(percent);
    if (format.empty()) break;
    const auto directive = DirectiveReader(format).Read();
    if (directive && directive->conversion == '%') {
      text += '%';
      format.remove_prefix(directive->size);
      continue;
    }
    const std::span<const std::byte> bytes =
        directive ? next(directive->conversion == 's') : std::span<const std::byte>();
    if (bytes.empty()) {
      text += '%';
      format.remove_prefix(1);
      continue;
    }
    text += directive->elements != 0 ? Vector(*directive, bytes) : Scalar(*directive, bytes);
    format.remove_prefix(directive->size);
  }
  return text;
}

}  // namespace gcnjit::runtime
