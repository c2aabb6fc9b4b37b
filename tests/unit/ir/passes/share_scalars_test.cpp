// Scalars that the first wave of a group leaves for the others.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::ir {
namespace {

constexpr uint64_t kEntry = 0x100;

// A block of a wave; values have numbers of their own in each block.
std::string BlockOf(int wave, uint64_t begin, const std::string& lines) {
  const std::string pc = std::to_string(WithWave(begin, wave));
  std::string text = "block " + pc + " instructions=1\nguest 0 " + std::to_string(begin) + "\n";
  for (const char c : lines) {
    text += c;
    if (c == '%') text += std::to_string(wave + 1) + std::to_string(begin % 7);
  }
  return text + "exit barrier, " + pc + "\n";
}

Function Shared(const std::string& text) {
  ParseResult parsed = Parse(text);
  if (parsed.error) ADD_FAILURE() << parsed.error->line << ": " << parsed.error->message << text;
  EXPECT_EQ(Verify(parsed.function), std::vector<std::string>{});
  ShareScalars(parsed.function);
  EXPECT_EQ(Verify(parsed.function), std::vector<std::string>{}) << Print(parsed.function);
  return std::move(parsed.function);
}

int Count(const Function& function, size_t block, Op op) {
  int count = 0;
  for (const Value v : function.blocks[block].insts) count += function[v].op == op;
  return count;
}

// Two waves with the same first block; what the second one takes, and what it computes itself.
struct Result {
  int left = 0;
  int taken = 0;
  int loads = 0;
  int adds = 0;
  friend bool operator==(const Result&, const Result&) = default;
};
std::ostream& operator<<(std::ostream& out, const Result& r) {
  return out << r.left << " left, " << r.taken << " taken, " << r.loads << " loads, " << r.adds
             << " adds";
}
Result Of(const std::string& first, const std::string& second, const std::string& between = "") {
  std::string text = BlockOf(0, kEntry, first);
  if (!between.empty()) text += BlockOf(0, kEntry + 8, between);
  text += BlockOf(1, kEntry, second);
  const Function function = Shared(text);
  const size_t last = function.blocks.size() - 1;
  EXPECT_EQ(Count(function, 0, Op::kGetCommon), 0);
  return {Count(function, 0, Op::kSetCommon), Count(function, last, Op::kGetCommon),
          Count(function, last, Op::kLoadScalar), Count(function, last, Op::kAdd)};
}

constexpr const char* kLoadAndAdd =
    "%1 = get_sgpr64.u64 s4\n%2 = load_scalar.u32 %1 {dwords=2, offset=8}\n%3 = part.u32 %2 "
    "{dword=1}\n%4 = get_sgpr.u32 s8\n%5 = add.u32 %3, %4\n%6 = get_vgpr.v32 v0\n%7 = add.v32 %6, "
    "%5\nset_vgpr v1, %7\n";
constexpr const char* kStoreHere =
    "%50 = get_sgpr.u32 s9\nstore %50, %50, 0xffffffffffffffff:u64, %50 {bytes=4}\n";

TEST(ShareScalars, WhatOperationsOfLanesWantIsLeft) {
  EXPECT_EQ(Of(kLoadAndAdd, kLoadAndAdd), (Result{1, 1, 0, 1}));
}

TEST(ShareScalars, StoresMayChangeWhatIsLoaded) {
  const std::string store = kStoreHere;
  // In either block, or between.
  EXPECT_EQ(Of(kLoadAndAdd + store, kLoadAndAdd), (Result{0, 0, 1, 2}));
  EXPECT_EQ(Of(kLoadAndAdd, store + kLoadAndAdd), (Result{0, 0, 1, 2}));
  EXPECT_EQ(Of(kLoadAndAdd, kLoadAndAdd, store), (Result{0, 0, 1, 2}));
  EXPECT_EQ(Of(kLoadAndAdd, kLoadAndAdd, "fence\n"), (Result{0, 0, 1, 2}));
  EXPECT_EQ(Of(kLoadAndAdd, kLoadAndAdd,
               "%1 = get_sgpr.u32 s9\n%2 = atomic.v32 %1, %1, 1:u64, %1 {bytes=4, add}\n"),
            (Result{0, 0, 1, 2}));
  // LDS is elsewhere, and a store behind it comes too late.
  EXPECT_EQ(Of(kLoadAndAdd, kLoadAndAdd,
               "%1 = get_sgpr.u32 s9\nstore_lds %1, 1:u64, 0xffffffff, %1 {bytes=4}\n"),
            (Result{1, 1, 0, 1}));
  EXPECT_EQ(Of(kLoadAndAdd, kLoadAndAdd + store), (Result{1, 1, 0, 1}));
}

TEST(ShareScalars, OtherAddressesAreOthers) {
  std::string other = kLoadAndAdd;
  other.replace(other.find("offset=8"), 8, "offset=4");
  EXPECT_EQ(Of(kLoadAndAdd, other), (Result{0, 0, 1, 2}));
  other = kLoadAndAdd;
  other.replace(other.find("s8"), 2, "s7");
  EXPECT_EQ(Of(kLoadAndAdd, other), (Result{1, 1, 0, 2})) << "the sum, but not what is loaded";
}

TEST(ShareScalars, WhatLanesDecideIsEachWavesOwn) {
  const std::string lanes =
      "%1 = get_vgpr.v32 v0\n%2 = readlane.u32 %1, 3\n%3 = lt_u.u64 %1, 7\n%4 = get_sgpr.u32 s8\n"
      "%5 = add.u32 %2, %4\nset_sgpr s10, %5\n%6 = add.u64 %3, 1:u64\nset_sgpr64 s12, %6\n";
  EXPECT_EQ(Of(lanes, lanes), (Result{0, 0, 0, 2}));
}

TEST(ShareScalars, BlocksBehindTheFirstOneAreLeftAlone) {
  const Function function =
      Shared(BlockOf(0, kEntry, kLoadAndAdd) + BlockOf(0, kEntry + 8, kLoadAndAdd) +
             BlockOf(1, kEntry + 8, kLoadAndAdd));
  for (size_t block = 0; block < function.blocks.size(); ++block) {
    EXPECT_EQ(Count(function, block, Op::kLoadScalar), 1);
    EXPECT_EQ(Count(function, block, Op::kSetCommon), 0);
  }
}

// The same as without, wave by wave.
TEST(ShareScalars, EachTakesWhatItWants) {
  const std::string first =
      "%1 = get_sgpr.u32 s1\n%2 = mul.u32 %1, 5\n%3 = add.u32 %2, 7\n%4 = get_sgpr64.u64 s2\n%5 = "
      "shl.u64 %4, 2\nset_sgpr s20, %3\nset_sgpr64 s22, %5\n";
  const std::string text =
      BlockOf(0, kEntry, first) + BlockOf(1, kEntry, first) + BlockOf(2, kEntry, first);
  const Function function = Shared(text);
  EXPECT_EQ(Count(function, 0, Op::kSetCommon), 2);
  for (size_t block : {1u, 2u}) {
    EXPECT_EQ(Count(function, block, Op::kGetCommon), 2);
    EXPECT_EQ(Count(function, block, Op::kMul), 0);
  }
}

}  // namespace
}  // namespace gcnjit::ir
