#include "frontend/code_object/plain_text.h"

#include <cstddef>

namespace gcnjit::frontend {
namespace {

// Length of the UTF-8 sequence at the start of `text`; 0 if it is none (RFC 3629, table 3-7 of
// Unicode: no overlong forms, no surrogates, nothing above U+10FFFF).
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0u;
  };
  const auto is_tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return is_tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && is_tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && is_tail(2) && is_tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool IsPlainText(std::string_view text) {
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // C0 controls and DEL; C1 controls (U+0080 to U+009F) are C2 80 to C2 9F.
    if (length == 0 || first < 0x20 || first == 0x7F) return false;
    if (first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace gcnjit::frontend
