// What one call of printf prints: its format, which OpenCL C and C define, with the arguments as
// bytes. Formats and arguments come from the guest, so none of it is given to the host's printf but
// directives that were taken apart and put together again.
// Source: OpenCL C 3.0, "printf"; C17, 7.21.6.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace gcnjit::runtime {

// The bytes of the next argument; of text: up to its zero, if it has one. Empty: there is none.
using NextPrintfArgument = std::function<std::span<const std::byte>(bool is_text)>;

// The arguments that HIP's printf has there: each in 8 bytes, text in as many as it and its zero
// need. They are taken from `rest`, which must stay.
NextPrintfArgument SlotArguments(std::span<const std::byte>& rest);

// Up to a zero, if there is one. It lies in `bytes`.
std::string_view TextOf(std::span<const std::byte> bytes);

// Most characters of a launch: arguments of a few bytes may have a format of many.
inline constexpr uint64_t kMostPrinted = uint64_t{256} << 20;

// A directive that C does not define, or that has no argument, is printed as it is. Of a text that
// has more than `most` characters there are a few more than these.
std::string PrintfText(std::string_view format, const NextPrintfArgument& next,
                       uint64_t most = kMostPrinted);

}  // namespace gcnjit::runtime
