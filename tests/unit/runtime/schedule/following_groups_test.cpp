// Many groups that a host thread runs one after another, as compiled code does without leaving it,
// against the interpreter. Batches grow with the groups that have run, so there have to be many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/launch.h"
#include "gcnjit/program.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

constexpr uint32_t kDwords = 1 << 17;

// Of launch.cl and of barriers.cl.
struct Files {
  const char* launch;
  const char* barriers;
  const char* name;
};

struct SeriesOutcome {
  std::vector<uint32_t> out, more;
  LaunchStatus status = LaunchStatus::kDone;
  Statistics statistics;
  std::optional<FaultReport> fault;
};

class FollowingGroupsTest : public testing::TestWithParam<Files> {
 protected:
  void SetUp() override {
    launch_.emplace(Load(GetParam().launch));
    barriers_.emplace(Load(GetParam().barriers));
    more_ = *device_.Allocate(kDwords * 4);
    // The last one: what stores past it meets nothing.
    out_ = *device_.Allocate(kDwords * 4);
  }

  SeriesOutcome Run(const Program& program, const char* kernel, Engine engine, LaunchConfig config,
                    const Arguments& arguments) {
    for (const uint64_t buffer : {out_, more_}) {
      const auto bytes = device_.Data(buffer, kDwords * 4);
      std::memset(bytes.data(), 0, bytes.size());
    }
    config.engine = engine;
    config.compile_first = true;
    config.timeout_seconds = 60;
    const auto result = Launch(device_, program, kernel, config, arguments);
    EXPECT_TRUE(result) << result.error().message;
    if (!result) return {};
    return {Dwords(out_), Dwords(more_), result->status, result->statistics, result->fault};
  }

  // To the end, with the same result.
  SeriesOutcome Compare(const Program& program, const char* kernel, LaunchConfig config,
                        const Arguments& arguments) {
    config.threads = 1;
    const SeriesOutcome expected = Run(program, kernel, Engine::kInterpreter, config, arguments);
    EXPECT_EQ(expected.status, LaunchStatus::kDone);
    for (const unsigned threads : {1u, 2u}) {
      config.threads = threads;
      const SeriesOutcome actual = Run(program, kernel, Engine::kJit, config, arguments);
      EXPECT_EQ(actual.status, LaunchStatus::kDone);
      EXPECT_TRUE(actual.out == expected.out);
      EXPECT_TRUE(actual.more == expected.more);
      ExpectSame(actual.statistics, expected.statistics);
    }
    return expected;
  }

  static void ExpectSame(const Statistics& actual, const Statistics& expected) {
    EXPECT_EQ(actual.workgroups, expected.workgroups);
    EXPECT_EQ(actual.waves, expected.waves);
    EXPECT_EQ(actual.wave_instructions, expected.wave_instructions);
  }

  Device device_ = *Device::Create();
  std::optional<Program> launch_, barriers_;
  uint64_t out_ = 0, more_ = 0;

 private:
  Program Load(const char* file) {
    auto program = Program::Load(device_, ReadTestFile(file));
    EXPECT_TRUE(program) << program.error().message;
    return std::move(*program);
  }
  std::vector<uint32_t> Dwords(uint64_t address) {
    std::vector<uint32_t> values(kDwords);
    std::memcpy(values.data(), device_.Data(address, kDwords * 4).data(), kDwords * 4);
    return values;
  }
};

uint32_t Items(const Dim3& dim) { return dim.x * dim.y * dim.z; }

std::string Describe(const LaunchConfig& config) {
  const auto text = [](const Dim3& d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
  };
  return text(config.global) + " in groups of " + text(config.local);
}

// Of up to four waves, which follow each other, and of five.
constexpr uint32_t kGroupSizes[] = {64, 128, 192, 256, 320};

LaunchConfig GroupsInLine(uint32_t local, uint32_t groups, uint32_t missing = 0) {
  LaunchConfig config;
  config.local.x = local;
  config.global.x = local * groups - missing;
  return config;
}

// Whole groups, and grids whose last group along one axis, or along all, is a part of one.
TEST_P(FollowingGroupsTest, EachWorkItemRunsOnceWithItsIds) {
  const struct {
    Dim3 local, groups;
  } kGrids[] = {
      {{64, 1, 1}, {150, 1, 1}},  {{128, 1, 1}, {150, 1, 1}}, {{192, 1, 1}, {120, 1, 1}},
      {{256, 1, 1}, {150, 1, 1}}, {{320, 1, 1}, {60, 1, 1}},  {{16, 4, 1}, {11, 13, 1}},
      {{32, 4, 1}, {7, 20, 1}},   {{8, 24, 1}, {20, 7, 1}},   {{16, 16, 1}, {12, 12, 1}},
      {{32, 10, 1}, {9, 9, 1}},   {{4, 4, 4}, {5, 6, 7}},     {{8, 8, 2}, {6, 5, 6}},
      {{16, 4, 3}, {5, 7, 5}},    {{8, 8, 4}, {7, 5, 5}},     {{5, 3, 4}, {6, 5, 7}},
      {{64, 2, 1}, {15, 11, 1}},  {{64, 3, 1}, {15, 11, 1}},  {{64, 4, 1}, {15, 11, 1}},
      {{128, 2, 1}, {9, 11, 1}},  {{64, 5, 1}, {9, 11, 1}},
  };
  for (const auto& grid : kGrids) {
    for (int partial = 0; partial < 8; ++partial) {
      LaunchConfig config;
      config.local = grid.local;
      const auto size = [&](int axis, uint32_t local, uint32_t groups) {
        return local * groups - ((partial >> axis & 1) != 0 && local > 2 ? local - 2 : 0);
      };
      config.global = {size(0, grid.local.x, grid.groups.x), size(1, grid.local.y, grid.groups.y),
                       size(2, grid.local.z, grid.groups.z)};
      SCOPED_TRACE(Describe(config));
      const SeriesOutcome outcome =
          Compare(*launch_, "ids", config, Arguments().Buffer(out_).Buffer(more_));
      EXPECT_EQ(outcome.statistics.workgroups, Items(grid.groups));
      std::vector<uint32_t> once(kDwords);
      std::fill_n(once.begin(), Items(config.global), 1);
      EXPECT_TRUE(outcome.out == once);
      if (HasFailure()) return;
    }
  }
}

// A barrier, LDS, and scratch, in which groups must not meet.
TEST_P(FollowingGroupsTest, WithBarriers) {
  for (const uint32_t local : kGroupSizes) {
    for (const uint32_t missing : {0u, 1u, local / 2, local - 1}) {
      const LaunchConfig config = GroupsInLine(local, 150, missing);
      SCOPED_TRACE(Describe(config));
      // In the last one, later waves leave earlier: others still wait when the last wave ends.
      const std::vector<std::vector<uint32_t>> rounds = {{0, 0}, {1, 0}, {2, 1},
                                                         {0, 1}, {5, 0}, {4, ~0u}};
      for (const auto& values : rounds) {
        Compare(*barriers_, "rounds", config,
                Arguments().Buffer(out_).Value(values[0]).Value(values[1]));
      }
      Compare(*launch_, "exchange", config, Arguments().Buffer(out_).Value(77u).Local(512 * 4));
      if (HasFailure()) return;
    }
  }
}

// A wave's turn is over while the others of its group have yet to begin.
TEST_P(FollowingGroupsTest, LongTurnsInBetween) {
  constexpr uint32_t kRounds = 20'000;  // of more than three instructions each
  for (const uint32_t local : kGroupSizes) {
    const LaunchConfig config = GroupsInLine(local, 40);
    SCOPED_TRACE(Describe(config));
    const SeriesOutcome outcome =
        Compare(*launch_, "count_sometimes", config, Arguments().Buffer(out_).Value(kRounds));
    EXPECT_GT(outcome.statistics.wave_instructions, 5 * 65'536u) << "no turn was long";
    for (uint32_t item = 0; item < config.global.x; ++item) {
      const bool is_long = item / local % 7 == 6 && item % local < 64;
      ASSERT_EQ(outcome.out[item], item * 2 + (is_long ? kRounds * 3 : 3)) << item;
    }
  }
}

// Scalar loads of what the waves before have stored: nearby, and in another buffer, which is the
// runtime's to do. Waves do not start with what the first one of their group has found there.
TEST_P(FollowingGroupsTest, WhatStoresChange) {
  constexpr uint32_t kNoWriter = ~0u;
  for (const uint32_t local : kGroupSizes) {
    const LaunchConfig config = GroupsInLine(local, 40);
    const auto run = [&](Engine engine, uint64_t table, uint64_t other, uint32_t writer) {
      LaunchConfig one = config;
      one.threads = 1;
      return Run(*barriers_, "from_table", engine, one,
                 Arguments().Buffer(out_).Buffer(table).Buffer(other).Value(writer));
    };
    const auto compare = [&](uint64_t table, uint64_t other, uint32_t writer) {
      SCOPED_TRACE(Describe(config) + ", " + std::to_string(writer));
      const SeriesOutcome expected = run(Engine::kInterpreter, table, other, writer);
      const SeriesOutcome actual = run(Engine::kJit, table, other, writer);
      EXPECT_EQ(actual.status, LaunchStatus::kDone);
      EXPECT_TRUE(actual.out == expected.out);
      EXPECT_TRUE(actual.more == expected.more);
      ExpectSame(actual.statistics, expected.statistics);
      return expected;
    };
    // In what the second group's first wave stores, and in what its last one does.
    for (const uint32_t item : {0u, local - 8}) {
      const SeriesOutcome outcome = compare(out_ + (512 + item) * 4, more_, kNoWriter);
      EXPECT_NE(outcome.out[1024], outcome.out[512]);
    }
    for (uint32_t writer = 5; writer < local; writer += 64) {
      const SeriesOutcome outcome = compare(more_, more_ + 5 * 4, writer);
      EXPECT_NE(outcome.out[39 * 512], outcome.out[0]);
    }
    compare(more_, more_ + 4096, kNoWriter);
    if (HasFailure()) return;
  }
}

// More than the caches hold.
TEST_P(FollowingGroupsTest, ALotOfThem) {
  constexpr uint32_t kGroups = 17'000;
  constexpr uint64_t kBytes = uint64_t{kGroups} * 512 * 4;
  const uint64_t all = *device_.Allocate(kBytes);
  const std::vector<uint32_t> table = {3, 0, 5, 0, 0, 7, 0, 11};
  const uint32_t value = (table[0] * 33 ^ table[5]) * 5 + table[2] * (table[7] | 1);
  std::memcpy(device_.Data(more_, 32).data(), table.data(), 32);
  LaunchConfig config = GroupsInLine(512, kGroups);
  config.engine = Engine::kJit;
  for (const unsigned threads : {1u, 2u}) {
    config.threads = threads;
    const auto bytes = device_.Data(all, kBytes);
    std::memset(bytes.data(), 0, bytes.size());
    const auto result = Launch(device_, *barriers_, "from_table", config,
                               Arguments().Buffer(all).Buffer(more_).Buffer(out_).Value(~0u));
    ASSERT_TRUE(result) << result.error().message;
    const auto* const out = reinterpret_cast<const uint32_t*>(bytes.data());
    for (uint32_t item = 0; item < kGroups * 512; ++item) {
      ASSERT_EQ(out[item], value + item % 512) << item;
    }
  }
}

TEST_P(FollowingGroupsTest, LdsStartsAsZeros) {
  for (const uint32_t local : kGroupSizes) {
    for (const uint32_t missing : {0u, 30u}) {
      const LaunchConfig config = GroupsInLine(local, 150, missing);
      SCOPED_TRACE(Describe(config));
      const SeriesOutcome outcome =
          Compare(*barriers_, "find_and_leave", config, Arguments().Buffer(out_));
      for (uint32_t item = 0; item < config.global.x; ++item) {
        ASSERT_EQ(outcome.out[item / local * 512 + item % local], 1u) << item;
      }
    }
  }
}

TEST_P(FollowingGroupsTest, AFaultIsThatOfItsGroup) {
  constexpr uint32_t kGroups = 100;
  for (const uint32_t local : kGroupSizes) {
    for (const uint32_t group : {0u, 1u, 2u, 6u, 7u, 36u, 37u, 98u, 99u}) {
      for (uint32_t wave = 0; wave < local / 64; ++wave) {
        LaunchConfig config = GroupsInLine(local, kGroups);
        config.threads = 1;
        SCOPED_TRACE(Describe(config) + ", group " + std::to_string(group));
        const uint32_t bad = group * (local / 64) + wave;
        const Arguments arguments = Arguments().Buffer(out_).Value(bad);
        const SeriesOutcome expected =
            Run(*launch_, "stray", Engine::kInterpreter, config, arguments);
        const SeriesOutcome actual = Run(*launch_, "stray", Engine::kJit, config, arguments);
        ASSERT_EQ(expected.status, LaunchStatus::kFault);
        ASSERT_EQ(actual.status, LaunchStatus::kFault);
        EXPECT_EQ(expected.fault->wave, wave);
        EXPECT_EQ(actual.fault->Describe(), expected.fault->Describe());
        EXPECT_TRUE(actual.out == expected.out);
        ExpectSame(actual.statistics, expected.statistics);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Targets, FollowingGroupsTest,
    testing::Values(Files{"launch_gfx600_v4.co", "barriers_gfx600.co", "gfx600"},
                    Files{"launch_gfx803_v2.co", "barriers_gfx803.co", "gfx803"},
                    Files{"launch_gfx900_v4.co", "barriers_gfx900.co", "gfx900"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gcnjit
