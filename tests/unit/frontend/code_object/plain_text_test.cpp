// Which bytes of a file may be printed as they are.
#include "frontend/code_object/plain_text.h"

#include <gtest/gtest.h>

namespace gcnjit {
namespace {

TEST(PlainTextTest, Utf8WithoutControls) {
  using frontend::IsPlainText;
  EXPECT_TRUE(IsPlainText(""));
  EXPECT_TRUE(IsPlainText("_Z2tkIfEvPT_.kd"));
  EXPECT_TRUE(IsPlainText("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  for (const char* bad : {"a\nb", "\x1B[31m", "\x7F", "\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "\xE2\x82", "\xC2\x9B", "\xFF"}) {
    EXPECT_FALSE(IsPlainText(bad)) << testing::PrintToString(bad);
  }
}

}  // namespace
}  // namespace gcnjit
