// Kernels that are launched again and again, each time with little work: they are compiled when all
// launches together have cost enough (runtime/jit/warm_up.h), and no other host thread is woken for
// one of them (runtime/schedule/late_helpers.h).
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/launch.h"
#include "gcnjit/program.h"
#include "runtime/schedule/late_helpers.h"
#include "runtime/schedule/worker_pool.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

constexpr uint32_t kGroup = 64;

class SmallLaunchesTest : public testing::TestWithParam<const char*> {
 protected:
  Statistics Run(const std::string& kernel, uint32_t groups, uint32_t argument,
                 LaunchConfig config = {}) {
    config.global.x = groups * kGroup;
    config.local.x = kGroup;
    const auto result =
        Launch(device_, program_, kernel, config, Arguments().Buffer(out_).Value(argument));
    if (!result || result->status != LaunchStatus::kDone) {
      ADD_FAILURE() << (result ? "not done" : result.error().message);
      return {};
    }
    return result->statistics;
  }
  // out[n] = n + 1
  Statistics Store(uint32_t groups, LaunchConfig config = {}) {
    return Run("stray", groups, 1'000'000, std::move(config));
  }
  uint32_t Out(size_t n) const {
    uint32_t value = 0;
    std::memcpy(&value, device_.Data(out_ + n * 4, 4).data(), 4);
    return value;
  }

  static constexpr uint32_t kMostGroups = 4096;
  mutable Device device_ = *Device::Create();
  const Program program_ = *Program::Load(device_, ReadTestFile(GetParam()));
  const uint64_t out_ = *device_.Allocate(kMostGroups * kGroup * 4);
};

TEST_P(SmallLaunchesTest, AreCompiledTogether) {
  for (const unsigned threads : {1u, 0u}) {
    const Program program = *Program::Load(device_, ReadTestFile(GetParam()));
    LaunchConfig config;
    config.global.x = 2 * kGroup;
    config.local.x = kGroup;
    config.threads = threads;
    uint64_t first_compiled = 0;
    for (uint64_t n = 1; n <= 10'000; ++n) {
      std::memset(device_.Data(out_, 2 * kGroup * 4).data(), 0, 2 * kGroup * 4);
      const auto result =
          Launch(device_, program, "stray", config, Arguments().Buffer(out_).Value(1'000'000u));
      ASSERT_TRUE(result) << result.error().message;
      ASSERT_EQ(result->status, LaunchStatus::kDone);
      ASSERT_EQ(Out(0), 1u);
      ASSERT_EQ(Out(2 * kGroup - 1), 2 * kGroup);
      if (result->statistics.compiled_regions != 0 && first_compiled == 0) first_compiled = n;
    }
    EXPECT_GT(first_compiled, 100u);
    EXPECT_LE(first_compiled, 10'000u);
  }
}

TEST_P(SmallLaunchesTest, AreNotCompiledAlone) {
  EXPECT_EQ(Store(2).compiled_regions, 0u);
  EXPECT_EQ(Run("churn", 2, 20).compiled_regions, 0u);
  // What one kernel has done does not count for another.
  LaunchConfig first;
  first.compile_first = true;
  const uint64_t compiled = Store(2, first).compiled_regions;
  EXPECT_GT(compiled, 0u);
  EXPECT_EQ(Run("churn", 2, 20).compiled_regions, compiled);
  EXPECT_EQ(Store(2).compiled_regions, compiled);
}

TEST_P(SmallLaunchesTest, OfManyThreadsAreCompiledOnce) {
  LaunchConfig config;
  config.compile_first = true;
  const Program alone = *Program::Load(device_, ReadTestFile(GetParam()));
  config.global.x = 2 * kGroup;
  config.local.x = kGroup;
  const auto once =
      Launch(device_, alone, "stray", config, Arguments().Buffer(out_).Value(1'000'000u));
  ASSERT_TRUE(once) << once.error().message;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this] {
      for (int n = 0; n < 2'500; ++n) Store(2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  // And once more for waves by themselves: a thread that finds new code in the cache when it is
  // about to start a group starts its waves that way.
  EXPECT_LE(Store(2).compiled_regions, once->statistics.compiled_regions + 1);
}

// Where code is thrown away, kernels begin anew: none is compiled again for a launch with little
// work.
TEST_P(SmallLaunchesTest, BeginAnewWithoutTheirCode) {
  LaunchConfig config;
  config.code_limit = 1;
  LaunchConfig first = config;
  first.compile_first = true;
  Store(2, first);
  const uint64_t compiled = Run("churn", 2, 20, first).compiled_regions;
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(Store(2, config).compiled_regions, compiled);
    EXPECT_EQ(Run("churn", 2, 20, config).compiled_regions, compiled);
  }
}

TEST_P(SmallLaunchesTest, WakeNoOtherThread) {
  constexpr unsigned kLaunches = 1'000;
  LaunchConfig config;
  config.threads = 4;
  const unsigned before = runtime::WorkerPool::Instance().offers();
  for (unsigned n = 0; n < kLaunches; ++n) Store(4, config);
  // Some take long all the same: when another process gets the processor.
  EXPECT_LT(runtime::WorkerPool::Instance().offers() - before, kLaunches / 2);
}

// Two groups that take some milliseconds each: the second one must not wait for the first one's
// end, nor for the end of its slice (TurnWatch::kSlice).
TEST_P(SmallLaunchesTest, OthersComeInTheMiddleOfAGroup) {
  constexpr unsigned kLaunches = 20;
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    LaunchConfig config;
    config.threads = 2;
    config.engine = engine;
    config.compile_first = true;
    unsigned invitations = runtime::WorkerPool::Instance().offers();
    for (unsigned n = 0; n < kLaunches; ++n) {
      EXPECT_LT(Run("churn", 2, 100'000, config).wave_instructions, 2u << 20);
    }
    invitations = runtime::WorkerPool::Instance().offers() - invitations;
    EXPECT_EQ(invitations, kLaunches);
  }
}

// Threads begin with the MXCSR of the one that makes them, which may have the guest's just then.
TEST_P(SmallLaunchesTest, NewThreadsHaveTheHostsRounding) {
  constexpr unsigned kThreads = 24;
  LaunchConfig config;
  config.compile_first = true;
  config.threads = 1;
  Run("churn", 1, 1, config);
  // Compiled code has run by the time that threads are made.
  config.threads = kThreads;
  Run("churn", kThreads, 100'000, config);
  const unsigned host = _mm_getcsr() & ~0x3Fu;
  std::atomic<unsigned> others = 0;
  runtime::WorkerPool::Instance().Run(kThreads,
                                      [&](unsigned number, runtime::WorkerPool::Job& job) {
                                        if (number == 0) {
                                          job.Invite();
                                          while (others != kThreads - 1) std::this_thread::yield();
                                          return;
                                        }
                                        EXPECT_EQ(_mm_getcsr() & ~0x3Fu, host);
                                        ++others;
                                        while (others != kThreads - 1) std::this_thread::yield();
                                      });
}

INSTANTIATE_TEST_SUITE_P(Targets, SmallLaunchesTest,
                         testing::Values("launch_gfx600_v4.co", "launch_gfx803_v2.co",
                                         "launch_gfx906_v5.co"),
                         [](const auto& target) { return std::string(target.param, 7, 6); });

// ---- When helpers are called

TEST(LateHelpersTest, AreCalledAtOnceForWhatHasLasted) {
  runtime::LaunchTimes times;
  using runtime::kAlone;
  constexpr uint64_t kKernel = 0x7f0000001100, kOther = kKernel + 0x100;
  EXPECT_FALSE(times.WillLast(kKernel, 1'000'000));
  EXPECT_FALSE(times.WillLast(0, 1'000'000));
  times.Note(kKernel, 100, 5 * kAlone);
  EXPECT_TRUE(times.WillLast(kKernel, 100));
  EXPECT_TRUE(times.WillLast(kKernel, 50));
  EXPECT_FALSE(times.WillLast(kKernel, 30));
  EXPECT_FALSE(times.WillLast(kOther, 100));
  // The last launch counts: the first one has compiled.
  times.Note(kKernel, 100, kAlone);
  EXPECT_FALSE(times.WillLast(kKernel, 100));
  EXPECT_TRUE(times.WillLast(kKernel, 1'000));
}

TEST(LateHelpersTest, AreWantedAfterAWhileForGroupsThatAreLeft) {
  using runtime::LateHelpers;
  using std::chrono::hours;
  const auto memory = *runtime::GuestMemory::Reserve();
  const runtime::LaunchState launch;
  runtime::WorkerPool::Instance().Run(2, [&](unsigned number, runtime::WorkerPool::Job& job) {
    if (number != 0) return;
    const auto now = LateHelpers::Clock::now();
    runtime::GroupTurns turns(launch, *memory, /*total=*/2, /*workers=*/2, 1, 0);
    LateHelpers early(job, turns, now + hours(1));
    EXPECT_FALSE(early.AreWanted());
    LateHelpers late(job, turns, now - hours(1));
    EXPECT_TRUE(late.AreWanted());
    turns.next() = 1;
    EXPECT_TRUE(late.AreWanted());
    turns.next() = 2;
    EXPECT_FALSE(late.AreWanted());
    // A thread has given a group back.
    turns.GiveBack(1, 2);
    EXPECT_TRUE(late.AreWanted());
    EXPECT_FALSE(late.called());
    late.Call();
    EXPECT_TRUE(late.called());
    EXPECT_FALSE(late.AreWanted());
  });
}

}  // namespace
}  // namespace gcnjit
