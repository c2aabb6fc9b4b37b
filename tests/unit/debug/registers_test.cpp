#include "debug/registers.h"

#include <gtest/gtest.h>

#include <bit>
#include <memory>

namespace gcnjit::debug {
namespace {

using frontend::Generation;

TEST(RegistersTest, Names) {
  const auto is = [](const char* text, RegisterKind kind, uint32_t first, uint32_t count,
                     Generation generation = Generation::kGfx908) {
    const auto name = ParseRegister(text, generation);
    return name && name->kind == kind && name->first == first && name->count == count;
  };
  EXPECT_TRUE(is("s3", RegisterKind::kScalar, 3, 1));
  EXPECT_TRUE(is("s[4:7]", RegisterKind::kScalar, 4, 4));
  EXPECT_TRUE(is("v255", RegisterKind::kVector, 255, 1));
  EXPECT_TRUE(is("v[2:3]", RegisterKind::kVector, 2, 2));
  EXPECT_TRUE(is("a7", RegisterKind::kVector, 263, 1));
  EXPECT_TRUE(is("vcc", RegisterKind::kScalar, 106, 2));
  EXPECT_TRUE(is("exec_hi", RegisterKind::kScalar, 127, 1));
  EXPECT_TRUE(is("m0", RegisterKind::kScalar, 124, 1));
  EXPECT_TRUE(is("flat_scratch", RegisterKind::kScalar, 102, 2));
  EXPECT_TRUE(is("flat_scratch", RegisterKind::kScalar, 104, 2, Generation::kGfx7));
  EXPECT_TRUE(is("pc", RegisterKind::kPc, 0, 2));
  for (const char* none : {"", "s", "v", "s104", "v256", "v[3:2]", "v[2", "v[2:]", "v2x", "b1",
                           "s-1", "vccx", "s[4:104]", "[1]"}) {
    EXPECT_FALSE(ParseRegister(none, Generation::kGfx908)) << none;
  }
  EXPECT_FALSE(ParseRegister("a0", Generation::kGfx900));
}

TEST(RegistersTest, Values) {
  const auto wave = std::make_unique<runtime::WaveState>();
  wave->vgpr_count = 4;
  wave->acc_vgpr_count = 4;
  wave->pc = 0x1234'5678'9ABC;
  wave->sgpr[5] = 77;
  wave->vgpr[3][9] = 88;
  wave->vgpr[256][63] = 99;
  const auto values = [&](const char* text, int lane = 0) {
    return ValuesOf(*wave, *ParseRegister(text, Generation::kGfx908), lane);
  };
  EXPECT_EQ(values("pc"), (std::vector<uint32_t>{0x56789ABC, 0x1234}));
  EXPECT_EQ(values("s[4:5]"), (std::vector<uint32_t>{0, 77}));
  EXPECT_EQ(values("v[2:3]", 9), (std::vector<uint32_t>{0, 88}));
  EXPECT_EQ(values("a0", 63), (std::vector<uint32_t>{99}));
  EXPECT_TRUE(Has(*wave, *ParseRegister("v[0:3]", Generation::kGfx908)));
  EXPECT_FALSE(Has(*wave, *ParseRegister("v4", Generation::kGfx908)));
  EXPECT_TRUE(Has(*wave, *ParseRegister("a3", Generation::kGfx908)));
  EXPECT_FALSE(Has(*wave, *ParseRegister("a[3:4]", Generation::kGfx908)));
}

TEST(RegistersTest, Numbers) {
  const auto text = [](uint64_t bits, const char* format) {
    return NumberText(bits, *ParseNumberFormat(format));
  };
  EXPECT_EQ(text(0xFFFFFFFE, "hex"), "0xfffffffe");
  EXPECT_EQ(text(0xFFFFFFFE, "u32"), "4294967294");
  EXPECT_EQ(text(0xFFFFFFFE, "i32"), "-2");
  EXPECT_EQ(text(0x3F800000, "f32"), "1");
  EXPECT_EQ(text(0x3DCCCCCD, "f32"), "0.1");
  EXPECT_EQ(text(0x7FC00000, "f32"), "nan");
  EXPECT_EQ(text(std::bit_cast<uint64_t>(-0.1), "f64"), "-0.1");
  EXPECT_EQ(text(~uint64_t{0}, "i64"), "-1");
  EXPECT_EQ(text(~uint64_t{0}, "u64"), "18446744073709551615");
  EXPECT_EQ(text(0x1FF, "u8"), "255");
  EXPECT_FALSE(ParseNumberFormat("f31"));
  const std::byte bytes[] = {std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{2}};
  EXPECT_EQ(NumberTexts(bytes, 5, NumberFormat::kU32), (std::vector<std::string>{"1"}));
  EXPECT_EQ(NumberTexts(bytes, 5, NumberFormat::kU8).size(), 5u);
}

TEST(RegistersTest, Lanes) {
  EXPECT_EQ(LanesText(0), "none");
  EXPECT_EQ(LanesText(~uint64_t{0}), "0-63");
  EXPECT_EQ(LanesText(0xF21), "0, 5, 8-11");
  EXPECT_EQ(LanesText(uint64_t{3} << 62), "62-63");
  EXPECT_EQ(LanesText(uint64_t{1} << 63), "63");
}

}  // namespace
}  // namespace gcnjit::debug
