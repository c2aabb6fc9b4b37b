// Forward progress: all work-groups that the device holds at the same time get on, whatever they
// wait for, on however few host threads.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "backend_x64/host/features.h"
#include "tests/concurrency/machine.h"

namespace gcnjit::concurrency {
namespace {

// As in progress.cl.
enum Pattern : uint32_t { kLater, kBarrier, kRingUp, kRingDown, kPairs, kPatterns };
enum Way : uint32_t { kLoads, kAtomics, kSleeps, kCounts, kWays };

struct Case {
  std::string kernel;
  uint32_t groups = 1;
  uint32_t local = 64;
  uint32_t rounds = 1;
  uint32_t pattern = kBarrier;
  uint32_t way = kLoads;
  unsigned threads = 1;
};

std::ostream& operator<<(std::ostream& to, const Case& of) {
  return to << of.kernel << ", " << of.groups << " groups of " << of.local << ", " << of.rounds
            << " rounds, pattern " << of.pattern << ", way " << of.way << ", " << of.threads
            << " threads";
}

// Target; "interp", "avx2" or "avx512".
class ProgressTest : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  static constexpr double kTimeLimit = 60;

  void SetUp() override {
    if (!IsInterpreter()) ::setenv("GCNJIT_FORCE_ISA", std::get<1>(GetParam()), 1);
  }
  void TearDown() override { ::unsetenv("GCNJIT_FORCE_ISA"); }
  bool IsInterpreter() const { return std::get<1>(GetParam()) == std::string("interp"); }

  // How many groups of "alone" the device holds.
  static uint32_t MostAlone() {
    return std::get<0>(GetParam()) == std::string("gfx600") ? 128 : 64;
  }

  LaunchConfig Config(const Case& of) const {
    LaunchConfig config = Line(of.groups * of.local, of.local,
                               IsInterpreter() ? Engine::kInterpreter : Engine::kJit, of.threads);
    config.timeout_seconds = kTimeLimit;
    return config;
  }
  LaunchResult Run(const Case& of, const LaunchConfig& config) {
    words_ = *device_.Allocate((1 + uint64_t{of.groups}) * 4);
    out_ = *device_.Allocate(uint64_t{of.groups} * of.local * 4);
    auto result = Launch(device_, program_, of.kernel, config,
                         Arguments()
                             .Buffer(words_)
                             .Buffer(out_)
                             .Value(of.groups)
                             .Value(of.rounds)
                             .Value(of.pattern)
                             .Value(of.way));
    if (result) return *result;
    ADD_FAILURE() << of << ": " << result.error().message;
    return {};
  }
  void Free() {
    EXPECT_TRUE(device_.Free(words_));
    EXPECT_TRUE(device_.Free(out_));
  }
  void RunToEnd(const Case& of) {
    const LaunchResult result = Run(of, Config(of));
    ASSERT_EQ(result.status, LaunchStatus::kDone)
        << of << ": " << (result.fault ? result.fault->Describe() : "time-out ")
        << (result.unfinished ? result.unfinished->Describe() : "");
    EXPECT_EQ(result.statistics.workgroups, of.groups);
    const uint32_t* out = DataOf<uint32_t>(device_, out_, of.groups * of.local);
    for (uint32_t n = 0; n < of.groups * of.local; ++n) {
      const uint32_t want =
          n % of.local + of.rounds * (n / of.local) + of.rounds * (of.rounds - 1) / 2;
      ASSERT_EQ(out[n], want) << of << ", item " << n;
    }
    Free();
  }
  // The device holds `resident` of its groups. Returns what is said of it.
  std::string RunToHang(const Case& of, uint64_t resident) {
    LaunchConfig config = Config(of);
    config.timeout_seconds = 0.5;
    const LaunchResult result = Run(of, config);
    Free();
    EXPECT_EQ(result.status, LaunchStatus::kTimeout) << of;
    if (!result.unfinished) return "nothing";
    EXPECT_EQ(result.unfinished->begun, resident) << of;
    EXPECT_EQ(result.unfinished->resident, resident) << of;
    EXPECT_EQ(result.unfinished->waiting, resident) << of;
    EXPECT_EQ(result.unfinished->not_begun, of.groups - resident) << of;
    return result.unfinished->Describe();
  }

  Device device_ = *Device::Create();
  Program program_ =
      LoadProgram(device_, std::string("progress_") + std::get<0>(GetParam()) + ".co");
  uint64_t words_ = 0;
  uint64_t out_ = 0;
};

TEST_P(ProgressTest, EveryPatternAndWay) {
  for (uint32_t pattern = 0; pattern < kPatterns; ++pattern) {
    for (uint32_t way = 0; way < kWays; ++way) {
      const unsigned threads = (pattern + way) % 2 == 0 ? 1 : 3;
      RunToEnd({"nothing", 9, 64, 3, pattern, way, threads});
    }
  }
}

TEST_P(ProgressTest, WhateverTheyHold) {
  const Case all[] = {{"barriers", 6, 512}, {"barriers", 40, 128}, {"barriers", 7, 200},
                      {"lds", 10, 256},     {"lds", 33, 64},       {"scratch", 12, 128},
                      {"scratch", 50, 64},  {"alone", 5, 64},      {"deep", 4, 256}};
  for (Case of : all) {
    for (const uint32_t pattern : {kLater, kBarrier, kRingDown}) {
      for (const unsigned threads : {1u, 2u}) {
        of.pattern = pattern;
        of.rounds = 2;
        of.threads = threads;
        RunToEnd(of);
      }
    }
  }
}

TEST_P(ProgressTest, ManyGroups) {
  for (const uint32_t pattern : {kLater, kBarrier, kRingUp, kRingDown, kPairs}) {
    for (const unsigned threads : {1u, 4u}) {
      RunToEnd({"nothing", 100, 64, 2, pattern, kLoads, threads});
    }
  }
}

// Compute units of the device, as far as LDS goes.
TEST_P(ProgressTest, AsManyAsTheDeviceHolds) {
  for (const unsigned threads : {1u, 3u}) {
    RunToEnd({"alone", MostAlone(), 64, 2, kBarrier, kAtomics, threads});
    RunToEnd({"alone", MostAlone(), 64, 2, kLater, kLoads, threads});
  }
}

// More than it holds: as there, they wait for ever, and what is said tells why.
TEST_P(ProgressTest, MoreThanTheDeviceHolds) {
  for (const unsigned threads : {1u, 3u}) {
    for (const uint32_t pattern : {kBarrier, kLater}) {
      const std::string said =
          RunToHang({"alone", MostAlone() + 1, 64, 1, pattern, kLoads, threads}, MostAlone());
      EXPECT_EQ(said.find("All " + std::to_string(MostAlone()) + " resident work-groups wait; "),
                0u)
          << said;
    }
    // Earlier ones may be waited for by any number.
    RunToEnd({"alone", 200, 64, 1, kRingUp, kLoads, threads});
  }
}

// Those that never wait for a later group need no room.
TEST_P(ProgressTest, ScratchIsLimitedToo) {
  for (const unsigned threads : {1u, 3u}) {
    RunToEnd({"deep", 300, 256, 1, kRingUp, kLoads, threads});
  }
}

TEST_P(ProgressTest, WaitsForNothing) {
  // Group 0 waits for group 1, of which there is none.
  Case of = {"nothing", 1, 64, 1, kLater, kLoads, 2};
  LaunchConfig config = Config(of);
  config.timeout_seconds = 1;
  words_ = *device_.Allocate(4096);
  out_ = *device_.Allocate(4096);
  const auto result = Launch(
      device_, program_, of.kernel, config,
      Arguments().Buffer(words_).Buffer(out_).Value(5u).Value(1u).Value(of.pattern).Value(of.way));
  ASSERT_TRUE(result);
  ASSERT_TRUE(result->unfinished);
  EXPECT_EQ(result->unfinished->Describe().find("All 1 work-groups that were left spun"), 0u)
      << result->unfinished->Describe();
}

// By a group that was set aside, perhaps by another thread.
TEST_P(ProgressTest, FaultsAfterAWait) {
  for (const unsigned threads : {1u, 3u}) {
    for (const uint32_t group : {0u, 3u, 7u}) {
      const Case of = {"stray", 8, 64, group, kBarrier, kAtomics, threads};
      const LaunchResult result = Run(of, Config(of));
      ASSERT_EQ(result.status, LaunchStatus::kFault) << of;
      EXPECT_EQ(result.fault->kind, FaultKind::kMemoryWrite);
      EXPECT_EQ(result.fault->workgroup[0], group);
      EXPECT_EQ(result.fault->lane, 5);
      EXPECT_EQ(result.fault->work_item[0], group * 64 + 5);
      Free();
    }
  }
}

TEST_P(ProgressTest, InstructionLimit) {
  for (const unsigned threads : {1u, 3u}) {
    // They need no more than that, but for what they wait.
    Case of = {"barriers", 5, 128, 3, kRingDown, kSleeps, threads};
    LaunchConfig config = Config(of);
    config.max_wave_instructions = 50'000'000;
    EXPECT_EQ(Run(of, config).status, LaunchStatus::kDone) << of;
    Free();
    // More than the device holds.
    of = {"alone", MostAlone() + 1, 64, 1, kBarrier, kLoads, threads};
    config = Config(of);
    config.max_wave_instructions = 1'000'000;
    const LaunchResult result = Run(of, config);
    Free();
    EXPECT_EQ(result.status, LaunchStatus::kTimeout) << of;
    ASSERT_TRUE(result.fault) << of;
    EXPECT_EQ(result.fault->kind, FaultKind::kInstructionLimit);
  }
}

// What is checked of a group stays its own while others run.
TEST_P(ProgressTest, Checked) {
  for (const char* kernel : {"nothing", "barriers", "lds", "scratch"}) {
    for (const uint32_t pattern : {kLater, kBarrier, kPairs}) {
      const Case of = {kernel, 6,       kernel == std::string("nothing") ? 64u : 128u,
                       2,      pattern, kLoads};
      LaunchConfig config = Config(of);
      config.check = kCheckAll;
      const LaunchResult result = Run(of, config);
      EXPECT_EQ(result.status, LaunchStatus::kDone) << of;
      for (const Finding& finding : result.findings) ADD_FAILURE() << of << finding.Describe();
      Free();
    }
  }
}

// The order of groups depends on nothing of a target but the LDS that it has.
std::vector<std::tuple<const char*, const char*>> Machines() {
  std::vector<std::tuple<const char*, const char*>> machines = {
      {"gfx600", "avx2"}, {"gfx906", "interp"}, {"gfx906", "avx2"}};
  if (backend::HostHas(backend::HostIsa::kAvx512)) machines.emplace_back("gfx906", "avx512");
  return machines;
}

INSTANTIATE_TEST_SUITE_P(All, ProgressTest, testing::ValuesIn(Machines()), [](const auto& info) {
  return std::get<0>(info.param) + std::string("_") + std::get<1>(info.param);
});

}  // namespace
}  // namespace gcnjit::concurrency
