// Which blocks group code has, in which order, and when there is none.
#include "workgroup/specialise.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::workgroup {
namespace {

// Waves whose v0 counts on from wave to wave.
GroupStart Waves(uint32_t count) {
  GroupStart start;
  start.lds_bytes = 64;
  for (uint32_t wave = 0; wave < count; ++wave) {
    LaneValues ids;
    for (uint32_t lane = 0; lane < ids.size(); ++lane) ids[lane] = wave * 64 + lane;
    start.waves.push_back({~uint64_t{0}, {{0, ids}}});
  }
  return start;
}

ir::Function Parse(const std::string& text) {
  ir::ParseResult parsed = ir::Parse(text);
  if (parsed.error) ADD_FAILURE() << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  return std::move(parsed.function);
}

// Values have numbers of their own in each block.
std::string Block(int begin, const std::string& lines) {
  const std::string pc = std::to_string(begin);
  std::string numbered;
  for (const char c : lines) {
    numbered += c;
    if (c == '%') numbered += std::to_string(begin + 1) + "0";
  }
  return "block " + pc + " instructions=" + std::to_string(begin / 16 + 1) + "\nguest 0 " + pc +
         "\n" + numbered;
}

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

constexpr const char* kStore =
    "%90 = get_sgpr.u32 s0\nstore %90, %90, 0xffffffffffffffff:u64, %90 {bytes=4}\n";

// if (v0 < limit) goes to `yes`, else to `no`.
std::string IfBelow(int limit, int yes, int no) {
  return "%1 = get_vgpr.v32 v0\n%2 = lt_u.u64 %1, " + std::to_string(limit) +
         "\n%3 = get_sgpr64.u64 s126\n%4 = and.u64 %2, %3\nset_sgpr64 s20, %3\nset_sgpr64 s126, "
         "%4\n"
         "%5 = ne.u1 %4, 0:u64\nbranch %5, " +
         std::to_string(yes) + ", " + std::to_string(no) + "\n";
}
constexpr const char* kRestore = "%80 = get_sgpr64.u64 s20\nset_sgpr64 s126, %80\n";

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

size_t CountIn(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
  return found;
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

// Of two waves: the second one is not in `extra`, so that there is group code.
bool WantsZeroedLds(const std::string& lines, const std::string& end = "exit end, 64\n",
                    const std::string& rest = "") {
  ir::Function function =
      Parse(Block(0, IfBelow(64, 16, 32)) + Block(16, kStore + std::string("jump 32\n")) +
            Block(32, "%1 = get_vgpr.v32 v0\n%2 = shl.v32 %1, 2\n" + lines + end) + rest);
  const std::optional<GroupCode> group = AppendGroupCode(function, Waves(2));
  EXPECT_TRUE(group);
  return group && group->wants_zeroed_lds;
}

TEST(Specialise, KnowsWhatHasBeenWrittenToLds) {
  constexpr const char* kAll = "0xffffffffffffffff:u64, 0xffffffff";
  const auto write = [](const std::string& address, const std::string& lanes, int offset = 0,
                        int bytes = 4) {
    return "store_lds " + address + ", " + lanes + ", %1 {bytes=" + std::to_string(bytes) +
           ", offset=" + std::to_string(offset) + "}\n";
  };
  const auto read = [](const std::string& number, const std::string& address,
                       const std::string& lanes, int offset = 0) {
    return "%" + number + " = load_lds.v32 " + address + ", " + lanes +
           " {bytes=4, offset=" + std::to_string(offset) + "}\n";
  };
  EXPECT_FALSE(WantsZeroedLds(""));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll)));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll) + read("3", "%2", kAll)));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll) + read("3", "0", kAll) + read("4", "252", kAll)));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll, 8) + read("3", "%2", kAll, 8)));
  EXPECT_FALSE(WantsZeroedLds(write("%2", kAll, 4) + read("3", "%2", "0xfffe:u64, 0xffffffff")));
  EXPECT_FALSE(WantsZeroedLds(read("3", "%2", "0:u64, 0xffffffff"))) << "no lane";
  EXPECT_FALSE(WantsZeroedLds(read("3", "0x10000", kAll) + read("4", "0xfffd", kAll)))
      << "none there";

  EXPECT_TRUE(WantsZeroedLds(read("3", "%2", kAll)));
  EXPECT_TRUE(WantsZeroedLds(read("3", "%2", kAll) + write("%2", kAll))) << "too late";
  EXPECT_TRUE(WantsZeroedLds(write("%2", kAll) + read("3", "%2", kAll, 260)))
      << "the second wave's";
  EXPECT_TRUE(WantsZeroedLds(write("%2", kAll, 1) + read("3", "%2", kAll))) << "the first byte";
  EXPECT_TRUE(WantsZeroedLds(write("%2", kAll, 0, 2) + read("3", "%2", kAll)));
  EXPECT_TRUE(
      WantsZeroedLds(write("%2", "0xfffffffffffffffd:u64, 0xffffffff") + read("3", "%2", kAll)));
  EXPECT_TRUE(WantsZeroedLds(write("%2", "0xffffffffffffffff:u64, 1024") + read("3", "%2", kAll)))
      << "limited";
  const std::string unknown =
      "%7 = get_vgpr.v32 v1\n%8 = get_sgpr64.u64 s2\n%9 = get_sgpr.u32 s4\n";
  EXPECT_TRUE(WantsZeroedLds(unknown + write("%7", kAll) + read("3", "%2", kAll)));
  EXPECT_TRUE(WantsZeroedLds(unknown + write("%2", "%8, 0xffffffff") + read("3", "%2", kAll)));
  EXPECT_TRUE(
      WantsZeroedLds(unknown + write("%2", "0xffffffffffffffff:u64, %9") + read("3", "%2", kAll)));
  EXPECT_TRUE(WantsZeroedLds(unknown + write("%2", kAll) + read("3", "%7", kAll)));
  EXPECT_FALSE(WantsZeroedLds(unknown + write("%2", kAll) + read("3", "%2", "%8, 0xffffffff")));
  EXPECT_TRUE(WantsZeroedLds(unknown + write("%2", kAll) + "%3 = atomic_lds.v32 %2, " + kAll +
                             ", %1 {bytes=4, add}\n"));
  EXPECT_TRUE(
      WantsZeroedLds(unknown + write("%2", kAll) + "%3 = load.v32 %7, %7, %8 {bytes=4, flat}\n"));
  EXPECT_FALSE(
      WantsZeroedLds(unknown + write("%2", kAll) + "%3 = load.v32 %7, %7, %8 {bytes=4}\n"));
}

// A wave's turn comes before the next one's, up to the barrier; what data decide about is not
// certain.
TEST(Specialise, KnowsWhoHasWrittenToLds) {
  constexpr const char* kAll = "0xffffffffffffffff:u64, 0xffffffff";
  const std::string write = "store_lds %2, " + std::string(kAll) + ", %1 {bytes=4}\n";
  const std::string exchange =
      "%3 = get_vgpr.v32 v0\n%4 = shl.v32 %3, 2\n%5 = xor.v32 %4, 256\n%6 = load_lds.v32 %5, " +
      std::string(kAll) + " {bytes=4}\nexit end, 96\n";
  EXPECT_FALSE(WantsZeroedLds(write, "exit barrier, 64\n", Block(64, exchange)));
  EXPECT_TRUE(WantsZeroedLds(write, "jump 64\n", Block(64, exchange))) << "no barrier";
  const std::string branch = "%70 = get_scc.u1\nbranch %70, 48, 64\n";
  const std::string writes = "%1 = get_vgpr.v32 v0\n%2 = shl.v32 %1, 2\n" + write + "jump 64\n";
  EXPECT_TRUE(WantsZeroedLds(
      "", branch, Block(48, writes) + Block(64, "exit barrier, 80\n") + Block(80, exchange)));
}

}  // namespace
}  // namespace gcnjit::workgroup
