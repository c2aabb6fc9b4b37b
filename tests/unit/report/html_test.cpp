// Whatever text comes in, HTML takes it for text.
#include "report/html.h"

#include <gtest/gtest.h>

#include <random>

namespace gcnjit::report {
namespace {

TEST(EscapeTest, MarkupBecomesText) {
  EXPECT_EQ(Escape("plain text, ü and 字"), "plain text, ü and 字");
  EXPECT_EQ(Escape("<script>alert('1' & \"2\")</script>"),
            "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;");
  EXPECT_EQ(Escape("a\n\tb"), "a\n\tb");
  EXPECT_EQ(Escape(""), "");
}

TEST(EscapeTest, WhatIsNoTextIsReplaced) {
  const std::string kNo = "\xEF\xBF\xBD";
  EXPECT_EQ(Escape(std::string_view("a\0b", 3)), "a" + kNo + "b");
  EXPECT_EQ(Escape("\x1B[31m"), kNo + "[31m");
  EXPECT_EQ(Escape("\x7F"), kNo);
  EXPECT_EQ(Escape("\xC2\x85"), kNo);                  // NEL, a control character
  EXPECT_EQ(Escape("\xE2\x80\xAE"), kNo);              // turns the direction of what follows
  EXPECT_EQ(Escape("\xE2\x81\xA6"), kNo);              // likewise
  EXPECT_EQ(Escape("\x80"), kNo);                      // no beginning
  EXPECT_EQ(Escape("\xC0\xBC"), kNo + kNo);            // '<' in two bytes
  EXPECT_EQ(Escape("\xC3"), kNo);                      // cut off
  EXPECT_EQ(Escape("\xC3<"), kNo + "&lt;");            // likewise
  EXPECT_EQ(Escape("\xED\xA0\x80"), kNo + kNo + kNo);  // half of a pair of UTF-16
  EXPECT_EQ(Escape("\xF4\x90\x80\x80"), kNo + kNo + kNo + kNo);  // beyond Unicode
  EXPECT_EQ(Escape("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(EscapeTest, RandomBytesLeaveNoMarkup) {
  std::mt19937 random(1);
  for (int n = 0; n < 20'000; ++n) {
    std::string bytes(random() % 12, '\0');
    for (char& byte : bytes) {
      byte = random() % 3 == 0 ? "<>&'\"\xC2\xE2\xF0"[random() % 8] : static_cast<char>(random());
    }
    const std::string text = Escape(bytes);
    EXPECT_EQ(text.find_first_of(std::string_view("<>'\"\0", 5)), std::string::npos);
    EXPECT_EQ(Escape(text).size() - text.size(),
              4 * static_cast<size_t>(std::count(text.begin(), text.end(), '&')));
  }
}

TEST(NumbersTest, AreForPeople) {
  EXPECT_EQ(Count(0), "0");
  EXPECT_EQ(Count(999), "999");
  EXPECT_EQ(Count(1000), "1,000");
  EXPECT_EQ(Count(1234567), "1,234,567");
  EXPECT_EQ(Count(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(Short(0.012345), "0.01235");
  EXPECT_EQ(Short(12.5), "12.5");
  EXPECT_EQ(Short(-1234567.4), "-1,234,567");
  EXPECT_EQ(Short(1.0 / 0.0), "–");
  EXPECT_EQ(Percent(1, 8), "12.5 %");
  EXPECT_EQ(Percent(1, 0), "–");
}

TEST(TableTest, NumbersCarryTheirValue) {
  Table table({"name", "count", "share"});
  table.Add({CodeCell("a<b>"), CountCell(1234), ShareCell(1, 4)});
  table.Add({TextCell("c"), CountCell(2), NoCell()});
  const std::string html = table.Html("two & more");
  EXPECT_NE(html.find("<caption>two &amp; more</caption>"), std::string::npos) << html;
  EXPECT_NE(html.find("<td><code class=\"short\">a&lt;b&gt;</code></td>"), std::string::npos)
      << html;
  EXPECT_NE(html.find("<td class=\"n\" data-v=\"1234\">1,234</td>"), std::string::npos) << html;
  EXPECT_NE(html.find("data-v=\"0.25\""), std::string::npos) << html;
  EXPECT_NE(html.find("<th scope=\"col\">name</th><th scope=\"col\" class=\"n\">count</th>"),
            std::string::npos)
      << html;
}

}  // namespace
}  // namespace gcnjit::report
