// Which loops have accesses that all go on by the same with each iteration.
#include "backend_x64/compile/linear_accesses.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backend_x64/compile/region.h"
#include "ir/parser.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

// A loop of one block that counts in s0.
ir::ParseResult Loop(const std::string& body) {
  ir::ParseResult parsed = ir::Parse(
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s126\n%2 = get_sgpr.u32 s0\n"
      "%3 = ne.u1 %2, 1\n%4 = add.u32 %2, 0xffffffff\n%5 = get_vgpr.v32 v0\n"
      "%6 = get_vgpr.v32 v1\n" +
      body +
      "set_sgpr s0, %4\nbranch %3, 0x0, 0x4\nblock 0x4 instructions=1\nguest 0 0x4\n"
      "exit end, 0x8\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << '\n' << body;
  return parsed;
}

std::vector<LinearAccess> Find(const std::string& body) {
  const ir::ParseResult parsed = Loop(body);
  return parsed.error ? std::vector<LinearAccess>{} : FindLinearAccesses(parsed.function);
}

const std::string kStore = "store %5, %6, %1, %2 {bytes=4, offset=8}\n";
const std::string kSets = "set_vgpr v0, %10 {active}\nset_vgpr v1, %13 {active}\n";

// v[0:1] + `step`, half by half.
std::string Halves(const std::string& step) {
  return "%10 = add.v32 %5, " + step + "\n%11 = lt_u.u64 %10, " + step +
         "\n%12 = select.v32 %11, 1, 0\n%13 = add.v32 %6, %12\n";
}

TEST(LinearAccesses, PairsWithACarry) {
  const auto found = Find(kStore + Halves("4") + kSets);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_store);
  EXPECT_EQ(found[0].bytes, 4);
  EXPECT_EQ(found[0].imm, 8);
  EXPECT_EQ(found[0].low, 0u);
  EXPECT_EQ(found[0].high, 1u);
  EXPECT_EQ(found[0].step[0].value, 4u);
  EXPECT_EQ(found[0].step[1].value, 0u);
  EXPECT_FALSE(found[0].is_after_step);
}

TEST(LinearAccesses, StepsInSgprs) {
  const auto found = Find("%9 = get_sgpr.u32 s7\n" + kStore + Halves("%9") + kSets);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].step[0].is_sgpr, 1u);
  EXPECT_EQ(found[0].step[0].value, 7u);
  // One that changes.
  EXPECT_TRUE(
      Find("%9 = get_sgpr.u32 s7\n" + kStore + Halves("%9") + kSets + "set_sgpr s7, %2\n").empty());
}

TEST(LinearAccesses, StepsDownwards) {
  const auto found =
      Find(kStore +
           "%10 = add.v32 %5, 0xfffffffc\n%11 = lt_u.u64 %10, 0xfffffffc\n"
           "%12 = select.v32 %11, 1, 0\n%14 = add.v32 %6, 0xffffffff\n%13 = add.v32 %12, %14\n" +
           kSets);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].step[0].value, 0xFFFFFFFCu);
  EXPECT_EQ(found[0].step[1].value, 0xFFFFFFFFu);
}

TEST(LinearAccesses, SumsOf64Bits) {
  const auto found = Find(kStore +
                          "%9 = pack.v64 %5, %6\n%12 = add.v64 %9, 0x100000004:u64\n"
                          "%10 = low.v32 %12\n%13 = high.v32 %12\n" +
                          kSets);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].step[0].value, 4u);
  EXPECT_EQ(found[0].step[1].value, 1u);
}

TEST(LinearAccesses, TheLowDwordAlone) {
  const auto found = Find(kStore + "%10 = add.v32 %5, 4\nset_vgpr v0, %10 {active}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].steps_low_alone);
  // The high dword alone is no step.
  EXPECT_TRUE(Find(kStore + "%10 = add.v32 %6, 4\nset_vgpr v1, %10 {active}\n").empty());
}

TEST(LinearAccesses, WhatRegistersHaveNext) {
  const auto found = Find(Halves("4") + "store %10, %13, %1, %2 {bytes=4}\n" + kSets);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_after_step);
}

TEST(LinearAccesses, Indices) {
  const auto found = Find(
      "%9 = get_sgpr64.u64 s4\n%10 = add.v32 %5, 1\n%14 = load.v32 %5, %9, %1 {bytes=4, "
      "index=sext<<2}\nstore %10, %9, %1, %14 {bytes=4, index=zext<<2}\nset_vgpr v0, %10 {active}\n"
      "%15 = add.u64 %9, 16:u64\nset_sgpr64 s4, %15\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].is_store);
  EXPECT_TRUE(found[0].is_index_signed);
  EXPECT_EQ(found[0].index_shift, 2u);
  EXPECT_EQ(found[0].index.step.value, 1u);
  EXPECT_EQ(found[0].index.offset.value, 0u);
  EXPECT_EQ(found[0].step[0].value, 16u);
  EXPECT_EQ(found[0].high, 4u);
  EXPECT_FALSE(found[1].is_index_signed);
  EXPECT_EQ(found[1].index.offset.value, 1u);
}

// Each is a loop of which nothing is promised.
TEST(LinearAccesses, OtherLoops) {
  const std::string others[] = {
      // Nothing is stored.
      "%14 = load.v32 %5, %6, %1 {bytes=4}\n" + Halves("4") + kSets,
      // A carry of another sum, or of none.
      kStore +
          "%10 = add.v32 %5, 4\n%11 = lt_u.u64 %10, 8\n%12 = select.v32 %11, 1, 0\n"
          "%13 = add.v32 %6, %12\n" +
          kSets,
      kStore + "%10 = add.v32 %5, 4\n%13 = add.v32 %6, 1\n" + kSets,
      // Twice the carry.
      kStore +
          "%10 = add.v32 %5, 4\n%11 = lt_u.u64 %10, 4\n%12 = select.v32 %11, 2, 0\n"
          "%13 = add.v32 %6, %12\n" +
          kSets,
      // A product.
      kStore + "%10 = mul.v32 %5, 4\nset_vgpr v0, %10 {active}\n",
      // What one of the lanes steps by is its own.
      kStore + Halves("%5") + kSets,
      // A mask that is not EXEC, and EXEC that changes.
      "%9 = get_sgpr64.u64 s8\nstore %5, %6, %9, %2 {bytes=4}\n",
      kStore + "%9 = get_sgpr64.u64 s8\nset_sgpr64 s126, %9\n",
      // Memory that is not global, and an atomic.
      "store %5, %6, %1, %2 {bytes=4, flat}\n",
      kStore + "%9 = atomic.v32 %5, %6, %1, %2 {bytes=4, add}\n",
      // Another load, of what an earlier one has found.
      "%14 = load.v32 %5, %6, %1 {bytes=4}\n%15 = load.v32 %14, %6, %1 {bytes=4}\n" + kStore,
      // A base of which half is written.
      "%9 = get_sgpr64.u64 s4\nstore %5, %9, %1, %2 {bytes=4, index=zext<<2}\nset_sgpr s5, %2\n",
  };
  for (const std::string& other : others) EXPECT_TRUE(Find(other).empty()) << other;
}

// The operations of a loop that stores are named as that loop's, for each version: where it goes
// slice by slice (linear_accesses.h, sunk_store.h), and where it does not.
TEST(LinearAccesses, AreListed) {
  const std::string sum = "%9 = get_vgpr.v32 v2\n%10 = add.v32 %9, 5\n";
  for (const std::string& body :
       {kStore + Halves("4") + kSets,
        sum + "store %5, %6, %1, %10 {bytes=4}\nset_vgpr v2, %10 {active}\n"}) {
    const ir::ParseResult loop = Loop(body);
    ASSERT_FALSE(loop.error);
    CompileOptions options;
    options.layout = Machine::Layout();
    options.notes.listing = true;
    std::string error;
    const std::unique_ptr<CompiledRegion> region = Compile(loop.function, options, &error);
    ASSERT_NE(region, nullptr) << error;
    const std::string& listing = region->notes.listing;
    const auto count = [&listing](const std::string& text) {
      int found = 0;
      for (size_t at = 0; (at = listing.find(text, at)) != std::string::npos; ++at) ++found;
      return found;
    };
    // Both, for all lanes and for any.
    EXPECT_LT(listing.find("block 0x0 "), listing.find("\n  store %")) << listing;
    EXPECT_EQ(count("\n  store %"), 4) << listing;
  }
}

}  // namespace
}  // namespace gcnjit::backend
