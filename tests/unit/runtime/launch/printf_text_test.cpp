// What one call of printf prints, against the host's printf. Formats that are none, and arguments
// that are not there, are printed as they are: both come from the guest.
#include "runtime/launch/printf_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/launch/hostcall_messages.h"

namespace gcnjit::runtime {
namespace {

using Argument = std::vector<std::byte>;

template <typename T>
Argument Of(T value) {
  Argument bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string Print(std::string_view format, const std::vector<Argument>& arguments) {
  size_t at = 0;
  return PrintfText(format, [&](bool) {
    return at == arguments.size() ? std::span<const std::byte>() : std::span(arguments[at++]);
  });
}

template <typename T>
void ExpectAsHost(const char* format, const char* of_host, T value) {
  char want[2000];
  std::snprintf(want, sizeof want, of_host, value);
  EXPECT_EQ(Print(format, {Of(value)}), want) << format;
}

// A locale of the process with a comma for a point, or nothing: this host cannot make one.
class CommaLocale {
 public:
  CommaLocale() {
    const std::string folder = testing::TempDir() + "printf_text_locale";
    const std::string command =
        "localedef --no-archive -i de_DE -f ISO-8859-1 '" + folder + "/de' >/dev/null 2>&1";
    std::filesystem::create_directories(folder);
    (void)!std::system(command.c_str());
    ::setenv("LOCPATH", folder.c_str(), 1);
    is_set_ = std::setlocale(LC_ALL, "de") != nullptr;
  }
  ~CommaLocale() {
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
  }
  bool is_set() const { return is_set_; }

 private:
  bool is_set_ = false;
};

TEST(PrintfTextTest, IsTheSameInAnyLocale) {
  const CommaLocale comma;
  ASSERT_TRUE(comma.is_set()) << "needs localedef and its sources (scripts/setup: locales)";
  char of_host[8];
  std::snprintf(of_host, sizeof of_host, "%.1f", 1.5);
  ASSERT_STREQ(of_host, "1,5");
  EXPECT_EQ(Print("%.1f %e", {Of(1.5), Of(2.5)}), "1.5 2.500000e+00");
  std::snprintf(of_host, sizeof of_host, "%.1f", 1.5);
  EXPECT_STREQ(of_host, "1,5");  // the process's is as before
}

TEST(PrintfTextTest, FlagsWidthsAndPrecisions) {
  for (const char* flags : {"", "-", "+", " ", "#", "0", "-+", "+0", "-#"}) {
    for (const char* size : {"", "1", "12", ".0", ".3", "9.4", "12."}) {
      for (const char c : std::string_view("dioxXu")) {
        const std::string format = std::string("<%") + flags + size + c + ">";
        for (const int32_t value : {0, 7, -1, INT32_MIN}) {
          ExpectAsHost(format.c_str(), format.c_str(), value);
        }
      }
      for (const char c : std::string_view("fFeEgGaA")) {
        const std::string format = std::string("<%") + flags + size + c + ">";
        for (const double value : {0.0, -0.0, 1.5, -1e300, 1e-310}) {
          ExpectAsHost(format.c_str(), format.c_str(), value);
        }
        // A float comes in four bytes.
        char want[200];
        std::snprintf(want, sizeof want, format.c_str(), 0.1f);
        EXPECT_EQ(Print(format, {Of(0.1f)}), want) << format;
      }
    }
  }
}

TEST(PrintfTextTest, Lengths) {
  EXPECT_EQ(Print("%hhd %hd %d %ld", {Of(511), Of(65537), Of(-3), Of(int64_t{1} << 40)}),
            "-1 1 -3 1099511627776");
  EXPECT_EQ(Print("%hhu %hu %u %lu", {Of(-1), Of(-1), Of(-1), Of(int64_t{-1})}),
            "255 65535 4294967295 18446744073709551615");
  // HIP widens to eight bytes what is printed as four.
  EXPECT_EQ(Print("%d %u %x", {Of(uint64_t{0xFFFFFFFF}), Of(int64_t{-1}), Of(int64_t{-1})}),
            "-1 4294967295 ffffffff");
  // What there is counts, not what the format says.
  EXPECT_EQ(Print("%ld", {Of(-5)}), "-5");
}

TEST(PrintfTextTest, Vectors) {
  const int32_t ints[4] = {1, -2, 3, 4};
  Argument four(sizeof ints);
  std::memcpy(four.data(), ints, sizeof ints);
  EXPECT_EQ(Print("%v4d|%v4hld", {four, four}), "1,-2,3,4|1,-2,3,4");
  EXPECT_EQ(Print("<%3v3d>", {four}), "<  1, -2,  3>");  // as large as one of four
  EXPECT_EQ(Print("%v2lx", {four}), "fffffffe00000001,400000003");
  EXPECT_EQ(Print("%v5d %v99999999999d %vd", {four, four, four}),
            "%v5d %v99999999999d %vd");  // no vectors
}

TEST(PrintfTextTest, Texts) {
  const Argument text = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}, std::byte{'d'}};
  EXPECT_EQ(Print("<%s><%6s><%-6s><%.2s>", {text, text, text, text}), "<abcd><  abcd><abcd  ><ab>");
  EXPECT_EQ(Print("<%s>", {Of(uint32_t{0xFFFFFF00})}), "<>");  // LLVM's empty text
  EXPECT_EQ(Print("%c%c%%", {Of('x'), Of(uint32_t{'y'})}), "xy%");
}

TEST(PrintfTextTest, WhatIsNoDirective) {
  for (const char* format : {"%", "100%", "%n", "%*d", "%k", "%-", "%5", "%.", "%hh", "%999999999d",
                             "%.999999999f", "%99999999999999999999d", "%q %"}) {
    EXPECT_EQ(Print(format, {Of(1), Of(2)}), format);
  }
  EXPECT_EQ(Print("%d %d %s", {Of(1)}), "1 %d %s");
  EXPECT_EQ(Print("", {Of(1)}), "");
}

// Little makes much: of a text that is too long no more is made than shows it.
TEST(PrintfTextTest, NoMoreThanIsWanted) {
  constexpr uint64_t kMost = 10'000;
  constexpr uint64_t kLargest = 16 * 1001;  // of a directive
  for (const char* const directive : {"%1000d", "%-1000.1000d", "%1000v16hhd", "%.1000v16f",
                                      "%1000c", "%s", "%1000s", "%%", "%"}) {
    std::string format;
    for (int n = 0; n < 40'000; ++n) format += directive;
    const Argument argument = std::string_view(directive).ends_with('s')
                                  ? Argument(1000, std::byte{'x'})
                                  : Argument(128, std::byte{1});
    const std::string printed = PrintfText(
        format, [&](bool) { return std::span(argument); }, kMost);
    EXPECT_GT(printed.size(), kMost) << directive;
    EXPECT_LE(printed.size(), kMost + kLargest) << directive;
  }
}

// Kernels' messages, as the device libraries send them.
class HostcallMessagesTest : public testing::Test {
 protected:
  uint64_t Send(uint64_t descriptor, std::vector<uint64_t> numbers, uint32_t service = 2) {
    uint64_t call[8] = {descriptor | numbers.size() << 5};
    std::copy(numbers.begin(), numbers.end(), call + 1);
    messages_.Take(service, call);
    return call[0];
  }
  static uint64_t Eight(const char* text) {
    uint64_t value = 0;
    std::memcpy(&value, text, std::min<size_t>(std::strlen(text), 8));
    return value;
  }

  std::string printed_;
  HostcallMessages messages_{[this](std::string_view text) { printed_ += text; }};
};

TEST_F(HostcallMessagesTest, InOneCallAndInSeveral) {
  EXPECT_EQ(Send(3, {0, Eight("n %d %s"), 7, Eight("abc")}), 7u);
  EXPECT_EQ(printed_, "n 7 abc");
  // Two messages, in turns. A text of eight bytes has its zero in the next eight.
  uint64_t one = Send(1, {0});
  uint64_t two = Send(1, {1});
  one = Send(one, {Eight("12345678"), 0});
  two = Send(two, {Eight("%ld\n")});
  EXPECT_EQ(Send(two | 2, {uint64_t{1} << 40}), 14u);
  EXPECT_EQ(Send(one | 2, {}), 8u);
  EXPECT_EQ(printed_, "n 7 abc1099511627776\n12345678");
  EXPECT_EQ(messages_.loss(), "");
}

TEST_F(HostcallMessagesTest, WhatMakesNoSense) {
  EXPECT_EQ(Send(uint64_t{77} << 8, {1, 2, 3}), 0u);  // never begun
  EXPECT_NE(messages_.loss().find("no begin"), std::string::npos);
  EXPECT_EQ(Send(3, {}), 0u);
  EXPECT_EQ(Send(3, {0, ~uint64_t{0}, ~uint64_t{0}}), 16u);  // a text without a zero
  EXPECT_EQ(Send(3, {1, 2, 3}, 1), 0u);                      // a host function
}

TEST_F(HostcallMessagesTest, OtherServicesAreTold) {
  Send(3, {64, 0}, 3);
  EXPECT_NE(messages_.loss().find("malloc"), std::string::npos);
  EXPECT_EQ(printed_, "");
}

TEST_F(HostcallMessagesTest, MessagesWithoutAnEndAreNotKeptForEver) {
  const uint64_t message = Send(1, {0});
  uint64_t last = message;
  for (int n = 0; n < 1'000'000 && messages_.loss().empty(); ++n) {
    last = Send(message, {1, 2, 3, 4, 5, 6, 7});
  }
  EXPECT_NE(messages_.loss().find("too long"), std::string::npos);
  EXPECT_EQ(last, 0u);
}

// However many numbers each of them has, and also if others end in between.
TEST_F(HostcallMessagesTest, MessagesThatOnlyBeginAreNotKeptForEver) {
  constexpr int kMostCalls = 2'000'000;
  for (const size_t numbers : {0, 1, 7}) {
    for (const bool others_end : {false, true}) {
      HostcallMessages messages([](std::string_view) {});
      int calls = 0;
      for (; calls < kMostCalls && messages.loss().empty(); ++calls) {
        uint64_t begin[8] = {1 | numbers << 5};
        messages.Take(2, begin);
        if (!others_end) continue;
        uint64_t whole[8] = {3 | 2 << 5, 0, Eight("text")};
        messages.Take(2, whole);
      }
      EXPECT_LT(calls, kMostCalls) << numbers;
    }
  }
}

// What has ended, or been given up, makes room.
TEST_F(HostcallMessagesTest, WhatHasEndedTakesNoRoom) {
  for (int n = 0; n < 1'000'000; ++n) {
    const uint64_t message = Send(1, {0, Eight("")});
    Send(message | 2, {});
  }
  EXPECT_EQ(messages_.loss(), "");
}

// A message of many arguments takes time in proportion to their number, whatever they are.
TEST_F(HostcallMessagesTest, ManyArguments) {
  constexpr size_t kCount = 150'000;
  for (const char* const directive : {"%c%c%c%c", "%s%s%s%s", "%d%c%s%x", "%f%p%%%"}) {
    std::vector<uint64_t> numbers(1 + kCount / 4, Eight(directive) | Eight(directive) << 32);
    numbers[0] = 0;
    numbers.push_back(0);
    numbers.insert(numbers.end(), kCount, ~uint64_t{0} / 255 * 'a');
    const std::clock_t begin = std::clock();
    uint64_t message = Send(1, {});
    for (size_t n = 0; n < numbers.size(); n += 7) {
      const size_t end = std::min(n + 7, numbers.size());
      const auto at = [&](size_t place) {
        return numbers.begin() + static_cast<std::ptrdiff_t>(place);
      };
      message = Send(message | (end == numbers.size() ? 2 : 0), {at(n), at(end)});
    }
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 5) << directive;
    EXPECT_EQ(messages_.loss(), "");
  }
}

}  // namespace
}  // namespace gcnjit::runtime
