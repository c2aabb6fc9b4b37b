// Numbers that people write.
#include "debug/value.h"

#include <gtest/gtest.h>

#include <bit>

namespace gcnjit::debug {
namespace {

uint64_t Bits(const char* text, size_t bytes, std::optional<NumberFormat> format = {}) {
  const auto value = ParseValue(text, bytes, format);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().message);
  return value ? *value : 0xBADBADBADBADBAD;
}

TEST(ValueTest, WholeNumbers) {
  EXPECT_EQ(Bits("12", 4), 12u);
  EXPECT_EQ(Bits("0xfE", 1), 0xFEu);
  EXPECT_EQ(Bits("-1", 1), 0xFFu);
  EXPECT_EQ(Bits("-1", 4), 0xFFFFFFFFu);
  EXPECT_EQ(Bits("-0x80000000", 4), 0x80000000u);
  EXPECT_EQ(Bits("-1", 8), ~uint64_t{0});
  EXPECT_EQ(Bits("18446744073709551615", 8), ~uint64_t{0});
  EXPECT_EQ(Bits("-0x8000000000000000", 8), uint64_t{1} << 63);
}

TEST(ValueTest, FloatingPointNumbers) {
  EXPECT_EQ(Bits("1.5", 4), std::bit_cast<uint32_t>(1.5f));
  EXPECT_EQ(Bits("-2f", 4), std::bit_cast<uint32_t>(-2.0f));
  EXPECT_EQ(Bits("1e-3", 8), std::bit_cast<uint64_t>(1e-3));
  EXPECT_EQ(Bits("inf", 4), 0x7F800000u);
  EXPECT_EQ(Bits("-inf", 8), 0xFFF0000000000000u);
  EXPECT_EQ(Bits("nan", 4), 0x7FC00000u);
  // With a format whole numbers are some, too; hexadecimal ones are bits.
  EXPECT_EQ(Bits("1", 4, NumberFormat::kF32), 0x3F800000u);
  EXPECT_EQ(Bits("-1", 8, NumberFormat::kF64), 0xBFF0000000000000u);
  EXPECT_EQ(Bits("0x1f", 4, NumberFormat::kF32), 0x1Fu);
  EXPECT_EQ(Bits("1", 4, NumberFormat::kU32), 1u);
}

TEST(ValueTest, WhatIsNone) {
  for (const size_t bytes : {1, 4, 8}) {
    for (const char* text :
         {"", "-", "0x", "x", "1x", "1 2", "--1", "0x-1", "+1", "1.5.5", "f", "e", "0x1.8",
          "18446744073709551616", "1e999", "-18446744073709551615"}) {
      EXPECT_FALSE(ParseValue(text, bytes, {})) << text << ", bytes: " << bytes;
    }
  }
  EXPECT_FALSE(ParseValue("256", 1, {}));
  EXPECT_FALSE(ParseValue("-129", 1, {}));
  EXPECT_FALSE(ParseValue("1.0", 1, {}));
  EXPECT_FALSE(ParseValue("4294967296", 4, {}));
  EXPECT_FALSE(ParseValue("-2147483649", 4, {}));
  EXPECT_FALSE(ParseValue("1e39", 4, {}));
  EXPECT_FALSE(ParseValue("-9223372036854775809", 8, {}));
}

}  // namespace
}  // namespace gcnjit::debug
