// Guards of kernels: where the compares' scalars come from.
#include "backend_x64/compile/lane_guards.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compile/guarded_block.h"

namespace gcnjit::backend {
namespace {

constexpr int kGuardedDwords = 16;

// `id < bound`, where the bound is any dword of a load, and dword 2 is added to the id. All are
// read.
std::string GuardOf(int bound) {
  std::string text =
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s4\n%2 = lane_id.v32\n"
      "%10 = load_scalar.u32 %1 {dwords=" +
      std::to_string(kGuardedDwords) + "}\n";
  for (int n = 1; n < kGuardedDwords; ++n) {
    text += "%" + std::to_string(10 + n) + " = part.u32 %10 {dword=" + std::to_string(n) + "}\n";
  }
  for (int n = 0; n < kGuardedDwords; ++n) {
    text += "set_sgpr s" + std::to_string(16 + n) + ", %" + std::to_string(10 + n) + "\n";
  }
  return text + "%30 = add.v32 %12, %2\n%31 = lt_u.u64 %30, %" + std::to_string(10 + bound) +
         "\nset_sgpr64 s126, %31\nexit end, 0x4\n";
}

// A load's parts are right after it: a guard between them would read a dword that is not there yet.
TEST(LaneGuards, LeaveALoadAndItsPartsTogether) {
  for (int bound = 0; bound < kGuardedDwords; ++bound) {
    ir::ParseResult parsed = ir::Parse(GuardOf(bound));
    ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
    ASSERT_TRUE(AssumeLaneGuards(parsed.function)) << "dword " << bound;
    EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{})
        << "dword " << bound << '\n'
        << ir::Print(parsed.function);
  }
}

// Four waves, of rows that follow each other, with a mask each: all lanes, if `first op second`.
std::string RowsOf(const std::string& op, const std::string& first, const std::string& second,
                   const std::string& before) {
  std::string text =
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr.u32 s8\n%2 = get_sgpr.u32 s9\n"
      "%3 = get_sgpr64.u64 s4\n%4 = lane_id.v32\n";
  int value = 10;
  for (int wave = 0; wave < 4; ++wave) {
    const std::string row = wave == 0 ? "%1" : "%" + std::to_string(value);
    if (wave != 0) text += row + " = add.u32 %1, " + std::to_string(wave) + "\n";
    const auto operand = [&](const std::string& name) { return name == "row" ? row : name; };
    text += "%" + std::to_string(value + 1) + " = " + op + ".u1 " + operand(first) + ", " +
            operand(second) + "\n%" + std::to_string(value + 2) + " = select.u64 %" +
            std::to_string(value + 1) + ", 0xffffffffffffffff:u64, 0:u64\nset_sgpr64 s" +
            std::to_string(20 + 2 * wave) + ", %" + std::to_string(value + 2) + "\n";
    if (wave == 0) text += before;
    value += 3;
  }
  return text + "exit end, 0x4\n";
}

struct Assumed {
  bool is_taken = false;
  std::string text;
  int Count(const std::string& word) const {
    int count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      ++count;
    }
    return count;
  }
};

Assumed AssumeRows(const std::string& text) {
  ir::ParseResult parsed = ir::Parse(text);
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  if (parsed.error) return {};
  const bool is_taken = AssumeLaneGuards(parsed.function);
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  return {is_taken, ir::Print(parsed.function)};
}

// The waves have one guard together, of the last row; against a lower bound one of the first row
// and one that no row wraps around.
TEST(LaneGuards, RowsHaveThemTogether) {
  for (const char* const op : {"lt_s", "le_s", "lt_u", "le_u"}) {
    SCOPED_TRACE(op);
    const Assumed below = AssumeRows(RowsOf(op, "row", "%2", ""));
    EXPECT_TRUE(below.is_taken);
    EXPECT_EQ(below.Count("guard"), 1) << below.text;
    EXPECT_EQ(below.Count(", 3:u64"), 1) << below.text;
    EXPECT_EQ(below.Count("select"), 0) << below.text;
    const Assumed above = AssumeRows(RowsOf(op, "%2", "row", ""));
    EXPECT_TRUE(above.is_taken);
    EXPECT_EQ(above.Count("guard"), 2) << above.text;
    EXPECT_EQ(above.Count("select"), 0) << above.text;
  }
}

constexpr const char* kBlock =
    "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr.u32 s8\n%2 = get_sgpr.u32 s9\n"
    "%3 = lane_id.v32\n%4 = add.v32 %3, %1\n";

// Coordinates that are clamped, then clamped again or compared.
TEST(LaneGuards, ClampsAreWhatTheyWere) {
  int holding = 0;
  for (const std::string type : {"s", "u"}) {
    for (const std::string first : {"min", "max"}) {
      for (const std::string moved : {"1", "0xffffffff", "64"}) {
        const std::string begin = kBlock +
                                  ("%5 = add.v32 %4, " + moved + "\n%6 = " + first + "_" + type) +
                                  ".v32 %5, %2\nset_vgpr v0, %6\n";
        for (const std::string second : {"min", "max"}) {
          SCOPED_TRACE(begin + second);
          holding +=
              CountHolding(AssumeLaneGuards, begin + "%7 = " + second + "_" + type +
                                                 ".v32 %6, 3\nset_vgpr v0, %7\nexit end, 0x4\n");
        }
        for (const std::string second : {"lt", "le"}) {
          for (const std::string order : {"%6, 3\n", "3, %6\n"}) {
            SCOPED_TRACE(begin + second + order);
            holding +=
                CountHolding(AssumeLaneGuards, begin + "%7 = " + second + "_" + type + ".u64 " +
                                                   order + "set_sgpr64 s20, %7\nexit end, 0x4\n");
          }
        }
      }
    }
  }
  EXPECT_GT(holding, 1000);
}

// Sums of a number below 0 that are extended by zeros, then moved far and compared.
TEST(LaneGuards, WideComparesAreWhatTheyWere) {
  int holding = 0;
  for (const std::string op : {"lt_u", "le_u", "lt_s", "le_s"}) {
    for (const std::string sum : {"%4", "%3"}) {
      for (const std::string moved : {"1", "0xffffffff", "64"}) {
        for (const std::string far : {"", "%7 = add.v64 %6, 0xffffffff:u64\n"}) {
          for (const bool sum_is_first : {true, false}) {
            const std::string wide = far.empty() ? "%6" : "%7";
            const std::string text =
                kBlock + ("%5 = add.v32 " + sum + ", " + moved + "\n%6 = zext.v64 %5\n" + far) +
                "%8 = zext.u64 %2\n%9 = " + op + ".u64 " +
                (sum_is_first ? wide + ", %8" : "%8, " + wide) +
                "\nset_sgpr64 s20, %9\nexit end, 0x4\n";
            SCOPED_TRACE(text);
            holding += CountHolding(AssumeLaneGuards, text);
          }
        }
      }
    }
  }
  EXPECT_GT(holding, 1000);
}

// A kernel that is left early where it does not fit: then compares are better false, whatever masks
// are made of them, and the store has all lanes.
TEST(LaneGuards, WhatLeavesEarlyIsTakenForFalse) {
  const std::string compares =
      "%5 = add.u32 %2, 0xffffffff\n%6 = le_s.u64 %5, %4\n%7 = lt_s.u64 %4, 1\n"
      "%8 = lt_s.u1 %1, 3\n%9 = select.u64 %8, 0xffffffffffffffff:u64, 0:u64\n"
      "%10 = lt_s.u64 %4, %2\n";
  const std::string kMasks[] = {
      "%20 = or.u64 %6, %7\n%21 = or.u64 %20, %9\n%22 = not.u64 %21\n",
      "%20 = or.u64 %6, %7\n%22 = andnot.u64 %10, %20\n",
      "%20 = and.u64 %10, %6\n%21 = andnot.u64 %10, %20\n%22 = andnot.u64 %21, %7\n",
      "%20 = not.u64 %6\n%21 = not.u64 %9\n%23 = and.u64 %20, %21\n%24 = andnot.u64 %23, %7\n"
      "%22 = and.u64 %24, %10\n"};
  for (const std::string& masks : kMasks) {
    const std::string text =
        kBlock + compares + masks +
        "%30 = get_sgpr64.u64 s4\nstore %4, %30, %22, %4 {bytes=4, index=sext<<2}\n"
        "set_sgpr64 s24, %22\nexit end, 0x4\n";
    SCOPED_TRACE(text);
    ir::ParseResult parsed = ir::Parse(text);
    ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
    ASSERT_TRUE(AssumeLaneGuards(parsed.function));
    const std::string assumed = ir::Print(parsed.function);
    EXPECT_NE(assumed.find(", 0xffffffffffffffff:u64, %4 {bytes=4"), std::string::npos) << assumed;
    EXPECT_GT(CountHolding(AssumeLaneGuards, text), 0);
  }
}

// Is an id 0? The first one alone is.
TEST(LaneGuards, ComparesWithZeroAreWhatTheyWere) {
  int holding = 0;
  for (const std::string op : {"eq", "ne"}) {
    for (const std::string moved : {"0", "1", "0xffffffff"}) {
      for (const std::string of : {"%5", "%6"}) {
        const std::string text = kBlock + ("%5 = add.v32 %4, " + moved + "\n%6 = zext.v64 %5\n") +
                                 "%9 = " + op + ".u64 " + of + (of == "%6" ? ", 0:u64" : ", 0") +
                                 "\nset_sgpr64 s20, %9\nexit end, 0x4\n";
        SCOPED_TRACE(text);
        holding += CountHolding(AssumeLaneGuards, text);
      }
    }
  }
  EXPECT_GT(holding, 1000);
}

// The last column of a picture, where its pixels are something else: it is none of a group's lanes,
// on either side of them. Where equality is as welcome, there is no guard.
TEST(LaneGuards, LanesThatDifferFromAScalarAreWhatTheyWere) {
  const auto text_of = [](const std::string& op, const std::string& of, const std::string& mask) {
    return kBlock +
           ("%5 = add.u32 %2, 0xffffffff\n%6 = zext.v64 %4\n%7 = zext.u64 %5\n%9 = " + op +
            ".u64 " + of + "\n" + mask) +
           "%30 = get_sgpr64.u64 s4\nstore %4, %30, %10, %4 {bytes=4, index=sext<<2}\n"
           "set_sgpr64 s24, %10\nexit end, 0x4\n";
  };
  const std::string is = "%10 = and.u64 %9, %9\n";
  const std::string is_not = "%10 = not.u64 %9\n";
  for (const std::string of : {"%4, %5", "%5, %4"}) {
    for (const auto& [op, mask] : {std::pair("eq", is_not), std::pair("ne", is)}) {
      const std::string text = text_of(op, of, mask);
      SCOPED_TRACE(text);
      ir::ParseResult parsed = ir::Parse(text);
      ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
      ASSERT_TRUE(AssumeLaneGuards(parsed.function));
      const std::string assumed = ir::Print(parsed.function);
      EXPECT_NE(assumed.find(", 0xffffffffffffffff:u64, %4 {bytes=4"), std::string::npos)
          << assumed;
      EXPECT_GT(CountHolding(AssumeLaneGuards, text), 300);
    }
    EXPECT_EQ(CountHolding(AssumeLaneGuards, text_of("eq", of, is)), 0);
    EXPECT_EQ(CountHolding(AssumeLaneGuards, text_of("ne", of, is_not)), 0);
  }
  EXPECT_EQ(CountHolding(AssumeLaneGuards, text_of("eq", "%6, %7", is_not)), 0) << "of 64 bits";
}

// `4 * id < n`, as of kernels whose work-items do several elements each.
TEST(LaneGuards, MultiplesAreWhatTheyWere) {
  int holding = 0;
  for (const std::string op : {"lt_s", "le_s", "lt_u", "le_u"}) {
    for (const std::string multiple :
         {"%5 = shl.v32 %4, 2\n", "%40 = add.v32 %4, 20\n%5 = mul.v32 %40, 3\n"}) {
      for (const std::string added : {"0", "3", "0xfffffff0"}) {
        for (const std::string compare : {"%6, %2", "%2, %6"}) {
          const std::string text = kBlock + multiple + "%6 = add.v32 %5, " + added +
                                   "\n%9 = " + op + ".u64 " + compare + "\nset_sgpr64 s24, %9\n" +
                                   // Another multiple, compared with the same.
                                   "%7 = mul.v32 %4, 5\n%8 = " + op +
                                   ".u64 %7, %2\nset_sgpr64 s26, %8\nexit end, 0x4\n";
          SCOPED_TRACE(text);
          ir::ParseResult parsed = ir::Parse(text);
          ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
          ASSERT_TRUE(AssumeLaneGuards(parsed.function));
          EXPECT_EQ(ir::Print(parsed.function).find(op + ".u64"), std::string::npos);
          holding += CountHolding(AssumeLaneGuards, text);
        }
      }
    }
  }
  EXPECT_GT(holding, 1000);
  EXPECT_EQ(
      CountHolding(AssumeLaneGuards, kBlock + std::string("%5 = shl.v32 %4, 2\n%6 = zext.v64 %5\n"
                                                          "%7 = zext.u64 %2\n%8 = lt_u.u64 %6, %7\n"
                                                          "set_sgpr64 s24, %8\nexit end, 0x4\n")),
      0)
      << "of 64 bits";
}

// A sum is less than what it is the sum of where it has wrapped around: as a rule it has not.
TEST(LaneGuards, CarriesAreTakenForNone) {
  for (const std::string term : {"%1", "%2"}) {
    const std::string text =
        kBlock + ("%5 = add.u32 %1, %2\n%6 = add.v32 %3, %5\n%7 = lt_u.u64 %6, " + term) +
        "\n%8 = select.v32 %7, 1, 0\nset_vgpr v0, %8\nexit end, 0x4\n";
    SCOPED_TRACE(text);
    ir::ParseResult parsed = ir::Parse(text);
    ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
    ASSERT_TRUE(AssumeLaneGuards(parsed.function));
    EXPECT_NE(ir::Print(parsed.function).find("set_vgpr v0, 0\n"), std::string::npos)
        << ir::Print(parsed.function);
    EXPECT_GT(CountHolding(AssumeLaneGuards, text), 0);
  }
}

// Equality seldom holds.
TEST(LaneGuards, RowsThatAreEqualHaveNone) {
  const Assumed rows = AssumeRows(RowsOf("eq", "row", "%2", ""));
  EXPECT_FALSE(rows.is_taken);
  EXPECT_EQ(rows.Count("select"), 4) << rows.text;
}

// Guards stand before all that the block writes. What is added to after a store is there before it.
TEST(LaneGuards, RowsStandBeforeStores) {
  const std::string store = "store %4, %3, 0xffffffffffffffff:u64, %4 {bytes=4, index=zext<<2}\n";
  const Assumed rows = AssumeRows(RowsOf("lt_s", "row", "%2", store));
  EXPECT_TRUE(rows.is_taken);
  EXPECT_EQ(rows.Count("guard"), 1) << rows.text;
  EXPECT_LT(rows.text.find("guard"), rows.text.find("store")) << rows.text;
}

// So does a row that is worked out after a store, of scalars that were there before it.
TEST(LaneGuards, RowsOfLaterWavesStandBeforeStores) {
  const Assumed rows = AssumeRows(
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr.u32 s8\n%2 = get_sgpr.u32 s9\n"
      "%3 = get_sgpr64.u64 s4\n%4 = lane_id.v32\n"
      "store %4, %3, 0xffffffffffffffff:u64, %4 {bytes=4, index=zext<<2}\n"
      "%5 = mul.u32 %1, %2\n%6 = add.u32 %5, 1\n%7 = lt_s.u1 %6, %2\n"
      "%8 = select.u64 %7, 0xffffffffffffffff:u64, 0:u64\nset_sgpr64 s20, %8\nexit end, 0x4\n");
  EXPECT_TRUE(rows.is_taken);
  EXPECT_LT(rows.text.find("guard"), rows.text.find("store")) << rows.text;
}

// One that is read from a register after a store has none: code has been executed by then.
TEST(LaneGuards, RowsAfterAStoreHaveNone) {
  const Assumed rows = AssumeRows(
      "block 0x0 instructions=1\nguest 0 0x0\n%2 = get_sgpr.u32 s9\n"
      "%3 = get_sgpr64.u64 s4\n%4 = lane_id.v32\n"
      "store %4, %3, 0xffffffffffffffff:u64, %4 {bytes=4, index=zext<<2}\n"
      "%1 = get_sgpr.u32 s8\n%5 = mul.u32 %1, %2\n%6 = lt_s.u1 %5, %2\n"
      "%7 = select.u64 %6, 0xffffffffffffffff:u64, 0:u64\nset_sgpr64 s20, %7\nexit end, 0x4\n");
  EXPECT_FALSE(rows.is_taken) << rows.text;
}

}  // namespace
}  // namespace gcnjit::backend
