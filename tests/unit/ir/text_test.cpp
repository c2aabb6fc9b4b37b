// The printer and the parser: text survives the round trip; bad text is refused with its line.
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::ir {
namespace {

constexpr std::string_view kEverything =
    "pattern 0 = 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14 17 16 19 18 21 20 23 22 25 24 27 26 29 28 "
    "31 "
    "30 33 32 35 34 37 36 39 38 41 40 43 42 45 44 47 46 49 48 51 50 53 52 55 54 57 56 59 58 61 60 "
    "63 -\n"
    "block 0x1000 instructions=3\n"
    "guest 0 0x1000\n"
    "  %1 = get_vgpr.v32 v3\n"
    "  %2 = get_sgpr64.u64 s126\n"
    "  %3 = ffma.v32 %1, 0.5, -1.0 {rd, daz, ftz}\n"
    "  %4 = fround.v32 %3 {floor, rn}\n"
    "  %5 = fcmp.u64 %3, %1 {nlt_us, rn, ftz}\n"
    "  %6 = f32_to_f16.v32 %3 {half=up, rz}\n"
    "guest 1 0x1008\n"
    "  %7 = load.v32 %1, 0, %2 {bytes=8, flat, offset=-16}\n"
    "  %8 = part.v32 %7 {dword=1}\n"
    "  %9 = load_lds.v32 %1, %2, 0x10000 {bytes=2, signed}\n"
    "  store %7, %8, %5, %9 {bytes=4, offset=8}\n"
    "  fence\n"
    "  %10 = atomic_lds.v32 %1, %2, 0x10000, %3, %4 {bytes=4, fcmpswap, daz}\n"
    "  %11 = load_scalar.u32 %2 {dwords=4, offset=32}\n"
    "  %12 = part.u32 %11 {dword=3}\n"
    "  %13 = permute.v32 %10 {pattern=0}\n"
    "  %14 = mask_below.v32 %5 {high}\n"
    "  %15 = get_scc.u1\n"
    "  %16 = select.u64 %15, 0xffffffffffffffff:u64, 0:u64\n"
    "  %17 = eq.u1 %15, true\n"
    "guest 2 0x1010\n"
    "  set_vgpr v255, %13\n"
    "  matrix %1, %13 {d=256, c=272, shape=16x16x4x1, f32}\n"
    "  matrix %1, %3, 0, 7 {d=256, c=256, shape=4x4x4x16, f16, cbsz=2, abid=3, blgp=7}\n"
    "  set_sgpr s4, %12\n"
    "  set_sgpr64 s106, %16\n"
    "  branch %17, 0x1014, 0x1020\n"
    "guest 1 0x1008\n"
    "block 0x1014 instructions=1\n"
    "guest 0 0x1014\n"
    "  set_mode 960\n"
    "  exit barrier, 0x1018\n";

TEST(IrText, RoundTrip) {
  // The odd line: a guest instruction named again.
  std::string text(kEverything);
  text.erase(text.find("guest 1 0x1008\nblock"), 15);
  const ParseResult parsed = Parse(text);
  ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(Verify(parsed.function), std::vector<std::string>{});
  EXPECT_EQ(Print(parsed.function), text);
}

TEST(IrText, IndexedAccesses) {
  const std::string text =
      "block 0x0 instructions=1\n"
      "guest 0 0x0\n"
      "  %1 = get_vgpr.v32 v0\n"
      "  %2 = get_sgpr64.u64 s0\n"
      "  %3 = load.v32 %1, %2, %2 {bytes=2, signed, flat, index=sext<<0, offset=-16}\n"
      "  %4 = load.v32 %1, 0x700000000000:u64, %2 {bytes=4, index=zext<<31}\n"
      "  store 5, %2, %2, %3 {bytes=1, index=zext<<2, offset=4}\n"
      "  jump 0x4\n";
  const ParseResult parsed = Parse(text);
  ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(Verify(parsed.function), std::vector<std::string>{});
  EXPECT_EQ(Print(parsed.function), text);
  for (const char* bad :
       {"index=zext<<32", "index=sext<<-1", "index=zext", "index=zext<<", "index"}) {
    const ParseResult refused = Parse(
        "block 0x0 instructions=1\n%1 = get_vgpr.v32 v0\n%2 = load.v32 %1, 0:u64, 1:u64 "
        "{bytes=4, " +
        std::string(bad) + "}\njump 0x4\n");
    ASSERT_TRUE(refused.error) << bad;
    EXPECT_EQ(refused.error->line, 3) << bad;
  }
}

TEST(IrText, GuestInstructionsOutOfOrder) {
  const std::string text =
      "block 0x0 instructions=2\nguest 0 0x0\nguest 1 0x4\n  %1 = get_scc.u1\n"
      "guest 0 0x0\n  set_scc %1\nguest 1 0x4\n  jump 0x8\n";
  const ParseResult parsed = Parse(text);
  ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(parsed.function.blocks[0].guest_pcs, (std::vector<uint64_t>{0, 4}));
  EXPECT_EQ(Print(parsed.function), text);
}

TEST(IrText, CommentsOfGuestInstructions) {
  const ParseResult parsed =
      Parse("block 0x0 instructions=1\nguest 0 0x0 ; anything\n  jump 0x4 ; else\n");
  ASSERT_FALSE(parsed.error);
  EXPECT_EQ(Print(parsed.function, [](uint64_t) { return "s_nop 0"; }),
            "block 0x0 instructions=1\nguest 0 0x0  ; s_nop 0\n  jump 0x4\n");
}

struct BadText {
  const char* text;
  int line;
  const char* message;
};

TEST(IrText, Errors) {
  const std::string block = "block 0x0 instructions=1\n";
  const BadText kCases[] = {
      {"  jump 0x4\n", 1, "expected a block"},
      {"block zero\n", 1, "expected: block ADDRESS instructions=N"},
      {"pattern 1 = 0\n", 1, "expected pattern 0"},
      {"pattern 0 = 0 64\n", 1, "a pattern is 64 lane numbers, or '-' for none"},
      {"B  frobnicate %1\n", 2, "no such operation: 'frobnicate'"},
      {"B  %1 = get_scc.u7\n", 2, "no such type: 'u7'"},
      {"B  %1 = get_scc\n", 2, "a result needs a type"},
      {"B  get_scc.u1\n", 2, "a typed operation needs a result"},
      {"B\n\n  set_scc %3\n", 4, "%3 is not defined"},
      {"B  set_scc %4000000000\n", 2, "%4000000000 is not defined"},
      {"B  %4000000000 = get_scc.u1\n", 2, "'%4000000000' is not a value's name"},
      {"B  %1 = get_scc.u1\n  %1 = get_scc.u1\n", 3, "%1 is defined twice"},
      {"B  set_scc maybe\n", 2, "'maybe' is not an operand"},
      {"B  %1 = get_sgpr.u32\n", 2, "an operand is missing"},
      {"B  %1 = get_sgpr.u32 v1\n", 2, "'v1' is not a register sN"},
      {"B  branch true, 0x4\n", 2, "an operand is missing"},
      {"B  exit boredom, 0x4\n", 2, "no such reason to exit"},
      {"B  %1 = popcount.u32 1, 2, 3, 4, 5, 6, 7, 8\n", 2, "too many operands"},
      {"B  %1 = popcount.u32 1 {rn}\n", 2, "'rn' is no attribute of popcount"},
      {"B  %1 = popcount.u32 1 {rn\n", 2, "expected '}'"},
      {"B  %1 = const.u32 1\n", 2, "constants stand where they are used"},
  };
  for (const BadText& bad : kCases) {
    std::string text = bad.text;
    if (text.starts_with('B')) text = block + text.substr(1);
    const ParseResult parsed = Parse(text);
    ASSERT_TRUE(parsed.error) << text;
    EXPECT_EQ(parsed.error->message, bad.message) << text;
    EXPECT_EQ(parsed.error->line, bad.line) << text;
  }
}

// No prefix and no damaged byte makes the parser or the verifier misbehave.
TEST(IrText, DamagedText) {
  for (size_t n = 0; n < kEverything.size(); ++n) {
    Verify(Parse(kEverything.substr(0, n)).function);
    for (const char c : {'%', '9', ' ', '.', '\n', '-'}) {
      std::string text(kEverything);
      text[n] = c;
      Verify(Parse(text).function);
    }
  }
}

}  // namespace
}  // namespace gcnjit::ir
