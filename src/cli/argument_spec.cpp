#include "cli/argument_spec.h"

#include <fmt/format.h>
#include <immintrin.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <random>

#include "cli/files.h"
#include "runtime/host/physical_memory.h"

namespace gcnjit::cli {

const char* const kSpecHelp =
    "Arguments (--arg SPEC), in the order of the kernel's own; BYTES may end in K, M or G:\n"
    "  buf:BYTES               zeroed buffer\n"
    "  out:BYTES:PATH          likewise, written to PATH afterwards; '-' is standard output\n"
    "  in:PATH                 buffer with the contents of a file\n"
    "  inout:PATH:OUTPATH      likewise, written to OUTPATH afterwards\n"
    "  iota:TYPE:COUNT         buffer with 0, 1, 2, ...\n"
    "  rand:TYPE:COUNT[:SEED]  buffer with random values, floats in [0, 1)\n"
    "  TYPE:VALUE              by value; TYPE is i8 u8 i16 u16 f16 i32 u32 f32 i64 u64 f64\n"
    "  raw:PATH, bytes:HEX     by value: the bytes of a file; bytes such as 0100ff7f\n"
    "  local:BYTES             dynamic local memory (LDS)";

namespace {

constexpr uint64_t kMaxBufferBytes = uint64_t{1} << 37;
constexpr const char* kTooLarge = "a buffer has at most 128G";

Error Bad(const std::string& spec, const std::string& why) {
  return {ErrorCode::kInvalidArgument, fmt::format("--arg '{}': {}", spec, why)};
}

template <typename T>
std::optional<T> ParseInteger(std::string_view text) {
  int base = 10;
  bool negative = false;
  if (text.starts_with('-')) {
    negative = true;
    text.remove_prefix(1);
  }
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  if constexpr (std::is_unsigned_v<T>) {
    if (negative || magnitude > std::numeric_limits<T>::max()) return std::nullopt;
    return static_cast<T>(magnitude);
  } else {
    // Hexadecimal patterns with the sign bit set are welcome: i32:0xffffffff is -1.
    using U = std::make_unsigned_t<T>;
    if (base == 16 && !negative && magnitude <= std::numeric_limits<U>::max()) {
      return static_cast<T>(static_cast<U>(magnitude));
    }
    const uint64_t limit =
        static_cast<uint64_t>(std::numeric_limits<T>::max()) + (negative ? 1 : 0);
    if (magnitude > limit) return std::nullopt;
    return static_cast<T>(negative ? 0 - magnitude : magnitude);
  }
}

std::optional<double> ParseDouble(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

// More than fits in 64 bits is as much as does.
std::optional<uint64_t> ParseBytes(std::string_view text) {
  int shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'K': shift = 10; break;
      case 'M': shift = 20; break;
      case 'G': shift = 30; break;
      default: break;
    }
    if (shift != 0) text.remove_suffix(1);
  }
  const auto count = ParseInteger<uint64_t>(text);
  if (!count) return std::nullopt;
  return *count > UINT64_MAX >> shift ? UINT64_MAX : *count << shift;
}

// Nearest binary16. Going through float would round twice, so the float is rounded to odd: where it
// is inexact its last bit is set, and the second rounding sees that.
uint16_t ToHalf(double value) {
  float narrow = static_cast<float>(value);
  if (std::isfinite(value) && std::isfinite(narrow) && static_cast<double>(narrow) != value) {
    if (std::fabs(static_cast<double>(narrow)) > std::fabs(value))
      narrow = std::nextafter(narrow, 0.0f);
    narrow = std::bit_cast<float>(std::bit_cast<uint32_t>(narrow) | 1);
  }
  return static_cast<uint16_t>(_cvtss_sh(narrow, _MM_FROUND_TO_NEAREST_INT));
}

template <typename T>
std::vector<std::byte> BytesOf(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// A type of the command line: how to read one, count with it, and draw one at random.
struct ScalarType {
  const char* name;
  std::function<std::optional<std::vector<std::byte>>(const std::string&)> parse;
  std::function<std::vector<std::byte>(uint64_t)> from_index;
  std::function<std::vector<std::byte>(std::mt19937_64&)> random;
};

template <typename T>
ScalarType IntegerType(const char* name) {
  return {name,
          [](const std::string& text) -> std::optional<std::vector<std::byte>> {
            const auto value = ParseInteger<T>(text);
            if (!value) return std::nullopt;
            return BytesOf(*value);
          },
          [](uint64_t n) { return BytesOf(static_cast<T>(n)); },
          [](std::mt19937_64& generator) { return BytesOf(static_cast<T>(generator())); }};
}

template <typename Convert>
ScalarType FloatType(const char* name, Convert convert) {
  return {name,
          [convert](const std::string& text) -> std::optional<std::vector<std::byte>> {
            const auto value = ParseDouble(text);
            if (!value) return std::nullopt;
            return BytesOf(convert(*value));
          },
          [convert](uint64_t n) { return BytesOf(convert(static_cast<double>(n))); },
          [convert](std::mt19937_64& generator) {
            // 24 random bits: exact in f32 and f64, below 1 in both.
            return BytesOf(convert(static_cast<double>(generator() >> 40) * 0x1p-24));
          }};
}

const std::vector<ScalarType>& ScalarTypes() {
  static const std::vector<ScalarType> types = {
      IntegerType<int8_t>("i8"),
      IntegerType<uint8_t>("u8"),
      IntegerType<int16_t>("i16"),
      IntegerType<uint16_t>("u16"),
      IntegerType<int32_t>("i32"),
      IntegerType<uint32_t>("u32"),
      IntegerType<int64_t>("i64"),
      IntegerType<uint64_t>("u64"),
      FloatType("f16", ToHalf),
      FloatType("f32", [](double v) { return static_cast<float>(v); }),
      FloatType("f64", [](double v) { return v; })};
  return types;
}

const ScalarType* FindType(std::string_view name) {
  for (const ScalarType& type : ScalarTypes()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

// "a:b" -> {a, b}; without a colon b is empty and found is false.
struct Split {
  std::string head;
  std::string tail;
  bool found;
};
Split SplitAtColon(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, "", false};
  return {text.substr(0, colon), text.substr(colon + 1), true};
}

Result<ArgumentSpec> BufferFromFile(const std::string& path) {
  auto bytes = ReadFile(path);
  if (!bytes) return bytes.error();
  ArgumentSpec spec{
      .kind = SpecKind::kBuffer, .bytes = std::move(*bytes), .size = 0, .output_path = {}};
  spec.size = spec.bytes.size();
  return spec;
}

Result<ArgumentSpec> ParseGenerated(const std::string& text, const std::string& how,
                                    const std::string& rest) {
  const Split type_and_count = SplitAtColon(rest);
  const Split count_and_seed = SplitAtColon(type_and_count.tail);
  const ScalarType* type = FindType(type_and_count.head);
  if (type == nullptr) return Bad(text, fmt::format("'{}' is no type", type_and_count.head));
  const auto count = ParseBytes(count_and_seed.head);
  if (!count) return Bad(text, fmt::format("'{}' is no count", count_and_seed.head));
  const size_t element = type->from_index(0).size();
  if (*count > kMaxBufferBytes / element) return Bad(text, kTooLarge);
  uint64_t seed = 1;
  if (count_and_seed.found) {
    const auto given = how == "rand" ? ParseInteger<uint64_t>(count_and_seed.tail) : std::nullopt;
    if (!given) return Bad(text, fmt::format("'{}' is no seed", count_and_seed.tail));
    seed = *given;
  }
  ArgumentSpec spec{
      .kind = SpecKind::kBuffer, .bytes = {}, .size = *count * element, .output_path = {}};
  if (spec.size > runtime::PhysicalBytes()) {
    return Bad(text, fmt::format("its {} bytes are more than this machine's memory", spec.size));
  }
  try {
    spec.bytes.reserve(spec.size);
  } catch (const std::bad_alloc&) {
    return Bad(text, fmt::format("there is no memory for its {} bytes", spec.size));
  }
  std::mt19937_64 generator(seed);
  for (uint64_t n = 0; n < *count; ++n) {
    const auto value = how == "rand" ? type->random(generator) : type->from_index(n);
    spec.bytes.insert(spec.bytes.end(), value.begin(), value.end());
  }
  return spec;
}

Result<ArgumentSpec> ParseHex(const std::string& text, const std::string& digits) {
  if (digits.empty() || digits.size() % 2 != 0)
    return Bad(text, "expected pairs of hexadecimal digits");
  ArgumentSpec spec;
  for (size_t n = 0; n < digits.size(); n += 2) {
    const auto byte = ParseInteger<uint8_t>("0x" + digits.substr(n, 2));
    if (!byte) return Bad(text, fmt::format("'{}' is no hexadecimal byte", digits.substr(n, 2)));
    spec.bytes.push_back(static_cast<std::byte>(*byte));
  }
  return spec;
}

}  // namespace

std::string OutputPathIn(const std::string& text) {
  const Split kind = SplitAtColon(text);
  const bool has_output = kind.head == "out" || kind.head == "inout";
  return has_output ? SplitAtColon(kind.tail).tail : std::string();
}

Result<ArgumentSpec> ParseArgumentSpec(const std::string& text) {
  const auto [kind, rest, found] = SplitAtColon(text);
  if (!found) return Bad(text, "expected KIND:..., see 'gcnjit run --help'");
  if (kind == "in") return BufferFromFile(rest);
  if (kind == "inout") {
    const Split paths = SplitAtColon(rest);
    if (!paths.found || paths.tail.empty()) return Bad(text, "expected inout:PATH:OUTPATH");
    auto spec = BufferFromFile(paths.head);
    if (spec) spec->output_path = paths.tail;
    return spec;
  }
  if (kind == "out") {
    const Split parts = SplitAtColon(rest);
    const auto size = ParseBytes(parts.head);
    if (!size || parts.tail.empty()) return Bad(text, "expected out:BYTES:PATH");
    if (*size > kMaxBufferBytes) return Bad(text, kTooLarge);
    return ArgumentSpec{
        .kind = SpecKind::kBuffer, .bytes = {}, .size = *size, .output_path = parts.tail};
  }
  if (kind == "buf" || kind == "local") {
    const auto size = ParseBytes(rest);
    if (!size) return Bad(text, fmt::format("'{}' is no size in bytes", rest));
    if (kind == "buf" && *size > kMaxBufferBytes) return Bad(text, kTooLarge);
    return ArgumentSpec{.kind = kind == "buf" ? SpecKind::kBuffer : SpecKind::kLocal,
                        .bytes = {},
                        .size = *size,
                        .output_path = {}};
  }
  if (kind == "raw") {
    auto bytes = ReadFile(rest);
    if (!bytes) return bytes.error();
    return ArgumentSpec{
        .kind = SpecKind::kValue, .bytes = std::move(*bytes), .size = 0, .output_path = {}};
  }
  if (kind == "bytes") return ParseHex(text, rest);
  if (kind == "iota" || kind == "rand") return ParseGenerated(text, kind, rest);
  if (const ScalarType* type = FindType(kind)) {
    auto bytes = type->parse(rest);
    if (!bytes) return Bad(text, fmt::format("'{}' is no value of type {}", rest, kind));
    return ArgumentSpec{
        .kind = SpecKind::kValue, .bytes = std::move(*bytes), .size = 0, .output_path = {}};
  }
  return Bad(text, fmt::format("'{}' is no kind of argument, see 'gcnjit run --help'", kind));
}

}  // namespace gcnjit::cli
