// Waves that meet at barriers: compiled code, in which they relieve each other, against the
// interpreter, which takes them one by one.
#include <gtest/gtest.h>

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

constexpr uint32_t kGroups = 6;
// Of work-groups: waves of smaller ones are started together, and begin again together.
constexpr uint32_t kSizes[] = {512, 256, 192};
constexpr uint32_t kItems = kGroups * 512;

struct Outcome {
  std::vector<uint32_t> out;
  LaunchStatus status = LaunchStatus::kDone;
  uint64_t instructions = 0;
  std::string fault;
  uint32_t wave = 0;
};

class BarrierTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto program = Program::Load(device_, ReadTestFile(GetParam()));
    ASSERT_TRUE(program) << program.error().message;
    program_.emplace(std::move(*program));
    buffer_ = *device_.Allocate(kItems * 4);
  }

  Outcome Run(const char* kernel, Engine engine, const std::vector<uint32_t>& values,
              uint32_t local, uint32_t global, unsigned threads = 1) {
    const auto bytes = device_.Data(buffer_, kItems * 4);
    std::memset(bytes.data(), 0, bytes.size());
    Arguments arguments;
    arguments.Buffer(buffer_);
    for (const uint32_t value : values) arguments.Value(value);
    LaunchConfig config;
    config.global.x = global;
    config.local.x = local;
    config.engine = engine;
    config.compile_first = true;
    config.threads = threads;
    config.timeout_seconds = 60;
    const auto result = Launch(device_, *program_, kernel, config, arguments);
    Outcome outcome;
    EXPECT_TRUE(result) << result.error().message;
    if (!result) return outcome;
    outcome.status = result->status;
    outcome.instructions = result->statistics.wave_instructions;
    if (result->fault) {
      outcome.fault = result->fault->Describe();
      outcome.wave = result->fault->wave;
    }
    outcome.out.resize(kItems);
    std::memcpy(outcome.out.data(), bytes.data(), bytes.size());
    return outcome;
  }

  // Of each work-item, group after group: groups are 512 words apart.
  static std::vector<uint32_t> NumbersOf(const Outcome& outcome, uint32_t local) {
    std::vector<uint32_t> numbers;
    for (uint32_t group = 0; group < kGroups; ++group) {
      const auto begin = outcome.out.begin() + group * 512;
      numbers.insert(numbers.end(), begin, begin + local);
    }
    return numbers;
  }

  Device device_ = *Device::Create();
  std::optional<Program> program_;
  uint64_t buffer_ = 0;
};

TEST_P(BarrierTest, WavesThatLeaveEarlyAreNotWaitedFor) {
  for (const auto& values : std::vector<std::vector<uint32_t>>{{3, 0}, {1, 1}, {0, 2}, {40, 5}}) {
    for (const uint32_t local : kSizes) {
      const uint32_t grid = kGroups * local;
      for (const uint32_t global : {grid, local, grid - 100, 64u}) {
        const Outcome expected = Run("rounds", Engine::kInterpreter, values, local, global);
        ASSERT_EQ(expected.status, LaunchStatus::kDone);
        for (const unsigned threads : {1u, 2u}) {
          const Outcome actual = Run("rounds", Engine::kJit, values, local, global, threads);
          ASSERT_EQ(actual.status, LaunchStatus::kDone);
          EXPECT_EQ(actual.out, expected.out);
          EXPECT_EQ(actual.instructions, expected.instructions);
        }
      }
    }
  }
}

TEST_P(BarrierTest, AFaultIsThatOfItsWave) {
  for (const uint32_t local : kSizes) {
    for (uint32_t bad = 0; bad < local / 64; ++bad) {
      const Outcome expected = Run("stray_round", Engine::kInterpreter, {bad}, local, local);
      ASSERT_EQ(expected.status, LaunchStatus::kFault);
      ASSERT_EQ(expected.wave, bad);
      const Outcome actual = Run("stray_round", Engine::kJit, {bad}, local, local);
      EXPECT_EQ(actual.status, LaunchStatus::kFault);
      EXPECT_EQ(actual.fault, expected.fault);
    }
  }
}

// A wave that spins must give way to later ones.
TEST_P(BarrierTest, AWaveMayWaitForOneThatComesLater) {
  for (const uint32_t local : kSizes) {
    for (uint32_t last = 1; last < local / 64; ++last) {
      for (const uint32_t sleeps : {0u, 1u}) {
        const std::vector<uint32_t> values = {sleeps, last};
        const uint32_t grid = kGroups * local;
        const Outcome expected = Run("wait_for_last", Engine::kInterpreter, values, local, grid);
        ASSERT_EQ(expected.status, LaunchStatus::kDone);
        const Outcome actual = Run("wait_for_last", Engine::kJit, values, local, grid);
        ASSERT_EQ(actual.status, LaunchStatus::kDone);
        EXPECT_EQ(actual.out, expected.out);
        EXPECT_EQ(actual.out[0], 190u);  // 1 + 2 + .. + 19
      }
    }
  }
}

// Programs that forget a barrier before the first wave's next write pass on a GPU: after a barrier
// the first wave's turn is the last one.
TEST_P(BarrierTest, TheFirstWaveIsTheLastOneAfterABarrier) {
  const auto sum = [](uint32_t rounds) {
    uint32_t value = 0;
    for (uint32_t round = 0; round < rounds; ++round) value = value * 3 + 1 + 5 * round;
    return value;
  };
  for (const uint32_t local : kSizes) {
    const uint32_t grid = kGroups * local;
    for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
      for (const uint32_t rounds : {1u, 2u, 7u, 3000u}) {
        const Outcome looped = Run("replaced_number", engine, {rounds}, local, grid);
        ASSERT_EQ(looped.status, LaunchStatus::kDone);
        EXPECT_EQ(NumbersOf(looped, local), std::vector(grid, sum(rounds)));
      }
      const Outcome straight = Run("number_replaced_thrice", engine, {}, local, grid);
      ASSERT_EQ(straight.status, LaunchStatus::kDone);
      EXPECT_EQ(NumbersOf(straight, local), std::vector(grid, sum(3)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, BarrierTest,
                         testing::Values("barriers_gfx600.co", "barriers_gfx803.co",
                                         "barriers_gfx900.co"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(9, 6);
                         });

}  // namespace
}  // namespace gcnjit
