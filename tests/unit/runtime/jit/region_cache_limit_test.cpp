// The bound on compiled code: what is thrown away when, threads that are still in it, and that
// results and statistics stay right. The programs are gfx900 code, as llvm-mc encodes it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "gcnjit/device.h"
#include "runtime/jit/jit_runner.h"
#include "runtime/jit/region_cache.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit::runtime {
namespace {

// clang-format off
// Counts s0 and v0 up until s0 is what s[4:5] points at.
constexpr uint32_t kCount[] = {
    0xC0020082, 0x00000000,  // s_load_dword s2, s[4:5], 0x0
    0x68000300,              // v_add_u32_e32 v0, v0, v1
    0x80008100,              // s_add_u32 s0, s0, 1
    0xBF8CC07F,              // s_waitcnt lgkmcnt(0)
    0xBF0A0200,              // s_cmp_lt_u32 s0, s2
    0xBF85FFF9,              // s_cbranch_scc1 (to the load)
    0xBF810000,              // s_endpgm
};
// Spins while what s[4:5] points at is 0.
constexpr uint32_t kSpin[] = {
    0xC0020082, 0x00000000,  // s_load_dword s2, s[4:5], 0x0
    0x80008100,              // s_add_u32 s0, s0, 1
    0xBF8CC07F,              // s_waitcnt lgkmcnt(0)
    0xBF068002,              // s_cmp_eq_u32 s2, 0
    0xBF85FFFA,              // s_cbranch_scc1 (to the load)
    0xBF810000,              // s_endpgm
};
// clang-format on
constexpr frontend::VgprCounts kFewVgprs = {8, 0};

class RegionCacheLimitTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto isa = backend::HostHas(backend::HostIsa::kAvx512) ? backend::HostIsa::kAvx512
                                                                 : backend::HostIsa::kAvx2;
    memory_ = *GuestMemory::Reserve();
    code_ = *memory_->Allocate(4096, "code");
    data_ = *memory_->Allocate(4096, "data");
    std::memcpy(reinterpret_cast<void*>(code_), kCount, sizeof(kCount));
    std::memcpy(reinterpret_cast<void*>(SpinPc()), kSpin, sizeof(kSpin));
    map_.emplace(Generation::kGfx900,
                 std::vector<std::pair<uint64_t, uint64_t>>{{code_, code_ + 4096}});
    jit_ = std::make_unique<RegionCache>(*map_, JitOptions{isa, /*exact_state=*/true, {}});
  }
  void TearDown() override { jit_.reset(); }

  uint64_t SpinPc() const { return code_ + 0x100; }
  std::atomic_ref<uint32_t> Data() { return std::atomic_ref(*reinterpret_cast<uint32_t*>(data_)); }

  // A wave on the calling thread, to its end.
  std::unique_ptr<WaveState> RunToEnd(uint64_t pc, uint32_t mode) {
    auto state = std::make_unique<WaveState>();  // all zeros
    state->pc = pc;
    state->mode = mode;
    state->vgpr_count = kFewVgprs.vgprs;
    state->SetPair(4, data_);
    state->SetPair(frontend::kCodeExecLo, ~uint64_t{0});
    for (uint32_t lane = 0; lane < kLanes; ++lane) state->vgpr[1][lane] = lane;
    std::atomic<bool> stop = false;
    DispatchState dispatch;
    dispatch.memory = memory_.get();
    dispatch.stop = &stop;
    WorkgroupState group;
    Wave wave{*state, group, dispatch};
    JitRunner runner(*map_, *jit_, *memory_);
    do {
      runner.Run(wave, uint64_t{1} << 40);
    } while (wave.event == WaveEvent::kNone);
    EXPECT_EQ(wave.event, WaveEvent::kEnd) << wave.fault.detail;
    return state;
  }
  void ExpectCounted(const WaveState& state, uint32_t rounds) {
    EXPECT_EQ(state.sgpr[0], rounds);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      ASSERT_EQ(state.vgpr[0][lane], rounds * lane);
    }
  }
  // MODE values that differ in what exceptions they enable.
  static uint32_t ModeOf(uint32_t n) { return 0xF0 | n << 12; }
  // The code and all that belongs to it, of one program in one MODE.
  uint64_t BytesOfOne() {
    CodeEpoch user;
    (void)jit_->Find(code_, code_, {ModeOf(0), kFewVgprs, {}}, user);
    return jit_->Statistics().held_bytes;
  }

  std::shared_ptr<GuestMemory> memory_;
  uint64_t code_ = 0;
  uint64_t data_ = 0;
  std::optional<CodeMap> map_;
  std::unique_ptr<RegionCache> jit_;
};

TEST_F(RegionCacheLimitTest, NothingIsThrownAwayBelowTheLimit) {
  Data() = 3;
  for (uint32_t n = 0; n < 40; ++n) ExpectCounted(*RunToEnd(code_, ModeOf(n % 20)), 3);
  const JitStatistics statistics = jit_->Statistics();
  EXPECT_EQ(statistics.regions, 20u);
  EXPECT_EQ(statistics.discarded_regions, 0u);
  EXPECT_GT(statistics.held_bytes, statistics.host_bytes);
  EXPECT_EQ(statistics.retired_bytes, 0u);
}

TEST_F(RegionCacheLimitTest, HoldsNoMoreThanTheLimitAndARegion) {
  const uint64_t one = BytesOfOne();
  const uint64_t limit = 5 * one;
  jit_->SetLimit(limit);
  Data() = 2;
  for (uint32_t n = 0; n < 200; ++n) {
    ExpectCounted(*RunToEnd(code_, ModeOf(n % 50)), 2);
    const JitStatistics statistics = jit_->Statistics();
    EXPECT_LE(statistics.held_bytes, limit + one);
    EXPECT_EQ(statistics.retired_bytes, 0u) << "no other thread is in it";
  }
  const JitStatistics statistics = jit_->Statistics();
  // Each MODE is compiled again whenever it comes up; what is not held has been discarded.
  EXPECT_EQ(statistics.regions, 200u);
  EXPECT_GE(statistics.discarded_regions, 190u);
  EXPECT_LT(statistics.discarded_regions, 200u);
}

TEST_F(RegionCacheLimitTest, WorksWithALimitOfNothing) {
  jit_->SetLimit(0);
  Data() = 5;
  for (uint32_t n = 0; n < 6; ++n) ExpectCounted(*RunToEnd(code_, ModeOf(n % 2)), 5);
  EXPECT_EQ(jit_->Statistics().regions, 6u);
}

// A thread in a loop of old code, while others throw it away.
TEST_F(RegionCacheLimitTest, CodeThatAThreadIsInIsKept) {
  Data() = 0;
  CodeEpoch user;
  std::thread spinner([&] {
    const auto state = RunToEnd(SpinPc(), ModeOf(0));
    EXPECT_GT(state->sgpr[0], 0u);
    EXPECT_EQ(state->sgpr[2], 7u);
  });
  // Looking at the statistics does not enter code, so the spinner's is the only region at first.
  while (jit_->Statistics().regions == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  jit_->SetLimit(1);
  for (uint32_t n = 0; n < 100; ++n)
    (void)jit_->Find(code_, code_, {ModeOf(n), kFewVgprs, {}}, user);
  const JitStatistics during = jit_->Statistics();
  EXPECT_EQ(during.regions, 101u);
  EXPECT_EQ(during.discarded_regions, 100u);
  EXPECT_GT(during.retired_bytes, 0u);
  EXPECT_LT(during.retired_bytes, 2 * during.held_bytes) << "only the spinner's generation";
  Data() = 7;
  spinner.join();
  (void)jit_->Find(code_, code_, {ModeOf(99), kFewVgprs, {}}, user);
  EXPECT_EQ(jit_->Statistics().retired_bytes, 0u);
}

TEST_F(RegionCacheLimitTest, ManyThreadsAndModes) {
  const uint64_t one = BytesOfOne();
  jit_->SetLimit(3 * one);
  Data() = 4;
  constexpr uint32_t kThreads = 4;
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint32_t n = 0; n < 150; ++n) {
        ExpectCounted(*RunToEnd(code_, ModeOf(n * (thread + 1) % 13)), 4);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CodeEpoch user;
  (void)jit_->Find(code_, code_, {ModeOf(0), kFewVgprs, {}}, user);
  const JitStatistics statistics = jit_->Statistics();
  EXPECT_GT(statistics.discarded_regions, 13u);
  EXPECT_LE(statistics.held_bytes, 4 * one);
  EXPECT_EQ(statistics.retired_bytes, 0u);
}

// Several programs share the host threads and what these remember.
TEST(RegionCacheLimit, ProgramsInTurn) {
  Device device = *Device::Create();
  std::vector<Program> programs;
  for (const char* file : {"launch_gfx600_v4.co", "launch_gfx803_v2.co", "launch_gfx900_v4.co"}) {
    programs.push_back(*Program::Load(device, ReadTestFile(file)));
  }
  const uint64_t out = *device.Allocate(32 * 128 * 4);
  LaunchConfig config;
  config.global.x = 32 * 128;
  config.local.x = 128;
  config.compile_first = true;
  config.code_limit = 1;
  const auto arguments = Arguments().Buffer(out).Value(5u).Local(128 * 4);
  for (int round = 0; round < 4; ++round) {
    config.threads = round % 2 == 0 ? 1 : 4;
    for (const Program& program : programs) {
      std::memset(device.Data(out, 32 * 128 * 4).data(), 0, 32 * 128 * 4);
      const auto exchange = Launch(device, program, "exchange", config, arguments);
      ASSERT_TRUE(exchange) << exchange.error().message;
      ASSERT_EQ(exchange->status, LaunchStatus::kDone);
      const auto* values = reinterpret_cast<const uint32_t*>(device.Data(out, 8).data());
      EXPECT_EQ(values[1], (5 * ((64 + 5) & 31) + 64 + 64) * 3 + 5 * 1 + 1);
      const auto stray =
          Launch(device, program, "stray", config, Arguments().Buffer(out).Value(1'000'000u));
      ASSERT_TRUE(stray) << stray.error().message;
      EXPECT_EQ(stray->status, LaunchStatus::kDone);
      EXPECT_EQ(values[77], 78u);
      EXPECT_GT(stray->statistics.discarded_regions, exchange->statistics.discarded_regions);
      EXPECT_LT(stray->statistics.discarded_regions, stray->statistics.compiled_regions);
      EXPECT_GT(stray->statistics.code_bytes, 0u);
    }
  }
}

// More programs than a thread remembers code of, each with memory of its own that comes and goes.
TEST(JitCodeInTurnTest, MemoryThatIsFreedMeanwhile) {
  Device device = *Device::Create();
  std::vector<Program> programs;
  for (int n = 0; n < 2; ++n) {
    for (const char* file : {"launch_gfx600_v4.co", "launch_gfx803_v2.co", "launch_gfx900_v4.co"}) {
      programs.push_back(*Program::Load(device, ReadTestFile(file)));
    }
  }
  LaunchConfig config;
  config.global.x = config.local.x = 64;
  config.threads = 1;
  config.compile_first = true;
  const auto run = [&](const Program& program, uint64_t out) {
    const auto result =
        Launch(device, program, "stray", config, Arguments().Buffer(out).Value(1'000'000u));
    EXPECT_TRUE(result) << result.error().message;
    return result ? result->status : LaunchStatus::kTimeout;
  };
  for (const size_t count : {size_t{2}, size_t{4}, size_t{5}, programs.size()}) {
    for (int round = 0; round < 3; ++round) {
      std::vector<uint64_t> buffers;
      for (size_t n = 0; n < count; ++n) {
        buffers.push_back(*device.Allocate(4096));
        for (int again = 0; again < 2; ++again) {
          std::memset(device.Data(buffers[n], 256).data(), 0, 256);
          ASSERT_EQ(run(programs[n], buffers[n]), LaunchStatus::kDone);
          uint32_t last = 0;
          std::memcpy(&last, device.Data(buffers[n] + 252, 4).data(), 4);
          ASSERT_EQ(last, 64u);
        }
      }
      for (size_t n = 0; n < count; ++n) {
        ASSERT_TRUE(device.Free(buffers[n]));
        // Another program's launch notices first.
        if (n + 1 < count) {
          ASSERT_EQ(run(programs[n + 1], buffers[n + 1]), LaunchStatus::kDone);
        }
        ASSERT_EQ(run(programs[n], buffers[n]), LaunchStatus::kFault) << n << " of " << count;
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::runtime
