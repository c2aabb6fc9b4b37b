// Scalars that the waves of a group load once, where one block is the code of all.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::ir {
namespace {

constexpr FixedMemory kFixed[] = {{6, 32}};

// The text of a block of group code, and what is left of it.
std::string Shared(const std::string& lines, int wave = 0) {
  const std::string pc = std::to_string(wave < 0 ? 64 : WithWave(64, wave));
  ParseResult parsed =
      Parse("block " + pc + " instructions=1\nguest 0 64\n" + lines + "exit end, " + pc + "\n");
  if (parsed.error) ADD_FAILURE() << parsed.error->line << ": " << parsed.error->message << lines;
  EXPECT_EQ(Verify(parsed.function), std::vector<std::string>{});
  ShareLoads(parsed.function, kFixed);
  EXPECT_EQ(Verify(parsed.function), std::vector<std::string>{}) << Print(parsed.function);
  return Print(parsed.function);
}

int LoadsLeft(const std::string& lines, int wave = 0) {
  const std::string text = Shared(lines, wave);
  int count = 0;
  for (size_t at = 0; (at = text.find("load_scalar", at)) != std::string::npos; ++at) ++count;
  return count;
}

// What the `number`th wave loads, and stores so that it is wanted.
std::string Wave(int number, const std::string& address, const std::string& load) {
  std::string text;
  for (const char c : "%1 = " + address + "\n%2 = load_scalar.u32 %1 " + load +
                          "\nstore_lds 0, 1:u64, 0xffffffff, %2 {bytes=4}\n") {
    text += c;
    if (c == '%') text += std::to_string(number);
  }
  return text;
}
// Of two dwords: both are wanted.
std::string Pair(int number, int offset) {
  std::string text;
  for (const char c :
       "%1 = get_sgpr64.u64 s4\n%2 = load_scalar.u32 %1 {dwords=2, offset=" +
           std::to_string(offset) +
           "}\n%3 = part.u32 %2 {dword=1}\nstore_lds 0, 1:u64, 0xffffffff, %2, %3 {bytes=8}\n") {
    text += c;
    if (c == '%') text += std::to_string(number);
  }
  return text;
}

const std::string kStore =
    "%90 = get_sgpr.u32 s9\nstore %90, %90, 0xffffffffffffffff:u64, %90 {bytes=4}\n";
const std::string kTable = "get_sgpr64.u64 s4";
const std::string kArguments = "get_sgpr64.u64 s6";

TEST(ShareLoads, WavesLoadOnce) {
  const std::string load = "{dwords=1, offset=8}";
  EXPECT_EQ(LoadsLeft(Wave(1, kTable, load) + Wave(2, kTable, load) + Wave(3, kTable, load)), 1);
  EXPECT_EQ(LoadsLeft(Pair(1, 8) + Pair(2, 8)), 1);
}

TEST(ShareLoads, PiecesMayHaveBeenLoadedApart) {
  const std::string first = Wave(1, kTable, "{dwords=1, offset=8}");
  const std::string second = Wave(2, kTable, "{dwords=1, offset=12}");
  EXPECT_EQ(LoadsLeft(first + second + Pair(3, 8)), 2);
  EXPECT_EQ(LoadsLeft(Pair(3, 8) + Wave(4, kTable, "{dwords=1, offset=12}")), 1);
  // Only half of it has been loaded before.
  EXPECT_EQ(LoadsLeft(first + Pair(3, 8)), 2);
  EXPECT_EQ(LoadsLeft(first + Pair(3, 4)), 2);
}

TEST(ShareLoads, OtherPlacesAreOthers) {
  EXPECT_EQ(
      LoadsLeft(Wave(1, kTable, "{dwords=1, offset=8}") + Wave(2, kTable, "{dwords=1, offset=12}")),
      2);
  EXPECT_EQ(LoadsLeft(Wave(1, kTable, "{dwords=1, offset=8}") +
                      Wave(2, "get_sgpr64.u64 s2", "{dwords=1, offset=8}")),
            2);
}

TEST(ShareLoads, StoresMayChangeWhatIsLoaded) {
  const std::string load = "{dwords=1, offset=8}";
  const auto with = [&](const std::string& between, const std::string& address) {
    return LoadsLeft(Wave(1, address, load) + between + Wave(2, address, load));
  };
  const std::string atomic =
      "%91 = get_sgpr.u32 s9\n%92 = atomic.v32 %91, %91, 1:u64, %91 {bytes=4, add}\n";
  const std::string lds = "store_lds 0, 1:u64, 0xffffffff, 7 {bytes=4}\n";
  for (const std::string& between : {kStore, atomic, std::string("fence\n")}) {
    EXPECT_EQ(with(between, kTable), 2) << between;
    // But for arguments.
    EXPECT_EQ(with(between, kArguments), 1) << between;
  }
  EXPECT_EQ(with(lds, kTable), 1);
}

TEST(ShareLoads, FixedMemoryHasEnds) {
  const auto with = [&](const std::string& load, const std::string& address = kArguments) {
    return LoadsLeft(Wave(1, address, load) + kStore + Wave(2, address, load));
  };
  EXPECT_EQ(with("{dwords=1, offset=28}"), 1);
  EXPECT_EQ(with("{dwords=1, offset=32}"), 2);
  EXPECT_EQ(with("{dwords=1, offset=-4}"), 2);
  EXPECT_EQ(with("{dwords=1}", "get_sgpr64.u64 s5"), 2);
  EXPECT_EQ(with("{dwords=1}", "get_sgpr64.u64 s7"), 2);
  // Not if something has been added to the address; its low bits do not count.
  const auto masked = [&](const std::string& mask) {
    std::string text;
    for (int wave = 1; wave <= 2; ++wave) {
      const std::string n = std::to_string(wave);
      text += "%" + n + "0 = get_sgpr64.u64 s6\n%" + n + "1 = and.u64 %" + n + "0, " + mask +
              "\n%" + n + "2 = load_scalar.u32 %" + n +
              "1 {dwords=1}\nstore_lds 0, 1:u64, 0xffffffff, %" + n + "2 {bytes=4}\n" +
              (wave == 1 ? kStore : "");
    }
    return LoadsLeft(text);
  };
  EXPECT_EQ(masked("0xfffffffffffffffc:u64"), 1);
  EXPECT_EQ(masked("0xfffffffffffffff0:u64"), 2);
}

// A wave by itself may wait for what it loads.
TEST(ShareLoads, OnlyInGroupCode) {
  const std::string load = "{dwords=1, offset=8}";
  EXPECT_EQ(LoadsLeft(Wave(1, kTable, load) + Wave(2, kTable, load), /*wave=*/-1), 2);
}

}  // namespace
}  // namespace gcnjit::ir
