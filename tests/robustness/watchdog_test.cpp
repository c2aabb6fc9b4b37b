// R10: whatever a kernel does, it ends: by LaunchConfig::timeout_seconds, and by
// LaunchConfig::max_wave_instructions, whose answer is the same for each engine and thread count.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "gcnjit/device.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;
using Lines = std::vector<std::string>;

struct Endless {
  const char* name;
  Lines lines;
};

Lines Repeated(size_t count, const std::string& line, const Lines& end) {
  Lines lines(count, line);
  lines.insert(lines.end(), end.begin(), end.end());
  return lines;
}

// Branch offsets count dwords from the next instruction. FrameArguments: the address of a buffer of
// zeros, and its resource.
std::vector<Endless> EndlessPrograms(Generation g) {
  const std::string count = AddLine(g, "v1", "2", "v1");  // v1 starts as 0 and stays even
  const Lines arguments = {"s_load_dwordx8 s[16:23], s[6:7], 0x0", "s_waitcnt lgkmcnt(0)"};
  const auto after_arguments = [&](const Lines& lines) {
    Lines all = arguments;
    all.insert(all.end(), lines.begin(), lines.end());
    return all;
  };
  const bool gfx8 = frontend::IsGfx8Plus(g);
  std::vector<Endless> programs = {
      {"branch to itself", {"s_branch 0xffff"}},
      {"scalar counter", {"s_add_u32 s20, s20, 2", "s_cmp_eq_u32 s20, 1", "s_cbranch_scc0 0xfffd"}},
      {"scalar condition, lanes in registers",
       {count, "v_xor_b32_e32 v2, v1, v2", "s_add_u32 s20, s20, 2", "s_cmp_eq_u32 s20, 1",
        "s_cbranch_scc0 0xfffb"}},
      {"lane condition by VCC", {count, "v_cmp_ne_u32_e32 vcc, 1, v1", "s_cbranch_vccnz 0xfffd"}},
      {"lanes leave, one stays",
       {count, "v_cmp_gt_u32_e32 vcc, 1, v0", "s_and_b64 exec, exec, vcc",
        "s_cbranch_execnz 0xfffc"}},
      {"no lane left", {"s_mov_b64 exec, 0", count, "s_cbranch_execz 0xfffe"}},
      {"two blocks",
       {"s_add_u32 s20, s20, 1", "s_bitcmp1_b32 s20, 0", "s_cbranch_scc1 0x1", count,
        "s_branch 0xfffb"}},
      {"a loop in a loop",
       {"s_mov_b32 s20, 0", count, "s_add_u32 s20, s20, 1", "s_cmp_lg_u32 s20, 7",
        "s_cbranch_scc1 0xfffc", "s_branch 0xfffa"}},
      {"stores",
       after_arguments({"buffer_store_dword v0, v0, s[20:23], 0 offen", count, "s_branch 0xfffc"})},
      {"spins on memory",
       after_arguments({"buffer_load_dword v2, v3, s[20:23], 0 offen", "s_waitcnt vmcnt(0)",
                        "v_cmp_eq_u32_e32 vcc, 0, v2", "s_cbranch_vccnz 0xfffb"})},
      {"spins on memory by scalar loads",
       after_arguments({"s_load_dword s24, s[16:17], 0x0", "s_waitcnt lgkmcnt(0)",
                        "s_cmp_eq_u32 s24, 0",
                        gfx8 ? "s_cbranch_scc1 0xfffb" : "s_cbranch_scc1 0xfffc"})},
      {"atomics",
       after_arguments({"buffer_atomic_add v0, v3, s[20:23], 0 offen", "s_branch 0xfffd"})},
      {"spins on LDS",
       {"s_mov_b32 m0, -1", "ds_read_b32 v2, v3", "s_waitcnt lgkmcnt(0)",
        "v_cmp_eq_u32_e32 vcc, 0, v2", "s_cbranch_vccnz 0xfffb"}},
      {"sleeps", {"s_sleep 0x7f", "s_branch 0xfffe"}},
      {"barriers", {"s_barrier", "s_branch 0xfffe"}},
      {"a barrier that a wave never reaches",
       {"v_readfirstlane_b32 s20, v0", "s_cmp_lg_u32 s20, 0", "s_cbranch_scc0 0x1",
        "s_branch 0xffff", "s_barrier", "s_endpgm"}},
      {"indirect jumps", {"s_getpc_b64 s[20:21]", "s_setpc_b64 s[20:21]"}},
      {"calls", {"s_getpc_b64 s[20:21]", count, "s_swappc_b64 s[22:23], s[20:21]"}},
      {"instructions that stay with the interpreter",
       {"s_memtime s[20:21]", "s_waitcnt lgkmcnt(0)",
        gfx8 ? "s_branch 0xfffc" : "s_branch 0xfffd"}},
      {"changes of MODE",
       {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x1", count,
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x2", "s_branch 0xfffa"}},
      {"ever new values of MODE",
       {"s_add_u32 s20, s20, 1", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s20", count,
        "s_branch 0xfffc"}},
      {"long code", Repeated(23'900, count, {"s_branch 0xa2a3"})},
      {"long code, half of it jumped over",
       Repeated(12'000, "s_nop 0", {"s_cbranch_execz 0x0", "s_branch 0xd11e"})},
  };
  return programs;
}

class WatchdogTest : public testing::TestWithParam<Generation> {
 protected:
  void SetUp() override {
    buffer_ = *device_.Allocate(4096);
    uint64_t resource[2] = {buffer_, 4096 | uint64_t{0x00027FAC} << 32};
    arguments_.words[0] = buffer_;
    std::memcpy(&arguments_.words[2], resource, sizeof resource);
  }

  LaunchResult Run(const Program& program, const LaunchConfig& config) {
    std::ranges::fill(device_.Data(buffer_, 4096), std::byte{0});
    const auto result = Launch(device_, program, "frame", config, Arguments().Value(arguments_));
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : LaunchResult{};
  }

  Device device_ = *Device::Create();
  uint64_t buffer_ = 0;
  FrameArguments arguments_;
};

LaunchConfig TwoGroups(unsigned threads) {
  LaunchConfig config;
  config.global.x = 256;
  config.local.x = 128;
  config.threads = threads;
  return config;
}

using DeadlineTest = WatchdogTest;

TEST_P(DeadlineTest, EndlessProgramsEndWhenTheTimeIsUp) {
  constexpr double kLimit = 0.05;
  for (const Endless& endless : EndlessPrograms(GetParam())) {
    const auto file = FrameFile(GetParam(), AssembleProgram(GetParam(), endless.lines));
    for (const std::string& engine : Engines()) {
      SCOPED_TRACE(engine + ", " + endless.name);
      const Program program = *Program::Load(device_, file);
      LaunchConfig config = TwoGroups(2);
      UseEngine(engine, config);
      config.timeout_seconds = kLimit;
      const LaunchResult result = Run(program, config);
      EXPECT_EQ(result.status, LaunchStatus::kTimeout)
          << (result.fault ? result.fault->Describe() : "");
      EXPECT_FALSE(result.fault.has_value());
      EXPECT_LT(result.statistics.seconds, 10) << "docs/faults.md says how long it may take";
    }
  }
}

// Each line again and again, with other registers, until the code is as long as there is room for.
std::vector<Endless> LongPrograms(Generation g) {
  constexpr size_t kDwords = 23'000;
  const bool gfx8 = frontend::IsGfx8Plus(g);
  struct Repeat {
    const char* name;
    Lines lines;
    size_t dwords;
  };
  const std::vector<Repeat> repeats = {
      {"elements of buffers",
       {"buffer_load_dwordx4 v[{0}:{3}], v[0:1], s[20:23], s{0} idxen offen offset:{4}",
        "buffer_store_short v{5}, v1, s[20:23], 0 offen"},
       4},
      {"quads of buffers",
       {"buffer_store_dwordx4 v[4:7], v[0:1], s[20:23], s24 idxen offen offset:{4}"},
       2},
      {"LDS", {"ds_read_b64 v[{0}:{1}], v0 offset:{4}", "ds_write_b32 v1, v{5} offset:{4}"}, 4},
      {"global memory", {"flat_load_dword v{0}, v[0:1]", "flat_store_dword v[0:1], v{5}"}, 4},
      {"scalar loads", {"s_load_dwordx4 s[24:27], s[16:17], 0x0"}, gfx8 ? 2u : 1u},
      {"float environments",
       {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {4}", "v_add_f32_e32 v{0}, v{1}, v{2}"},
       3},
      {"long functions", {"v_sin_f32_e32 v{0}, v{1}", "v_rcp_f64_e32 v[{0}:{1}], v[{2}:{3}]"}, 2},
      {"branches", {"s_cbranch_vccnz 0x2", "v_add_f32_e32 v{0}, v{1}, v{2}"}, 2},
      {"masks",
       {"v_cmp_lt_u32_e64 s[24:25], v{0}, v{1}", "s_and_saveexec_b64 s[26:27], s[24:25]",
        "v_add_f32_e32 v{0}, v{1}, v{2}", "s_or_b64 exec, exec, s[26:27]"},
       5},
  };
  std::vector<Endless> programs;
  for (const Repeat& repeat : repeats) {
    if (g == Generation::kGfx6 && repeat.lines[0].starts_with("flat")) continue;
    Lines lines = {"s_load_dwordx8 s[16:23], s[6:7], 0x0", "s_waitcnt lgkmcnt(0)",
                   "s_mov_b32 m0, -1", "v_mov_b32_e32 v0, s16", "v_mov_b32_e32 v1, s17"};
    for (size_t n = 0; n < kDwords / repeat.dwords; ++n) {
      const size_t first = 2 + n * 7 % 26;
      for (const std::string& line : repeat.lines) {
        lines.push_back(fmt::format(fmt::runtime(line), first, first + 1, first + 2, first + 3,
                                    n * 4 % 256, 2 + n * 5 % 30));
      }
    }
    lines.emplace_back("s_endpgm");
    programs.push_back({repeat.name, std::move(lines)});
  }
  return programs;
}

// Compiling such code takes seconds, of which the limit is not to wait for the end.
TEST_P(DeadlineTest, LongCodeEndsWhenTheTimeIsUp) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr double kMost = 30;
#else
  constexpr double kMost = 1.5;
#endif
  for (const Endless& code : LongPrograms(GetParam())) {
    const auto file = FrameFile(GetParam(), AssembleProgram(GetParam(), code.lines));
    for (const std::string& engine : Engines()) {
      for (const double limit : {0.01, 0.25}) {
        SCOPED_TRACE(fmt::format("{}, {}, {} s", engine, code.name, limit));
        const Program program = *Program::Load(device_, file);
        LaunchConfig config;
        config.global.x = config.local.x = 64;
        config.threads = 1;
        UseEngine(engine, config);
        config.timeout_seconds = limit;
        const std::clock_t begin = std::clock();  // of the processor: others may be at work
        Run(program, config);
        EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, limit + kMost);
      }
    }
  }
}

// What was being compiled when the time was up is compiled anew, and nothing is left of it.
TEST_P(DeadlineTest, StoppedCompilationIsForgotten) {
  const Generation g = GetParam();
  constexpr size_t kCount = 3000;
  Lines lines = {"s_load_dwordx8 s[16:23], s[6:7], 0x0", "s_waitcnt lgkmcnt(0)"};
  for (size_t n = 0; n < kCount; ++n) {
    lines.push_back(AddLine(g, "v1", "1", "v1"));
    if (n % 100 == 0) lines.emplace_back("s_cbranch_vccnz 0x0");  // many blocks
  }
  lines.insert(lines.end(), {"v_lshlrev_b32_e32 v2, 2, v0",
                             "buffer_store_dword v1, v2, s[20:23], 0 offen", "s_endpgm"});
  const auto file = FrameFile(g, AssembleProgram(g, lines));
  for (const std::string& engine : Engines()) {
    SCOPED_TRACE(engine);
    const Program program = *Program::Load(device_, file);
    LaunchConfig config;
    config.global.x = config.local.x = 64;
    UseEngine(engine, config);
    for (int step = 1; step <= 25; ++step) {
      config.timeout_seconds = 0.0002 * step;
      Run(program, config);
    }
    config.timeout_seconds = 0;
    EXPECT_EQ(Run(program, config).status, LaunchStatus::kDone);
    uint32_t sums[64];
    std::memcpy(sums, device_.Data(buffer_, sizeof sums).data(), sizeof sums);
    EXPECT_EQ(std::ranges::count(sums, kCount), 64);
  }
}

// More groups than a test can wait for, each of them done at once.
TEST_P(DeadlineTest, EndlessGridsEndWhenTheTimeIsUp) {
  const auto file = FrameFile(GetParam(), AssembleProgram(GetParam(), {"s_endpgm"}));
  for (const std::string& engine : Engines()) {
    SCOPED_TRACE(engine);
    const Program program = *Program::Load(device_, file);
    LaunchConfig config;
    config.global = {0xFFFFFFFF, 0x3FFFFFFF, 1};
    config.threads = 2;
    UseEngine(engine, config);
    config.timeout_seconds = 0.05;
    const LaunchResult result = Run(program, config);
    EXPECT_EQ(result.status, LaunchStatus::kTimeout);
    EXPECT_FALSE(result.fault.has_value());
    EXPECT_LT(result.statistics.seconds, 10);
  }
}

TEST_P(WatchdogTest, EndlessProgramsEndAtTheInstructionLimit) {
  for (const Endless& endless : EndlessPrograms(GetParam())) {
    const auto file = FrameFile(GetParam(), AssembleProgram(GetParam(), endless.lines));
    for (const std::string& engine : Engines()) {
      SCOPED_TRACE(engine + ", " + endless.name);
      const Program program = *Program::Load(device_, file);
      for (const uint64_t limit : {1ull, 1000ull, 150'000ull}) {
        for (const unsigned threads : {1u, 3u}) {
          LaunchConfig config = TwoGroups(threads);
          UseEngine(engine, config);
          config.max_wave_instructions = limit;
          config.timeout_seconds = 100;
          const LaunchResult result = Run(program, config);
          ASSERT_EQ(result.status, LaunchStatus::kTimeout);
          ASSERT_TRUE(result.fault.has_value());
          EXPECT_EQ(result.fault->kind, FaultKind::kInstructionLimit);
          EXPECT_EQ(result.fault->kernel, "frame");
          EXPECT_FALSE(result.fault->instruction.empty());
          EXPECT_LT(result.statistics.seconds, 50);
        }
      }
    }
  }
}

// A wave that needs exactly as many instructions as it may have ends, with one less it does not:
// straight code, loops of each kind that compiled code has, the interpreter in between, barriers.
TEST_P(WatchdogTest, TheLimitIsExact) {
  const Generation g = GetParam();
  const std::string count = AddLine(g, "v1", "1", "v1");
  struct Finite {
    const char* name;
    Lines lines;
    uint64_t instructions;
  };
  constexpr uint64_t kRounds = 20'000;
  const std::string rounds = std::to_string(kRounds);
  const std::vector<Finite> programs = {
      {"s_endpgm alone", {"s_endpgm"}, 1},
      {"straight", Repeated(300, count, {"s_endpgm"}), 301},
      {"scalar condition",
       {"s_movk_i32 s20, 0x4e20", count, "s_sub_u32 s20, s20, 1", "s_cmp_lg_u32 s20, 0",
        "s_cbranch_scc1 0xfffc", "s_endpgm"},
       1 + 4 * kRounds + 1},
      {"lane condition",
       {"s_movk_i32 s20, 0x4e20", "v_mov_b32_e32 v2, s20", count, "v_cmp_ne_u32_e32 vcc, v1, v2",
        "s_cbranch_vccnz 0xfffd", "s_endpgm"},
       2 + 3 * kRounds + 1},
      {"lanes leave one by one",
       {"v_mov_b32_e32 v1, v0", count, "v_cmp_gt_u32_e32 vcc, 64, v1", "s_and_b64 exec, exec, vcc",
        "s_cbranch_execnz 0xfffc", "s_endpgm"},
       1 + 4 * 64 + 1},
      {"two blocks",
       {"s_movk_i32 s20, 0x4e20", "s_sub_u32 s20, s20, 1", "s_bitcmp1_b32 s20, 0",
        "s_cbranch_scc1 0x1", count, "s_cmp_lg_u32 s20, 0", "s_cbranch_scc1 0xfffa", "s_endpgm"},
       1 + 5 * kRounds + kRounds / 2 + 1},
      {"barriers and sleep",
       {"s_barrier", count, "s_sleep 0x1", "s_barrier", count, "s_endpgm"},
       6},
      {"the interpreter in between", Repeated(20, "s_memtime s[20:21]", {count, count, "s_endpgm"}),
       23},
  };
  for (const Finite& finite : programs) {
    const auto file = FrameFile(g, AssembleProgram(g, finite.lines));
    for (const std::string& engine : Engines()) {
      SCOPED_TRACE(engine + ", " + finite.name);
      const Program program = *Program::Load(device_, file);
      LaunchConfig config;
      config.global.x = config.local.x = 64;
      UseEngine(engine, config);
      LaunchResult result = Run(program, config);
      EXPECT_EQ(result.status, LaunchStatus::kDone);
      EXPECT_EQ(result.statistics.wave_instructions, finite.instructions);
      config.max_wave_instructions = finite.instructions;
      EXPECT_EQ(Run(program, config).status, LaunchStatus::kDone);
      config.max_wave_instructions = finite.instructions - 1;
      if (config.max_wave_instructions == 0) continue;  // no limit
      result = Run(program, config);
      EXPECT_EQ(result.status, LaunchStatus::kTimeout);
      ASSERT_TRUE(result.fault.has_value());
      EXPECT_EQ(result.fault->kind, FaultKind::kInstructionLimit);
    }
  }
}

// Which comes first, the fault or the limit, does not depend on how far compiled code has run when
// it looks.
TEST_P(WatchdogTest, FaultsWithinTheLimitAreFaults) {
  const Generation g = GetParam();
  const std::string far = AddLine(g, "v1", "v2", "v1");
  struct Faulty {
    const char* name;
    Lines lines;
    uint64_t instructions;  // up to the one that faults
  };
  // The buffer has 4,096 bytes, the resource's range is all of memory.
  const Lines begin = {"s_load_dwordx8 s[16:23], s[6:7], 0x0",
                       "s_waitcnt lgkmcnt(0)",
                       "s_mov_b32 s22, -1",
                       "s_movk_i32 s24, 0x100",
                       "v_mov_b32_e32 v2, s24",
                       "v_mov_b32_e32 v1, 0"};
  const auto with = [&](const Lines& lines) {
    Lines all = begin;
    all.insert(all.end(), lines.begin(), lines.end());
    return all;
  };
  const std::string load = "buffer_load_dword v3, v1, s[20:23], 0 offen";
  const std::vector<Faulty> programs = {
      {"straight",
       with({"s_movk_i32 s24, 0x1000", "v_mov_b32_e32 v1, s24", load, far, far, "s_endpgm"}), 9},
      // 16 iterations within the buffer; the 17th faults.
      {"in a loop",
       with({load, far, "s_add_u32 s25, s25, 1", "s_cmp_lg_u32 s25, 60", "s_cbranch_scc1 0xfffa",
             "s_endpgm"}),
       6 + 16 * 5 + 1},
      {"in a loop that stores",
       with({load, "buffer_store_dword v0, v1, s[20:23], 0 offen", far, "s_add_u32 s25, s25, 1",
             "s_cmp_lg_u32 s25, 60", "s_cbranch_scc1 0xfff8", "s_endpgm"}),
       6 + 16 * 6 + 1},
  };
  for (const Faulty& faulty : programs) {
    const auto file = FrameFile(g, AssembleProgram(g, faulty.lines));
    for (const std::string& engine : Engines()) {
      SCOPED_TRACE(engine + ", " + faulty.name);
      const Program program = *Program::Load(device_, file);
      LaunchConfig config;
      config.global.x = config.local.x = 64;
      UseEngine(engine, config);
      config.max_wave_instructions = faulty.instructions;
      LaunchResult result = Run(program, config);
      ASSERT_EQ(result.status, LaunchStatus::kFault);
      EXPECT_EQ(result.fault->kind, FaultKind::kMemoryRead);
      EXPECT_EQ(result.statistics.wave_instructions, faulty.instructions);
      --config.max_wave_instructions;
      result = Run(program, config);
      ASSERT_EQ(result.status, LaunchStatus::kTimeout);
      EXPECT_EQ(result.fault->kind, FaultKind::kInstructionLimit);
    }
  }
}

// Halting is a fault, since nothing resumes the wave.
TEST_P(WatchdogTest, HaltedWavesAreFaults) {
  for (const char* line : {"s_sethalt 0x1", "s_sendmsghalt 0x1"}) {
    const auto file = FrameFile(GetParam(), AssembleProgram(GetParam(), {line, "s_endpgm"}));
    for (const std::string& engine : Engines()) {
      SCOPED_TRACE(engine + ", " + line);
      const Program program = *Program::Load(device_, file);
      LaunchConfig config = TwoGroups(1);
      UseEngine(engine, config);
      const LaunchResult result = Run(program, config);
      ASSERT_EQ(result.status, LaunchStatus::kFault);
      EXPECT_EQ(result.fault->kind, FaultKind::kTrap);
    }
  }
}

// Each program takes its time, and generations after gfx900 run the same loops.
INSTANTIATE_TEST_SUITE_P(Generations, DeadlineTest,
                         testing::Values(Generation::kGfx6, Generation::kGfx900),
                         [](const auto& info) { return frontend::TargetName(info.param); });

INSTANTIATE_TEST_SUITE_P(Generations, WatchdogTest,
                         testing::Values(Generation::kGfx6, Generation::kGfx7, Generation::kGfx8,
                                         Generation::kGfx900),
                         [](const auto& info) { return frontend::TargetName(info.param); });

}  // namespace
}  // namespace gcnjit::robustness
