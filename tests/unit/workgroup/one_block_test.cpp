// Group code that is one block: the turns of waves that start alike.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "group_code.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "workgroup/specialise.h"

namespace gcnjit::workgroup {
namespace {

// The code of waves that start alike, if it is one block; else nothing.
std::string OneBlock(const std::string& text, uint32_t waves, uint32_t lds_bytes = 4096) {
  ir::Function function = Parse(text);
  GroupStart start = Waves(waves);
  start.lds_bytes = lds_bytes;
  start.has_same_sgprs = true;
  const std::optional<GroupCode> group = AppendGroupCode(function, start);
  if (!group || !group->is_one_block) return {};
  EXPECT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  EXPECT_EQ(function.blocks.size(), 1u) << "the others are gone";
  return ir::PrintBlock(function, function.blocks[0]);
}

TEST(Specialise, OneBlockHasTheWavesTurns) {
  const std::string code = OneBlock(Block(0, kStore + std::string("exit barrier, 16\n")) +
                                        Block(16, kStore + std::string("exit end, 32\n")),
                                    2);
  EXPECT_EQ(CountIn(code, "\n  store "), 4u) << code;
  EXPECT_NE(code.find("instructions=6\n"), std::string::npos) << code;
  // In the order of their turns, with addresses that say whose they are.
  const char* const kGuests[] = {"guest 0 0x100000000000000\n", "guest 1 0x200000000000000\n",
                                 "guest 2 0x200000000000010\n", "guest 3 0x100000000000010\n"};
  size_t last = 0;
  for (const char* const guest : kGuests) {
    const size_t at = code.find(guest);
    ASSERT_NE(at, std::string::npos) << guest << code;
    EXPECT_GE(at, last) << code;
    last = at;
  }
  EXPECT_EQ(CountIn(code, "exit end"), 1u) << code;
}

TEST(Specialise, OneBlockNeedsWavesThatStartAlike) {
  const std::string text = Block(0, kStore + std::string("exit barrier, 16\n")) +
                           Block(16, kStore + std::string("exit end, 32\n"));
  EXPECT_NE(OneBlock(text, 2), "");
  ir::Function function = Parse(text);
  GroupStart start = Waves(2);
  start.lds_bytes = 4096;
  EXPECT_FALSE(AppendGroupCode(function, start)) << "nor does anything else pay";
  // Ids that no few operations make.
  start.has_same_sgprs = true;
  start.waves[1].vgprs.at(0)[17] = 3;
  EXPECT_FALSE(AppendGroupCode(function, start));
  // Data decide about a branch.
  EXPECT_EQ(OneBlock(Block(0, "%70 = get_scc.u1\nbranch %70, 16, 32\n") +
                         Block(16, kStore + std::string("jump 32\n")) +
                         Block(32, kStore + std::string("exit end, 48\n")),
                     2),
            "");
}

// Each wave has registers of its own, and none of them is the state's after its start.
TEST(Specialise, OneBlockKeepsRegistersApart) {
  const std::string code = OneBlock(
      Block(0,
            "%1 = get_vgpr.v32 v0\n%2 = get_sgpr.u32 s4\n%3 = get_vgpr.v32 v7\n%4 = add.v32 %1, "
            "%2\n%5 = add.v32 %4, %3\nset_vgpr v1, %5\n%6 = readlane.u32 %1, 0\nset_sgpr s9, %6\n"
            "exit barrier, 16\n") +
          Block(16,
                "%7 = get_vgpr.v32 v1\n%8 = get_sgpr.u32 s9\nstore %7, %8, "
                "0xffffffffffffffff:u64, %7 {bytes=4}\nexit end, 32\n"),
      3);
  EXPECT_EQ(CountIn(code, "set_"), 0u) << code;
  EXPECT_EQ(CountIn(code, "get_vgpr.v32 v0"), 0u) << "known\n" << code;
  EXPECT_EQ(CountIn(code, "get_vgpr.v32 v1\n"), 0u) << code;
  EXPECT_EQ(CountIn(code, "get_sgpr.u32 s9"), 0u) << code;
  EXPECT_GT(CountIn(code, "get_vgpr.v32 v7"), 0u) << "the same in all waves\n" << code;
  // Of each wave: what it has added up, and the number of its first lane.
  EXPECT_EQ(CountIn(code, ", 0, 0xffffffffffffffff:u64, %"), 1u) << code;
  EXPECT_EQ(CountIn(code, ", 64, 0xffffffffffffffff:u64, %"), 1u) << code;
  EXPECT_EQ(CountIn(code, ", 128, 0xffffffffffffffff:u64, %"), 1u) << code;
}

// The state has the first wave's. A half of it is not that of a wave with fewer lanes.
TEST(Specialise, OneBlockHasEachWavesExec) {
  ir::Function function =
      Parse(Block(0,
                  "%1 = get_sgpr.u32 s4\nset_sgpr s126, %1\n%2 = get_vgpr.v32 v0\n%3 = "
                  "get_sgpr64.u64 s126\nstore %2, %2, %3, %2 {bytes=4}\nexit end, 16\n"));
  GroupStart start = Waves(2);
  start.has_same_sgprs = true;
  start.waves[1].exec = 0xF'FFFF'FFFF;
  ASSERT_TRUE(AppendGroupCode(function, start));
  const std::string code = ir::PrintBlock(function, function.blocks.back());
  EXPECT_EQ(CountIn(code, "get_sgpr.u32 s127"), 0u) << code;
  EXPECT_EQ(CountIn(code, "get_sgpr64.u64 s126"), 0u) << code;
}

// What one wave stores to LDS another one has in registers; LDS is not read.
TEST(Specialise, OneBlockNeedsNoLds) {
  const auto code = [](const std::string& mask, int offset) {
    return OneBlock(
        Block(0,
              "%1 = get_vgpr.v32 v0\n%2 = shl.v32 %1, 2\n%3 = get_vgpr.v32 v7\nstore_lds %2, "
              "0xffffffffffffffff:u64, 0xffffffff, %3 {bytes=4}\nset_vgpr v1, %2\nexit barrier, "
              "16\n") +
            Block(16, "%4 = get_vgpr.v32 v1\n%5 = load_lds.v32 %4, " + mask +
                          ", 0xffffffff {bytes=4, offset=" + std::to_string(offset) +
                          "}\nstore %4, %4, 0xffffffffffffffff:u64, %5 {bytes=4}\nexit end, 32\n"),
        2);
  };
  EXPECT_EQ(CountIn(code("0xffffffffffffffff:u64", 0), "_lds"), 0u);
  // The second wave's are beyond what the first one has stored, and the other way round.
  EXPECT_EQ(CountIn(code("0xffffffffffffffff:u64", 256), " = load_lds"), 1u);
  EXPECT_EQ(CountIn(code("1:u64", 256), " = load_lds"), 1u);
}

// Without LDS, waves have only their start in common: that pays if they are short.
TEST(Specialise, OneBlockWithoutLds) {
  std::string lines;
  for (int n = 1; n <= 400; ++n) lines += "guest " + std::to_string(n) + " 1\n";
  const std::string text = Block(0, kStore + lines + "exit end, 48\n");
  EXPECT_NE(OneBlock(text, 2, 0), "");
  EXPECT_EQ(OneBlock(text, 3, 0), "");
  // Nor is there any other group code.
  ir::Function function =
      Parse(Block(0, kStore + IfBelow(64, 16, 32)) + Block(16, kStore + std::string("jump 32\n")) +
            Block(32, kRestore + std::string("exit end, 48\n")));
  GroupStart start = Waves(2);
  start.lds_bytes = 0;
  EXPECT_FALSE(AppendGroupCode(function, start));
}

}  // namespace
}  // namespace gcnjit::workgroup
