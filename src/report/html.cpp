#include "report/html.h"

#include <fmt/format.h>

#include <cmath>

namespace gcnjit::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Character {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: what is there is no UTF-8
};

Character CharacterAt(std::string_view text, size_t at) {
  const auto byte = [&](size_t n) { return static_cast<unsigned char>(text[at + n]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xC2 || first > 0xF4 || text.size() - at < bytes) return {};
  uint32_t code = first & (0x7Fu >> bytes);
  for (size_t n = 1; n < bytes; ++n) {
    if ((byte(n) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(n) & 0x3Fu);
  }
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[bytes] || code > 0x10FFFF || is_surrogate) return {};
  return {code, bytes};
}

bool IsShown(uint32_t code) {
  if (code < 0x20) return code == '\n' || code == '\t';
  const bool turns = code == 0x61C || code == 0x200E || code == 0x200F ||
                     (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return !turns && !(code >= 0x7F && code < 0xA0) && code != 0x2028 && code != 0x2029;
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Character c = CharacterAt(text, at);
    if (c.bytes == 0 || !IsShown(c.code)) {
      escaped += kReplacement;
    } else if (c.code == '&') {
      escaped += "&amp;";
    } else if (c.code == '<') {
      escaped += "&lt;";
    } else if (c.code == '>') {
      escaped += "&gt;";
    } else if (c.code == '"') {
      escaped += "&quot;";
    } else if (c.code == '\'') {
      escaped += "&#39;";
    } else {
      escaped += text.substr(at, c.bytes);
    }
    at += std::max<size_t>(c.bytes, 1);
  }
  return escaped;
}

std::string Count(uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string Short(double number) {
  if (!std::isfinite(number)) return "–";
  const double size = std::fabs(number);
  if (size >= 1000 && size < 1e15) {
    return (number < 0 ? "-" : "") + Count(static_cast<uint64_t>(std::llround(size)));
  }
  return fmt::format("{:.4g}", number);
}

std::string Percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "–";
}

Cell TextCell(std::string_view text) { return {Escape(text), 0, Cell::Kind::kText}; }

Cell CodeCell(std::string_view text) {
  constexpr size_t kShort = 28;  // bytes; not to be broken into lines
  const std::string_view kind = text.size() <= kShort ? "short" : "long";
  return {fmt::format("<code class=\"{}\">{}</code>", kind, Escape(text)), 0, Cell::Kind::kCode};
}

Cell CountCell(uint64_t number) {
  return {Count(number), static_cast<double>(number), Cell::Kind::kNumber};
}

Cell NumberCell(double number) { return {Short(number), number, Cell::Kind::kNumber}; }

Cell ShareCell(double part, double whole) {
  if (!(whole > 0)) return NoCell();
  const double share = std::min(std::max(part / whole, 0.0), 1.0);
  return {fmt::format("<span class=\"share\"><i style=\"width:{:.1f}%\"></i></span><span>{}</span>",
                      100 * share, Percent(part, whole)),
          part / whole, Cell::Kind::kNumber};
}

Cell NoCell() { return {"–", -1, Cell::Kind::kNumber}; }

std::string Table::Html(std::string_view caption) const {
  std::string html =
      fmt::format("<div class=\"wide\"><table class=\"sortable\"><caption>{}</caption><thead><tr>",
                  Escape(caption));
  for (size_t n = 0; n < titles_.size(); ++n) {
    const bool is_number = !rows_.empty() && rows_.front()[n].kind == Cell::Kind::kNumber;
    html += fmt::format("<th scope=\"col\"{}>{}</th>", is_number ? " class=\"n\"" : "",
                        Escape(titles_[n]));
  }
  html += "</tr></thead><tbody>\n";
  for (const std::vector<Cell>& row : rows_) {
    html += "<tr>";
    for (const Cell& cell : row) {
      if (cell.kind == Cell::Kind::kNumber) {
        html += fmt::format("<td class=\"n\" data-v=\"{:.17g}\">{}</td>", cell.value, cell.html);
      } else {
        html += fmt::format("<td>{}</td>", cell.html);
      }
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace gcnjit::report
