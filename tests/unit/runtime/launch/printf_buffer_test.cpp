// What a kernel has written for printf: records of both kinds, and bytes that are none.
#include "runtime/launch/printf_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace gcnjit::runtime {
namespace {

class PrintfBufferTest : public testing::Test {
 protected:
  template <typename T>
  void Put(T value) {
    std::memcpy(buffer_.data() + 8 + used_, &value, sizeof value);
    used_ += sizeof value;
  }
  std::string Print(const std::vector<std::string>& formats) {
    printed_.clear();
    std::memcpy(buffer_.data(), &used_, sizeof used_);
    return PrintBuffer(reinterpret_cast<uint64_t>(buffer_.data()), formats,
                       [&](std::string_view text) { printed_ += text; });
  }

  std::vector<std::byte> buffer_ = std::vector<std::byte>(16 << 20);
  uint32_t used_ = 0;
  std::string printed_;
};

TEST_F(PrintfBufferTest, OpenCl) {
  Put(uint32_t{2});
  Put(7);
  Put(0.5);
  Put(uint32_t{1});
  // LLVM writes control characters and ':' as escapes, and tells more arguments than it lists.
  EXPECT_EQ(Print({"1:0:a\\72b\\n", "2:3:4:8:%d %g\\t\\n"}), "");
  EXPECT_EQ(printed_, "7 0.5\\t\na:b\n");
}

TEST_F(PrintfBufferTest, Hip) {
  Put(uint32_t{(4 + 8 + 8 + 16) << 2 | 2});
  Put(uint64_t{0xABCDEF0123456789});
  Put(int64_t{-1});
  Put(uint64_t{0x6867666564636261});  // abcdefgh
  Put(uint64_t{0});
  Put(uint32_t{(4 + 8 + 8) << 2});  // a format that is no constant
  Put(uint64_t{0x0A6425});          // %d\n
  Put(uint64_t{3});
  EXPECT_EQ(Print({"0:0:abcdef0123456789,%d|%s\\n"}), "");
  EXPECT_EQ(printed_, "-1|abcdefgh\n3\n");
}

TEST_F(PrintfBufferTest, WhatHasNoFormatEndsIt) {
  Put(uint32_t{1});
  Put(uint32_t{9});
  Put(uint32_t{1});
  EXPECT_NE(Print({"1:0:x"}).find("after byte 4 of 12 is lost"), std::string::npos);
  EXPECT_EQ(printed_, "x");
  // An argument beyond what is in use.
  EXPECT_NE(Print({"1:1:4000000000:%d", "9:0:"}).find("is lost"), std::string::npos);
  EXPECT_EQ(printed_, "");
}

// Formats come from the file, records from the kernel: nothing of it is to be trusted.
TEST_F(PrintfBufferTest, AnyBytes) {
  std::mt19937 random(1);
  const std::string signs = "0123459:,%sdvhlxf.*\\n-";
  for (int n = 0; n < 2000; ++n) {
    std::vector<std::string> formats;
    for (int k = 0; k < 4; ++k) {
      std::string& format = formats.emplace_back(std::to_string(k) + ":1:");
      for (auto length = random() % 30; length != 0; --length) {
        format += signs[random() % signs.size()];
      }
    }
    if (random() % 4 == 0) formats.push_back("0:0:0,%s %d");
    used_ = 0;
    for (int k = 0; k < 200; ++k) {
      Put(random() % 4 == 0 ? static_cast<uint32_t>(random())
                            : static_cast<uint32_t>(random() % 5));
    }
    if (n % 500 == 0) used_ = UINT32_MAX - static_cast<uint32_t>(n);
    (void)Print(formats);
    EXPECT_LE(printed_.size(), uint64_t{256} << 20);
  }
}

}  // namespace
}  // namespace gcnjit::runtime
