// Launches that end with a fault or a time-out, and memory that is freed meanwhile.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "gcnjit/launch.h"
#include "tests/unit/runtime/launch/launch_fixture.h"

namespace gcnjit {
namespace {

// ---- Faults and time-outs

TEST_P(LaunchTest, FaultInOneOfManyGroups) {
  for (const unsigned threads : {1u, 4u}) {
    const auto result =
        Run("stray", Line(256 * 64, 64, threads), Arguments().Buffer(Allocate(65536)).Value(40u));
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->status, LaunchStatus::kFault);
    ASSERT_TRUE(result->fault.has_value());
    const FaultReport& fault = *result->fault;
    EXPECT_EQ(fault.kind, FaultKind::kMemoryWrite);
    EXPECT_EQ(fault.kernel, "stray");
    EXPECT_EQ(fault.workgroup, (std::array<uint32_t, 3>{40, 0, 0}));
    EXPECT_EQ(fault.wave, 0u);
    EXPECT_EQ(fault.lane, 63);
    EXPECT_EQ(fault.work_item, (std::array<uint64_t, 3>{40 * 64 + 63, 0, 0}));
    EXPECT_EQ(fault.access_bytes, 4u);
    EXPECT_TRUE(Contains(fault.Describe(), "past the end of"));
    EXPECT_LT(result->statistics.workgroups, 256u);
  }
}

// One after another, so that it is known which have ended. A group that does not end is set aside
// for the others.
TEST_P(LaunchTest, StatisticsCountGroupsThatHaveEnded) {
  for (const bool compiled : {false, true}) {
    for (const uint32_t bad : {0u, 2u, 255u}) {
      LaunchConfig config = Line(256 * 64, 64, 1);
      config.engine = compiled ? Engine::kJit : Engine::kInterpreter;
      config.compile_first = compiled;
      const auto fault = Run("stray", config, Arguments().Buffer(Allocate(65536)).Value(bad));
      ASSERT_TRUE(fault) << fault.error().message;
      ASSERT_EQ(fault->status, LaunchStatus::kFault);
      EXPECT_EQ(fault->statistics.workgroups, bad);

      config.timeout_seconds = 0.3;
      const auto timeout = Run("endless_group", config, Arguments().Buffer(Allocate(4)).Value(bad));
      ASSERT_TRUE(timeout) << timeout.error().message;
      ASSERT_EQ(timeout->status, LaunchStatus::kTimeout);
      EXPECT_GE(timeout->statistics.workgroups, bad);
      EXPECT_LE(timeout->statistics.workgroups, 255u);
    }
  }
}

TEST_P(LaunchTest, FaultStopsGroupsThatWouldNeverEnd) {
  // Null arguments: each work-item faults at once, on whichever thread.
  const auto result = Run("endless", Line(64 * 64, 64, 4), Arguments().Buffer(0));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->status, LaunchStatus::kFault);
  EXPECT_TRUE(Contains(result->fault->Describe(), "null pointer"));
}

TEST_P(LaunchTest, DeviceWorksAfterAFault) {
  const uint64_t out = Allocate(4096);
  const auto result = Run("stray", Line(64, 64), Arguments().Buffer(out).Value(0u));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, LaunchStatus::kFault);
  RunToEnd("stray", Line(64, 64), Arguments().Buffer(out).Value(1u));
  std::vector<uint32_t> expected(64);
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(Dwords(out, 64), expected);
}

TEST_P(LaunchTest, EndlessKernelsTimeOut) {
  for (const unsigned threads : {1u, 4u}) {
    LaunchConfig config = Line(8 * 64, 64, threads);
    config.timeout_seconds = 0.2;
    const auto result = Run("endless", config, Arguments().Buffer(Allocate(4096)));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->status, LaunchStatus::kTimeout);
    EXPECT_FALSE(result->fault.has_value());
    EXPECT_GE(result->statistics.seconds, 0.2);
    EXPECT_LT(result->statistics.seconds, 20);
  }
}

// ---- Memory that is freed meanwhile

TEST_P(LaunchTest, FreeingWhatARunningKernelReadsIsAFault) {
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    const uint64_t flag = Allocate(4096);
    std::optional<Result<LaunchResult>> result;
    std::atomic<bool> runs = false;
    std::thread thread([&] {
      LaunchConfig config = Line(8 * 64, 64, 2);
      config.engine = engine;
      config.compile_first = true;
      config.timeout_seconds = 100;
      config.progress = [&runs](uint64_t, uint64_t) { runs = true; };
      result.emplace(Run("endless", config, Arguments().Buffer(flag)));
    });
    while (!runs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(device_.Free(flag));
    thread.join();
    ASSERT_TRUE(*result) << result->error().message;
    ASSERT_EQ((*result)->status, LaunchStatus::kFault);
    EXPECT_EQ((*result)->fault->kind, FaultKind::kMemoryRead);
    EXPECT_EQ((*result)->fault->address, flag);
  }
}

// Buffers come and go under launches that store to them: a launch ends well or with a fault
// report.
TEST_P(LaunchTest, BuffersMayBeFreedAtAnyTime) {
  constexpr uint32_t kItems = 1024, kRounds = 5000;
  constexpr int kLaunches = 30;
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    std::atomic<uint64_t> out = 0;  // 0: there is no buffer now
    std::atomic<bool> done = false;
    std::thread thread([&] {
      LaunchConfig config = Line(kItems, 64, 2);
      config.engine = engine;
      config.compile_first = true;
      for (int launches = 0; launches < kLaunches;) {
        const uint64_t address = out;
        if (address == 0) continue;
        ++launches;
        const auto result = Run("churn", config, Arguments().Buffer(address).Value(kRounds));
        EXPECT_TRUE(result) << result.error().message;
        if (!result || result->status == LaunchStatus::kDone) continue;
        EXPECT_EQ(result->fault->kind, FaultKind::kMemoryWrite);
      }
      done = true;
    });
    while (!done) {
      const uint64_t address = Allocate(kItems * 4);
      out = address;
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      out = 0;
      EXPECT_TRUE(device_.Free(address));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    thread.join();
  }
}

TEST_P(LaunchTest, LongTimeoutsNeverStopAKernel) {
  const uint64_t out = Allocate(4096);
  for (const double seconds : {1e300, std::numeric_limits<double>::infinity()}) {
    LaunchConfig config = Line(64, 64);
    config.timeout_seconds = seconds;
    std::atomic<uint64_t> calls = 0;
    config.progress = [&calls](uint64_t, uint64_t) { ++calls; };
    RunToEnd("stray", config, Arguments().Buffer(out).Value(9u));
    config.progress = {};
    RunToEnd("stray", config, Arguments().Buffer(out).Value(9u));
  }
}

}  // namespace
}  // namespace gcnjit
