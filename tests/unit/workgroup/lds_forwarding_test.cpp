// Loads from LDS of what the same block has stored.
#include "workgroup/lds_forwarding.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "unit/workgroup/known_block.h"

namespace gcnjit::workgroup {
namespace {

constexpr uint32_t kLdsBytes = 1024;

// What the block's loads are, in order: "load" for those that stay, else what stands for them, the
// last operation first. `lines` may use ParseKnownBlock's values.
std::vector<std::string> LoadsOf(const std::string& lines) {
  ir::Function function = ParseKnownBlock(lines);
  const ir::Block from = function.blocks[0];
  const ConstantLanes values = ValuesOf(function);
  ir::Block to;
  ir::Builder builder(function, to);
  LdsForwarding lds(builder, kLdsBytes);
  std::vector<std::string> loads;
  for (const ir::Value v : from.insts) {
    const ir::Inst inst = function[v];
    if (inst.op == ir::Op::kLoadLds) {
      const ir::Value stored = lds.Load(inst, values);
      std::string what = stored ? ir::InfoOf(function[stored].op).name : "load";
      if (stored && function[stored].op == ir::Op::kPermute) {
        const auto& pattern = function.patterns[static_cast<size_t>(function[stored].imm)];
        what += " v" + std::to_string(function[function[stored].args[0]].imm);
        for (const int lane : {0, 1, 63}) {
          const uint8_t source = pattern[static_cast<size_t>(lane)];
          what += " " + (source == ir::kNoLane ? "-" : std::to_string(source));
        }
      }
      loads.push_back(what);
    }
    lds.Follow(inst, values, inst.args + 3);
  }
  return loads;
}
using Loads = std::vector<std::string>;

const std::string kAll = "0xffffffffffffffff:u64, 0xffffffff";

TEST(LdsForwarding, LoadsArePermutations) {
  const std::string store = "store_lds %2, " + kAll + ", %3 {bytes=4, offset=256}\n";
  EXPECT_EQ(LoadsOf(store + "%9 = load_lds.v32 %2, " + kAll + " {bytes=4, offset=256}\n"),
            Loads{"permute v1 0 1 63"});
  EXPECT_EQ(LoadsOf(store + "%9 = load_lds.v32 %2, 3:u64, 0xffffffff {bytes=4, offset=264}\n"),
            Loads{"permute v1 2 3 -"});
  // All lanes from one address.
  EXPECT_EQ(LoadsOf(store + "%9 = load_lds.v32 300, " + kAll + " {bytes=4}\n"),
            Loads{"permute v1 11 11 11"});
  // The last lane that stores to an address.
  EXPECT_EQ(LoadsOf("store_lds 16, 0xff:u64, 0xffffffff, %3 {bytes=4}\n%9 = load_lds.v32 16, " +
                    kAll + " {bytes=4}\n"),
            Loads{"permute v1 7 7 7"});
}

TEST(LdsForwarding, TheLastStoreCounts) {
  const std::string first = "store_lds %2, " + kAll + ", %3 {bytes=4}\n";
  const std::string load = "%9 = load_lds.v32 %2, " + kAll + " {bytes=4}\n";
  EXPECT_EQ(LoadsOf(first + "store_lds %2, " + kAll + ", %4 {bytes=4}\n" + load),
            Loads{"permute v2 0 1 63"});
  EXPECT_EQ(LoadsOf(first + "store_lds %2, 0xff:u64, 0xffffffff, %4 {bytes=4}\n" + load),
            Loads{"select"});
  EXPECT_EQ(LoadsOf(first +
                    "store_lds %2, 0xff:u64, 0xffffffff, %4 {bytes=4}\n"
                    "store_lds %2, 0xf:u64, 0xffffffff, %1 {bytes=4}\n" +
                    load),
            Loads{"load"})
      << "three pieces";
}

TEST(LdsForwarding, ScalarsAreStoredByLanes) {
  const std::string load = "%9 = load_lds.v32 %2, " + kAll + " {bytes=4}\n";
  EXPECT_EQ(LoadsOf("store_lds %2, " + kAll + ", 77 {bytes=4}\n" + load), Loads{"const"});
  EXPECT_EQ(LoadsOf("store_lds %2, " + kAll + ", %3 {bytes=4}\n" +
                    "store_lds %2, 0xff:u64, 0xffffffff, 77 {bytes=4}\n" + load),
            Loads{"select"});
}

TEST(LdsForwarding, WhatWasNotStoredIsLoaded) {
  const std::string store = "store_lds %2, 0xff:u64, 0xffffffff, %3 {bytes=4}\n";
  EXPECT_EQ(LoadsOf("%9 = load_lds.v32 %2, " + kAll + " {bytes=4}\n"), Loads{"load"});
  EXPECT_EQ(LoadsOf(store + "%9 = load_lds.v32 %2, 0x1ff:u64, 0xffffffff {bytes=4}\n"),
            Loads{"load"});
  EXPECT_EQ(LoadsOf(store + "%9 = load_lds.v32 %2, 0xff:u64, 0xffffffff {bytes=4}\n"),
            Loads{"permute v1 0 1 -"});
  EXPECT_EQ(LoadsOf(store + "%9 = load_lds.v32 %2, 0xf:u64, 0xffffffff {bytes=4, offset=2}\n"),
            Loads{"load"})
      << "between dwords";
  EXPECT_EQ(LoadsOf(store + "%9 = load_lds.v32 %2, 0xf:u64, 0xffffffff {bytes=2}\n"),
            Loads{"load"});
}

// After these nothing is known of memory any more.
TEST(LdsForwarding, OthersMayHaveStored) {
  const std::string store = "store_lds %2, " + kAll + ", %3 {bytes=4}\n";
  const std::string load = "%9 = load_lds.v32 %2, " + kAll + " {bytes=4}\n";
  const auto with = [&](const std::string& between) { return LoadsOf(store + between + load); };
  const Loads stays{"load"};
  EXPECT_EQ(with("store_lds %3, 1:u64, 0xffffffff, %4 {bytes=4}\n"), stays) << "anywhere";
  EXPECT_EQ(with("%5 = get_sgpr64.u64 s2\nstore_lds %2, %5, 0xffffffff, %4 {bytes=4}\n"), stays);
  EXPECT_EQ(with("%5 = get_sgpr.u32 s2\nstore_lds %2, 1:u64, %5, %4 {bytes=4}\n"), stays) << "M0";
  EXPECT_EQ(with("store_lds %2, 1:u64, 0xffffffff, %4 {bytes=4, offset=2000}\n"), stays)
      << "which may be beyond LDS";
  EXPECT_EQ(with("store_lds %2, 2:u64, 0xffffffff, %4 {bytes=1, offset=3}\n"), stays);
  EXPECT_EQ(with("store_lds %2, 2:u64, 0xffffffff, %4 {bytes=4, offset=2}\n"), stays);
  EXPECT_EQ(with("%5 = atomic_lds.v32 900, 1:u64, 0xffffffff, %4 {bytes=4, add}\n"), stays);
  EXPECT_EQ(with("store %3, %4, 1:u64, %4 {bytes=4, flat}\n"), stays);
  EXPECT_EQ(with("%5 = atomic.v32 %3, %4, 1:u64, %4 {bytes=4, add, flat}\n"), stays);
  const Loads moved{"permute v1 0 1 63"};
  EXPECT_EQ(with("store %3, %4, 1:u64, %4 {bytes=4}\n"), moved);
  EXPECT_EQ(with("store_lds %2, " + kAll + ", %4 {bytes=4, offset=256}\n"), moved);
  EXPECT_EQ(with("store_lds %2, 1:u64, 0xffffffff, %4 {bytes=1, offset=256}\n"), moved);
}

TEST(LdsForwarding, StoresOfSeveralDwords) {
  EXPECT_EQ(LoadsOf("%5 = shl.v32 %1, 3\nstore_lds %5, " + kAll +
                    ", %3, %4 {bytes=8}\n%8 = load_lds.v32 %5, " + kAll +
                    " {bytes=4}\n%9 = load_lds.v32 %5, " + kAll + " {bytes=4, offset=4}\n"),
            (Loads{"permute v1 0 1 63", "permute v2 0 1 63"}));
}

TEST(LdsForwarding, BoundsAreTheGroupsOwn) {
  const std::string at = " {bytes=4, offset=768}\n";
  EXPECT_EQ(LoadsOf("store_lds %2, " + kAll + ", %3" + at + "%9 = load_lds.v32 %2, " + kAll + at),
            Loads{"permute v1 0 1 63"});
  const std::string beyond = " {bytes=4, offset=772}\n";
  EXPECT_EQ(
      LoadsOf("store_lds %2, " + kAll + ", %3" + beyond + "%9 = load_lds.v32 %2, " + kAll + beyond),
      Loads{"load"});
}

}  // namespace
}  // namespace gcnjit::workgroup
