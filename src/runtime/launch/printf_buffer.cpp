#include "runtime/launch/printf_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <span>

#include "runtime/launch/printf_text.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kHeaderBytes = 8;
constexpr uint32_t kBufferBytes = 16 << 20;

using Bytes = std::span<const std::byte>;

template <typename T>
std::optional<T> ReadNumber(std::string_view text, int base = 10) {
  T value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename T>
T Take(Bytes& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

// LLVM writes control characters and ':' of a format like this.
std::string Unescaped(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kEscapes[] = {
      {"\\a", '\a'}, {"\\b", '\b'}, {"\\f", '\f'}, {"\\n", '\n'},
      {"\\r", '\r'}, {"\\v", '\v'}, {"\\72", ':'}};
  std::string result;
  while (!text.empty()) {
    const auto escape = std::ranges::find_if(
        kEscapes, [&](const auto& known) { return text.starts_with(known.first); });
    if (escape != std::end(kEscapes)) {
      result += escape->second;
      text.remove_prefix(escape->first.size());
    } else {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  return result;
}

struct Format {
  std::vector<uint32_t> sizes;  // of the arguments, OpenCL
  uint64_t bytes = 0;           // of a record
  std::string text;
};

// "ID:NUMBER:SIZE:...:TEXT" by ID; HIP's "0:0:HASH,TEXT" by HASH. What is none is left out.
class Formats {
 public:
  explicit Formats(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      if (line.starts_with("0:0:")) {
        AddHip(std::string_view(line).substr(4));
      } else {
        AddOpenCl(line);
      }
    }
  }

  bool is_hip() const { return is_hip_; }
  uint64_t largest() const { return largest_; }  // bytes of a record of OpenCL
  const Format* Find(uint64_t key) const {
    const auto found = formats_.find(key);
    return found == formats_.end() ? nullptr : &found->second;
  }

 private:
  void AddHip(std::string_view line) {
    const size_t comma = std::min(line.find(','), line.size());
    const auto hash = ReadNumber<uint64_t>(line.substr(0, comma), 16);
    if (!hash || comma == line.size()) return;
    is_hip_ = true;
    formats_[*hash] = {{}, 0, Unescaped(line.substr(comma + 1))};
  }
  void AddOpenCl(std::string_view line) {
    std::vector<uint32_t> numbers;
    for (size_t colon; (colon = line.find(':')) != std::string_view::npos;) {
      const auto number = ReadNumber<uint32_t>(line.substr(0, colon));
      if (!number) return;
      numbers.push_back(*number);
      line.remove_prefix(colon + 1);
    }
    if (numbers.size() < 2) return;
    Format format{{numbers.begin() + 2, numbers.end()}, sizeof(uint32_t), Unescaped(line)};
    for (const uint32_t size : format.sizes) format.bytes += size;
    largest_ = std::max(largest_, format.bytes);
    formats_[numbers[0]] = std::move(format);
  }

  bool is_hip_ = false;
  uint64_t largest_ = 0;
  std::map<uint64_t, Format> formats_;
};

// The text of the record at the begin of `rest`, which is taken from there; nothing: there is none
// that makes sense.
std::optional<std::string> TakeOpenCl(const Formats& formats, Bytes& rest, uint64_t most) {
  if (rest.size() < sizeof(uint32_t)) return std::nullopt;
  const Format* format = formats.Find(Take<uint32_t>(rest));
  if (format == nullptr || format->bytes - sizeof(uint32_t) > rest.size()) return std::nullopt;
  size_t argument = 0;
  Bytes arguments = rest.first(format->bytes - sizeof(uint32_t));
  rest = rest.subspan(arguments.size());
  return PrintfText(
      format->text,
      [&](bool) {
        if (argument == format->sizes.size()) return Bytes();
        const Bytes bytes = arguments.first(format->sizes[argument++]);
        arguments = arguments.subspan(bytes.size());
        return bytes;
      },
      most);
}

std::optional<std::string> TakeHip(const Formats& formats, Bytes& rest, uint64_t most) {
  constexpr uint32_t kKnownFormat = 2;  // a flag; else the format itself comes first
  if (rest.size() < sizeof(uint32_t)) return std::nullopt;
  uint32_t control;
  std::memcpy(&control, rest.data(), sizeof control);
  const uint32_t size = control >> 2;
  if (size < sizeof control || size > rest.size()) return std::nullopt;
  Bytes record = rest.first(size).subspan(sizeof control);
  rest = rest.subspan(size);
  const NextPrintfArgument next = SlotArguments(record);
  if ((control & kKnownFormat) == 0) return PrintfText(TextOf(next(true)), next, most);
  if (record.size() < sizeof(uint64_t)) return std::nullopt;
  const Format* format = formats.Find(Take<uint64_t>(record));
  if (format == nullptr) return std::nullopt;
  return PrintfText(format->text, next, most);
}

}  // namespace

Result<uint64_t> AllocatePrintfBuffer(const KernelInfo& kernel, bool is_read,
                                      LaunchMemory& memory) {
  const bool has_argument = std::ranges::any_of(kernel.arguments, [](const ArgumentInfo& a) {
    return a.value_kind == "hidden_printf_buffer";
  });
  if (!has_argument) return uint64_t{0};
  const uint32_t bytes = is_read ? kBufferBytes : kHeaderBytes;
  auto address = memory.Allocate(bytes, "printf buffer", GuestMemory::Access::kReadWrite);
  if (!address) return address;
  const uint32_t header[2] = {0, bytes - kHeaderBytes};
  std::memcpy(reinterpret_cast<void*>(*address), header, sizeof header);
  return address;
}

std::string PrintBuffer(uint64_t address, const std::vector<std::string>& lines,
                        const std::function<void(std::string_view)>& print) {
  const Formats formats(lines);
  const Bytes buffer(reinterpret_cast<const std::byte*>(address), kBufferBytes);
  uint32_t used;
  std::memcpy(&used, buffer.data(), sizeof used);
  used = std::min(used, kBufferBytes - kHeaderBytes);
  Bytes rest = buffer.subspan(kHeaderBytes, used);
  uint64_t printed = 0;
  while (!rest.empty()) {
    const size_t at = used - rest.size();
    const uint64_t most = kMostPrinted - printed;
    const auto text =
        formats.is_hip() ? TakeHip(formats, rest, most) : TakeOpenCl(formats, rest, most);
    if (!text) {
      return fmt::format(
          "what the kernel printed after byte {} of {} is lost: no format of the code object "
          "describes it",
          at, used);
    }
    printed += text->size();
    if (printed > kMostPrinted) {
      return fmt::format("what the kernel printed after {} MiB of text is lost",
                         kMostPrinted >> 20);
    }
    print(*text);
  }
  // A call that found no room leaves no trace.
  const uint64_t needed = formats.is_hip() ? kBufferBytes / 16 : formats.largest();
  if (used + kHeaderBytes + needed > kBufferBytes - kHeaderBytes) {
    return fmt::format(
        "calls of printf may have found no room, and what they print is lost: the buffer has {} "
        "bytes, of which {} are in use",
        kBufferBytes - kHeaderBytes, used);
  }
  return {};
}

}  // namespace gcnjit::runtime
