#include "report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace gcnjit::report {
namespace {

// Bytes of the UTF-8 character that `text` begins with; 0: there is none that XML may have.
size_t XmlCharacter(std::string_view text) {
  const auto byte = [&](size_t n) { return static_cast<uint8_t>(text[n]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (size_t n = 1; n < size; ++n) {
    if ((byte(n) & 0xC0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  const bool too_long = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_large = first == 0xF4 && second >= 0x90;
  const bool no_character = first == 0xEF && second == 0xBF && byte(2) >= 0xBE;
  return too_long || surrogate || too_large || no_character ? 0 : size;
}

// Names come from files and may be anything.
std::string InXml(std::string_view text) {
  std::string xml;
  while (!text.empty()) {
    const size_t size = XmlCharacter(text);
    switch (text[0]) {
      case '<': xml += "&lt;"; break;
      case '>': xml += "&gt;"; break;
      case '&': xml += "&amp;"; break;
      case '"': xml += "&quot;"; break;
      default: xml += size == 0 ? "\uFFFD" : text.substr(0, size);
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return xml;
}

std::string CaseToXml(const JunitCase& test) {
  const std::string begin = fmt::format("  <testcase classname=\"{}\" name=\"{}\"",
                                        InXml(test.classname), InXml(test.name));
  if (test.outcome == JunitCase::Outcome::kPassed) return begin + "/>\n";
  const char* what = test.outcome == JunitCase::Outcome::kError ? "error" : "failure";
  return fmt::format("{}>\n    <{} message=\"{}\">{}</{}>\n  </testcase>\n", begin, what,
                     InXml(test.message), InXml(test.details), what);
}

}  // namespace

std::string ToXml(const JunitSuite& suite) {
  const auto count = [&](JunitCase::Outcome outcome) {
    return std::ranges::count(suite.cases, outcome, &JunitCase::outcome);
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
      InXml(suite.name), suite.cases.size(), count(JunitCase::Outcome::kFailed),
      count(JunitCase::Outcome::kError), suite.seconds);
  for (const JunitCase& test : suite.cases) text += CaseToXml(test);
  return text + "</testsuite>\n";
}

}  // namespace gcnjit::report
