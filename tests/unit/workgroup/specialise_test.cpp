// Which blocks group code has, in which order, and when there is none.
#include "workgroup/specialise.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "group_code.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::workgroup {
namespace {

// The group's blocks: "0:0+16" is wave 0's from address 0 on, with the block at 16 appended; how
// many instructions it counts; and where it goes. Empty if there are none.
std::string Summary(const std::string& text, uint32_t waves) {
  ir::Function function = Parse(text);
  const size_t count = function.blocks.size();
  const std::string before = ir::Print(function);
  if (!AppendGroupCode(function, Waves(waves))) {
    EXPECT_EQ(ir::Print(function), before);
    return {};
  }
  EXPECT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  std::string summary;
  const auto place = [](uint64_t address) {
    return std::to_string(ir::WaveOf(address)) + ":" + std::to_string(ir::WithoutWave(address));
  };
  for (size_t n = count; n < function.blocks.size(); ++n) {
    const ir::Block& block = function.blocks[n];
    summary += place(block.begin);
    for (size_t i = 1; i < block.guest_pcs.size(); ++i) {
      summary += "+" + std::to_string(block.guest_pcs[i]);
    }
    summary += " counts " + std::to_string(block.instruction_count);
    const ir::Inst& end = function[block.insts.back()];
    switch (end.op) {
      case ir::Op::kJump: summary += " to " + place(block.targets[0]); break;
      case ir::Op::kBranch:
        summary += " to " + place(block.targets[0]) + " or " + place(block.targets[1]);
        break;
      default:
        summary +=
            static_cast<ir::ExitReason>(end.imm) == ir::ExitReason::kEnd ? " ends" : " waits";
        break;
    }
    summary += "\n";
  }
  return summary;
}

// All of the group's code.
std::string Text(const std::string& text, uint32_t waves) {
  ir::Function function = Parse(text);
  const size_t count = function.blocks.size();
  EXPECT_TRUE(AppendGroupCode(function, Waves(waves)));
  std::string result;
  for (size_t n = count; n < function.blocks.size(); ++n) {
    result += ir::PrintBlock(function, function.blocks[n]);
  }
  return result;
}

TEST(Specialise, FollowsTheTurnsOfTheWaves) {
  const std::string text = Block(0, kStore + IfBelow(64, 16, 32)) +
                           Block(16, kStore + std::string("jump 32\n")) +
                           Block(32, kRestore + std::string("exit barrier, 48\n")) +
                           Block(48, kStore + std::string("exit end, 64\n"));
  EXPECT_EQ(Summary(text, 2),
            "0:0+16+32 counts 6 waits\n"
            "1:0+32+48 counts 8 ends\n"
            "0:48 counts 4 ends\n");
}

// One wave's blocks are one where no other one has its turn between them.
TEST(Specialise, WavesThatOnlyPassBarriersAreLeftOut) {
  std::string text = Block(0, kStore + std::string("exit barrier, 16\n"));
  text += Block(16, IfBelow(64, 32, 48)) + Block(32, kStore + std::string("jump 48\n")) +
          Block(48, kRestore + std::string("exit barrier, 64\n"));
  text += Block(64, IfBelow(32, 80, 96)) + Block(80, kStore + std::string("jump 96\n")) +
          Block(96, kRestore + std::string("exit end, 112\n"));
  EXPECT_EQ(Summary(text, 3),
            "0:0 counts 1 waits\n"
            "1:0 counts 19 ends\n"
            "2:0 counts 19 ends\n"
            "0:16+32+48+64+80+96 counts 27 ends\n");
}

// Instructions that a lane mask skips are counted if it is known whether it does.
TEST(Specialise, SkippedInstructionsDoNotCount) {
  const auto with = [](const std::string& mask) {
    return Block(0, kStore + std::string("exit barrier, 16\n")) +
           Block(16,
                 "%7 = get_vgpr.v32 v0\n%8 = lt_u.u64 %7, 64\n%9 = get_sgpr64.u64 s2\nskipped " +
                     mask + " {count=1}\nstore %7, %7, %8, %7 {bytes=4}\nexit end, 32\n");
  };
  EXPECT_EQ(Summary(with("%8"), 2),
            "0:0 counts 1 waits\n"
            "1:0 counts 2 ends\n"
            "0:16 counts 2 ends\n");
  EXPECT_EQ(Summary(with("%9"), 2), "") << "the second wave has to count";
}

TEST(Specialise, WavesMayEndEarly) {
  const std::string text = Block(0, kStore + IfBelow(64, 32, 16)) +
                           Block(16, kStore + std::string("exit end, 20\n")) +
                           Block(32, kRestore + std::string("exit barrier, 48\n")) +
                           Block(48, kStore + std::string("exit end, 64\n"));
  EXPECT_EQ(Summary(text, 2),
            "0:0+32 counts 4 waits\n"
            "1:0+16 counts 3 ends\n"
            "0:48 counts 4 ends\n");
}

// What depends on data is branched about, as long as both ways lead to the same barrier.
TEST(Specialise, BranchesOnDataStay) {
  const std::string branch = "%70 = get_scc.u1\nbranch %70, 16, 32\n";
  const std::string rest =
      Block(32, std::string(kStore) + "exit barrier, 48\n") + Block(48, IfBelow(64, 64, 80)) +
      Block(64, std::string(kStore) + "jump 80\n") + Block(80, "exit end, 96\n");
  EXPECT_EQ(Summary(Block(0, branch) + Block(16, std::string(kStore) + "jump 32\n") + rest, 2),
            "0:0 counts 1 to 0:16 or 0:32\n"
            "0:16 counts 2 to 0:32\n"
            "0:32 counts 3 waits\n"
            "1:0 counts 1 to 1:16 or 1:32\n"
            "1:16 counts 2 to 1:32\n"
            "1:32 counts 13 ends\n"
            "0:48+64+80 counts 15 ends\n");
  // To different ones, or to the end.
  EXPECT_EQ(
      Summary(Block(0, branch) + Block(16, std::string(kStore) + "exit barrier, 32\n") + rest, 2),
      "");
  EXPECT_EQ(Summary(Block(0, branch) + Block(16, std::string(kStore) + "exit end, 20\n") + rest, 2),
            "");
}

// What only one of two ways says of a register is not known after them.
TEST(Specialise, WaysThatMeetAgreeOrKnowNothing) {
  const auto with = [](const std::string& first, const std::string& second) {
    return Block(0, first + "%70 = get_scc.u1\nbranch %70, 16, 32\n") +
           Block(16, kStore + second + "jump 32\n") +
           Block(32, "%71 = get_sgpr.u32 s9\n%72 = eq.u1 %71, 7\nbranch %72, 48, 64\n") +
           Block(48, kStore + std::string("jump 64\n")) + Block(64, IfBelow(64, 80, 96)) +
           Block(80, kStore + std::string("jump 96\n")) + Block(96, "exit end, 112\n");
  };
  const auto decides = [&](const std::string& first, const std::string& second) {
    return Summary(with(first, second), 2).find("0:32 counts 3 to 0:48 or 0:64") ==
           std::string::npos;
  };
  EXPECT_TRUE(decides("set_sgpr s9, 7\n", ""));
  EXPECT_TRUE(decides("set_sgpr s9, 7\n", "set_sgpr s9, 7\n"));
  EXPECT_FALSE(decides("set_sgpr s9, 7\n", "set_sgpr s9, 8\n"));
  EXPECT_FALSE(decides("set_sgpr s9, 8\n", "set_sgpr s9, 7\n"));
  EXPECT_FALSE(decides("", "set_sgpr s9, 7\n"));
}

// A pair is written if half of it is read after the barrier.
TEST(Specialise, WritesWhatIsReadLater) {
  const auto writes = [](const std::string& read) {
    const std::string text =
        Block(0, "%1 = get_sgpr64.u64 s4\n%2 = not.u64 %1\nset_sgpr64 s6, %2\n" +
                     std::string(kStore) + "exit barrier, 16\n") +
        Block(16, kStore + IfBelow(64, 32, 48)) +
        Block(32, read + "store %3, %3, 0xffffffffffffffff:u64, %3 {bytes=4}\njump 48\n") +
        Block(48, "exit end, 64\n");
    return Text(text, 2).find("set_sgpr64 s6") != std::string::npos;
  };
  EXPECT_TRUE(writes("%3 = get_sgpr.u32 s6\n"));
  EXPECT_TRUE(writes("%3 = get_sgpr.u32 s7\n"));
  EXPECT_TRUE(writes("%4 = get_sgpr64.u64 s6\n%3 = low.u32 %4\n"));
  EXPECT_FALSE(writes("%3 = get_sgpr.u32 s8\n"));
}

TEST(Specialise, ThereIsNoneWhereWaysAreNotKnown) {
  const auto with = [](const std::string& end) {
    return Block(0, IfBelow(64, 16, 32)) + Block(16, kStore + std::string("jump 32\n")) +
           Block(32, kStore + end);
  };
  EXPECT_NE(Summary(with("exit end, 48\n"), 2), "");
  for (const char* const end :
       {"jump 0\n", "jump 32\n", "jump 48\n", "exit next, 48\n", "exit interpret, 48\n",
        "exit yield, 48\n", "exit fault, 48\n", "exit barrier, 48\n",
        "%71 = get_scc.u1\nbranch %71, 0, 16\n", "%71 = get_sgpr64.u64 s2\njump_indirect %71\n",
        "%71 = get_sgpr.u32 s2\nset_mode %71\nexit next, 48\n"}) {
    EXPECT_EQ(Summary(with(end), 2), "") << end;
  }
  GroupStart elsewhere = Waves(2);
  elsewhere.entry = 8;
  ir::Function function = Parse(with("exit end, 48\n"));
  EXPECT_FALSE(AppendGroupCode(function, elsewhere));
}

// All waves do the same: there would be nothing gained.
TEST(Specialise, ThereIsNoneWhereItDoesNotPay) {
  EXPECT_EQ(Summary(Block(0, kStore + std::string("exit barrier, 16\n")) +
                        Block(16, kStore + std::string("exit end, 32\n")),
                    2),
            "");
  const auto instructions = [](int count) {
    std::string lines;
    for (int n = 1; n <= count; ++n) lines += "guest " + std::to_string(n) + " 1\n";
    return lines;
  };
  const auto with = [](const std::string& body) {
    return Block(0, IfBelow(64, 16, 32)) + Block(16, kStore + std::string("jump 32\n")) +
           Block(32, kStore + body + "exit end, 48\n");
  };
  EXPECT_NE(Summary(with(""), 2), "");
  EXPECT_NE(Summary(with(instructions(1000)), 2), "");
  EXPECT_EQ(Summary(with(instructions(1030)), 2), "") << "too long";
}

// Then stores may not be put off.
TEST(Specialise, KnowsWhetherWavesWait) {
  const auto has_barriers = [](const std::string& text) {
    ir::Function function = Parse(text);
    GroupStart start = Waves(2);
    start.has_same_sgprs = true;
    const std::optional<GroupCode> group = AppendGroupCode(function, start);
    EXPECT_TRUE(group);
    return group && group->has_barriers;
  };
  EXPECT_FALSE(has_barriers(Block(0, kStore + std::string("exit end, 16\n"))));
  EXPECT_TRUE(has_barriers(Block(0, kStore + std::string("exit barrier, 16\n")) +
                           Block(16, "exit end, 32\n")));
}

// Masks are constants, what has no lanes is not there, and EXEC is known without being written.
TEST(Specialise, KnowsMasks) {
  const std::string text =
      Block(0, IfBelow(70, 16, 32)) +
      Block(16,
            "%10 = get_sgpr64.u64 s126\n%11 = get_vgpr.v32 v1\n%12 = load.v32 %11, %11, %10 "
            "{bytes=4}\nstore_lds %11, %10, 0xffffffff, %12 {bytes=4}\njump 32\n") +
      Block(32, kRestore +
                    std::string(
                        "%20 = get_sgpr64.u64 s126\n%21 = get_vgpr.v32 v0\n%22 = eq.u64 %21, 255\n"
                        "%23 = load.v32 %21, %21, %22 {bytes=4}\nset_vgpr v5, %23\nstore %21, %21, "
                        "%20, %23 {bytes=4}\n"
                        "store %21, %21, %22, %23 {bytes=4}\nexit end, 48\n"));
  const std::string code = Text(text, 3);
  const auto count = [&code](const std::string& what) {
    size_t found = 0;
    for (size_t at = code.find(what); at != std::string::npos; at = code.find(what, at + 1))
      ++found;
    return found;
  };
  // Waves 0 and 1, the latter with six lanes; wave 2 does not get there.
  EXPECT_EQ(count("store_lds"), 2u) << code;
  EXPECT_EQ(count("0x3f:u64") + count(" 63:u64"), 4u) << "a load, a store and two notes\n" << code;
  EXPECT_EQ(count("set_sgpr64"), 0u) << code;
  EXPECT_EQ(count("get_sgpr64"), 0u) << code;
  EXPECT_EQ(count("set_vgpr"), 0u) << "dead at the wave's end\n" << code;
  EXPECT_EQ(count(" = load.v32"), 2u) << "none with the lanes of work-item 255\n" << code;
  EXPECT_EQ(count("\n  store "), 3u) << code;
}

}  // namespace
}  // namespace gcnjit::workgroup
