// Launch(): geometry, arguments, LDS, host threads. The kernels are those of data/launch.cl, for
// one target of each generation and several code object versions.
#include "gcnjit/launch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/unit/runtime/launch/launch_fixture.h"

namespace gcnjit {
namespace {

// ---- Geometry

TEST_P(LaunchTest, EmptyGridsAndGroupsAreRefused) {
  const Arguments arguments = Arguments().Buffer(Allocate(4096)).Value(1u);
  LaunchConfig config = Line(64, 64);
  config.global.y = 0;
  EXPECT_TRUE(Contains(Refusal("stray", config, arguments), "no work-items along y"));
  config = Line(64, 0);
  EXPECT_TRUE(Contains(Refusal("stray", config, arguments), "no work-items along x"));
}

TEST_P(LaunchTest, LargeGroupsAreRefused) {
  const Arguments arguments = Arguments().Buffer(Allocate(4096)).Value(1u);
  EXPECT_TRUE(Contains(Refusal("stray", Line(4096, 1025), arguments), "over the limit"));
  LaunchConfig config;
  config.global = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
  config.local = {0x80000000, 0x80000000, 4};  // the product is 0 in 64 bits
  EXPECT_TRUE(Contains(Refusal("stray", config, arguments), "over the limit"));
}

TEST_P(LaunchTest, TooManyGroupsAreRefused) {
  LaunchConfig config;
  config.global = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
  EXPECT_TRUE(
      Contains(Refusal("stray", config, Arguments().Buffer(Allocate(4096)).Value(1u)), "too many"));
}

TEST_P(LaunchTest, RequiredGroupSizeIsRequired) {
  const uint64_t out = Allocate(4096);
  EXPECT_TRUE(
      Contains(Refusal("exactly", Line(64, 64), Arguments().Buffer(out)), "requires work-groups"));
  LaunchConfig config = Line(32, 32);
  config.global.y = config.local.y = 2;
  RunToEnd("exactly", config, Arguments().Buffer(out));
  EXPECT_EQ(Dwords(out, 64), std::vector<uint32_t>(64, 7));
}

// 70 x 21 x 13 in groups of 16 x 4 x 2: the last group of each row, column and layer is partial.
TEST_P(LaunchTest, PartialGroupsCoverTheGridOnce) {
  constexpr uint32_t kX = 70, kY = 21, kZ = 13;
  LaunchConfig config;
  config.global = {kX, kY, kZ};
  config.local = {16, 4, 2};
  std::vector<uint32_t> expected;
  for (uint32_t z = 0; z < kZ; ++z) {
    for (uint32_t y = 0; y < kY; ++y) {
      for (uint32_t x = 0; x < kX; ++x) expected.push_back(x % 16 | y % 4 << 10 | z % 2 << 20);
    }
  }
  for (const bool compile_first : {false, true}) {
    config.compile_first = compile_first;
    const uint64_t visits = Allocate(kX * kY * kZ * 4);
    const uint64_t local_ids = Allocate(kX * kY * kZ * 4);
    RunToEnd("ids", config, Arguments().Buffer(visits).Buffer(local_ids));
    EXPECT_EQ(Dwords(visits, kX * kY * kZ), std::vector<uint32_t>(kX * kY * kZ, 1));
    EXPECT_EQ(Dwords(local_ids, kX * kY * kZ), expected);
  }
}

TEST_P(LaunchTest, KernelsLearnHowManyDimensionsThereAre) {
  const uint64_t out = Allocate(4096);
  const Arguments arguments = Arguments().Buffer(out);
  const auto dimensions = [&](uint32_t said, uint32_t y, uint32_t z) {
    LaunchConfig config = Line(64, 64);
    config.dimensions = said;
    config.global.y = y;
    config.global.z = z;
    RunToEnd("packet_setup", config, arguments);
    return Dwords(out, 64);
  };
  for (const uint32_t said : {1u, 2u, 3u}) {
    EXPECT_EQ(dimensions(said, 1, 1), std::vector<uint32_t>(64, said));
  }
  EXPECT_EQ(dimensions(3, 2, 1), std::vector<uint32_t>(64, 3));
  // Those that are in use, where nothing is said.
  EXPECT_EQ(dimensions(0, 1, 1), std::vector<uint32_t>(64, 1));
  EXPECT_EQ(dimensions(0, 2, 1), std::vector<uint32_t>(64, 2));
  EXPECT_EQ(dimensions(0, 1, 2), std::vector<uint32_t>(64, 3));
}

TEST_P(LaunchTest, WrongNumbersOfDimensionsAreRefused) {
  const Arguments arguments = Arguments().Buffer(Allocate(4096));
  LaunchConfig config = Line(64, 64);
  config.dimensions = 4;
  EXPECT_TRUE(Contains(Refusal("packet_setup", config, arguments), "1 to 3 dimensions, not 4"));
  config.dimensions = 1;
  config.global.y = 2;
  EXPECT_TRUE(Contains(Refusal("packet_setup", config, arguments),
                       "1 dimension, but more than one work-item along y"));
  config.dimensions = 2;
  config.local = {8, 1, 2};
  EXPECT_TRUE(Contains(Refusal("packet_setup", config, arguments),
                       "2 dimensions, but more than one work-item along z"));
}

TEST_P(LaunchTest, StatisticsCountGroupsAndWaves) {
  const auto result = Run("stray", Line(65, 64), Arguments().Buffer(Allocate(4096)).Value(100u));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->statistics.workgroups, 2u);
  EXPECT_EQ(result->statistics.waves, 2u);
  EXPECT_GT(result->statistics.wave_instructions, 2u);
}

// It keeps nothing of the launch before, whichever groups and threads have left something there.
TEST_P(LaunchTest, GlobalDataShareBeginsAsZeros) {
  constexpr uint32_t kItems = 64 * 5;
  std::vector<uint32_t> numbers(kItems);
  std::iota(numbers.begin(), numbers.end(), 0u);
  const uint64_t out = Allocate(kItems * 4);
  for (const unsigned threads : {1, 1, 2, 2, 1}) {
    RunToEnd("count_in_gds", Line(kItems, 64, threads), Arguments().Buffer(out));
    std::vector<uint32_t> found = Dwords(out, kItems);
    std::ranges::sort(found);
    EXPECT_EQ(found, numbers) << threads;
  }
}

// ---- Arguments

TEST_P(LaunchTest, ArgumentMistakesAreNamed) {
  const uint64_t out = Allocate(4096);
  const LaunchConfig config = Line(64, 64);
  EXPECT_TRUE(Contains(Refusal("stray", config, Arguments().Buffer(out)), "takes 2 arguments"));
  EXPECT_TRUE(Contains(Refusal("stray", config, Arguments().Buffer(out).Value(1u).Value(2u)),
                       "takes 2 arguments"));
  EXPECT_TRUE(Contains(Refusal("stray", config, Arguments().Buffer(out).Value(uint64_t{1})),
                       "takes 4 bytes"));
  EXPECT_TRUE(Contains(Refusal("stray", config, Arguments().Value(1u).Buffer(out)), "is a buffer"));
  EXPECT_TRUE(Contains(Refusal("stray", config, Arguments().Buffer(out).Local(4)), "is a value"));
  EXPECT_TRUE(Contains(Refusal("no such kernel", config, Arguments(), ErrorCode::kNotFound),
                       "no kernel 'no such kernel'"));
}

TEST_P(LaunchTest, PointersMayBeGivenAsBytes) {
  const uint64_t out = Allocate(4096);
  RunToEnd("stray", Line(64, 64), Arguments().Value(out).Value(9u));
  EXPECT_EQ(Dwords(out, 1)[0], 1u);
}

TEST_P(LaunchTest, OtherDevicesProgramsAreRefused) {
  Device other = *Device::Create();
  const auto result = Launch(other, *program_, "stray", Line(64, 64), Arguments());
  ASSERT_FALSE(result);
  EXPECT_TRUE(Contains(result.error().message, "another device"));
}

// ---- LDS

TEST_P(LaunchTest, LdsLimitIsThatOfTheGeneration) {
  const bool gfx6 = std::string(GetParam()).find("gfx6") != std::string::npos;
  const uint32_t room = (gfx6 ? 32 : 64) * 1024 - 8192;
  const uint64_t out = Allocate(4096);
  RunToEnd("lds_8k", Line(64, 64), Arguments().Buffer(out).Local(room));
  // The dynamic part follows the static one.
  EXPECT_EQ(Dwords(out, 64), std::vector<uint32_t>(64, 3 | 8192 << 8));
  EXPECT_TRUE(Contains(Refusal("lds_8k", Line(64, 64), Arguments().Buffer(out).Local(room + 1),
                               ErrorCode::kOutOfResources),
                       "LDS"));
  EXPECT_TRUE(Contains(Refusal("lds_8k", Line(64, 64), Arguments().Buffer(out).Local(0xFFFFFFFF),
                               ErrorCode::kOutOfResources),
                       "local memory"));
}

// ---- Host threads

TEST_P(LaunchTest, ResultsDoNotDependOnThreads) {
  std::vector<std::vector<uint32_t>> results;
  for (const unsigned threads : {1u, 4u}) {
    const uint64_t out = Allocate(32 * 128 * 4);
    RunToEnd("exchange", Line(32 * 128, 128, threads),
             Arguments().Buffer(out).Value(5u).Local(128 * 4));
    results.push_back(Dwords(out, 32 * 128));
  }
  EXPECT_EQ(results[0], results[1]);
  // Work-item 1 reads what work-item 64 of its group left: table[n] = 5 * n + lane.
  EXPECT_EQ(results[0][1], (5 * ((64 + 5) & 31) + 64 + 64) * 3 + 5 * 1 + 1);
}

// Groups are handed out so that each may wait for the earlier ones.
TEST_P(LaunchTest, GroupsMayWaitForEarlierGroups) {
  constexpr uint32_t kGroups = 500;
  for (const bool compile_first : {false, true}) {
    for (const unsigned threads : {1u, 2u, 5u}) {
      const uint64_t turn = Allocate(4);
      LaunchConfig config = Line(kGroups * 128, 128, threads);
      config.compile_first = compile_first;
      config.timeout_seconds = 100;
      RunToEnd("chain", config, Arguments().Buffer(turn));
      EXPECT_EQ(Dwords(turn, 1)[0], kGroups);
    }
  }
}

// More threads than the machine has are a wish that is fulfilled in silence.
TEST_P(LaunchTest, ManyThreadsPrintNothing) {
  testing::internal::CaptureStderr();
  const uint64_t out = Allocate(65536);
  RunToEnd("stray", Line(256 * 64, 64, 500), Arguments().Buffer(out).Value(1000u));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Each worker has scratch of its own, and offsets into it have 32 bits: there can only be so many.
TEST_P(LaunchTest, ScratchOfManyThreadsIsSeparate) {
  constexpr uint32_t kItems = 8 * 1024;
  const uint64_t lost = Allocate(kItems * 4);
  RunToEnd("deep", Line(kItems, 1024, 1024), Arguments().Buffer(lost));
  EXPECT_EQ(Dwords(lost, kItems), std::vector<uint32_t>(kItems, 0));
}

INSTANTIATE_TEST_SUITE_P(Targets, LaunchTest,
                         testing::Values("launch_gfx600_v4.co", "launch_gfx700_v4.co",
                                         "launch_gfx803_v2.co", "launch_gfx900_v4.co",
                                         "launch_gfx906_v5.co"),
                         [](const auto& target) {
                           const std::string name = target.param;
                           return name.substr(7, name.size() - 10);
                         });

}  // namespace
}  // namespace gcnjit
