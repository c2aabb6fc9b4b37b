// Launches that are stepped leave what launches that run do, and come back to what they were.
#include <random>

#include "tests/unit/debug/debug_run.h"

namespace gcnjit::debug {
namespace {

struct Case {
  const char* file;
  const char* kernel;
  std::vector<int64_t> arguments;  // kNewBuffer, kNewLocal or a value
  uint32_t global;
  uint32_t local;
};
constexpr int64_t kNewBuffer = -1;
constexpr int64_t kNewLocal = -2;

const Case kCases[] = {
    {"debug_gfx900.co", "tickets", {kNewBuffer, kNewBuffer, 6}, 1500, 256},
    {"debug_gfx803.co", "tickets", {kNewBuffer, kNewBuffer, 6}, 1500, 512},
    {"debug_gfx600.co", "tickets", {kNewBuffer, kNewBuffer, 5}, 2048, 320},
    {"barriers_gfx900.co", "rounds", {kNewBuffer, 3, 2}, 2048, 512},
    {"barriers_gfx600.co", "rounds", {kNewBuffer, 40, 0}, 1000, 192},
    {"barriers_gfx803.co", "wait_for_last", {kNewBuffer, 1, 7}, 1024, 512},
    {"barriers_gfx900.co", "wait_for_last", {kNewBuffer, 0, 7}, 1024, 512},
    {"barriers_gfx900.co", "find_and_leave", {kNewBuffer}, 2048, 256},
    {"launch_gfx803_v2.co", "ids", {kNewBuffer, kNewBuffer}, 1000, 128},
    {"launch_gfx900_v4.co", "exchange", {kNewBuffer, 5, kNewLocal}, 1024, 256},
    {"launch_gfx600_v4.co", "exchange", {kNewBuffer, 5, kNewLocal}, 1024, 128},
    {"launch_gfx900_v4.co", "deep", {kNewBuffer}, 512, 128},
};

std::unique_ptr<DebugRun> RunOf(const Case& c) {
  auto run = std::make_unique<DebugRun>(c.file);
  for (const int64_t argument : c.arguments) {
    if (argument == kNewBuffer) {
      run->Buffer();
    } else if (argument == kNewLocal) {
      run->arguments.Local(512 * 4);
    } else {
      run->Value(static_cast<uint32_t>(argument));
    }
  }
  run->config.global.x = c.global;
  run->config.local.x = c.local;
  return run;
}

class MachineTest : public testing::TestWithParam<Case> {};

// `tickets` and the atomics of `ids` tell the order of waves.
TEST_P(MachineTest, ExecutesWhatALaunchDoes) {
  const auto run = RunOf(GetParam());
  const LaunchResult plain = run->Plain(GetParam().kernel);
  ASSERT_EQ(plain.status, LaunchStatus::kDone);
  const std::vector<uint32_t> expected = run->Memory();
  run->ClearMemory();
  run->Debug(GetParam().kernel, [&](Session& session) {
    EXPECT_EQ(session.Forward(NoGoal()).reason, StopReason::kEnd);
    EXPECT_EQ(session.machine().step(), plain.statistics.wave_instructions);
    EXPECT_EQ(run->Memory(), expected);
    EXPECT_EQ(session.Backward(NoGoal()).reason, StopReason::kBegin);
    EXPECT_EQ(session.machine().step(), 0u);
    EXPECT_EQ(run->Memory(), std::vector<uint32_t>(expected.size()));
    EXPECT_EQ(session.Forward(NoGoal()).reason, StopReason::kEnd);
    EXPECT_EQ(run->Memory(), expected);
  });
}

TEST_P(MachineTest, ComesBackToWhatItWas) {
  const auto run = RunOf(GetParam());
  run->Debug(GetParam().kernel, [&](Session& session) {
    session.Forward(NoGoal());
    const uint64_t steps = session.machine().step();
    std::mt19937 random(7);
    std::vector<uint64_t> places = {0, 1, steps - 1, steps};
    for (int n = 0; n < 20; ++n) places.push_back(random() % steps);
    std::ranges::sort(places);
    std::map<uint64_t, std::pair<uint64_t, std::vector<uint32_t>>> seen;
    session.GoTo(0);
    for (const uint64_t place : places) {
      session.GoTo(place);
      ASSERT_EQ(session.machine().step(), place);
      seen[place] = {FingerprintOf(session.machine()), run->Memory()};
    }
    for (int n = 0; n < 40; ++n) {
      const uint64_t place = places[random() % places.size()];
      session.GoTo(place);
      ASSERT_EQ(FingerprintOf(session.machine()), seen[place].first) << "step " << place;
      ASSERT_EQ(run->Memory(), seen[place].second) << "step " << place;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Kernels, MachineTest, testing::ValuesIn(kCases), [](const auto& info) {
  std::string file = info.param.file;
  return file.substr(0, file.find('.')) + "_" + info.param.kernel + "_" +
         std::to_string(info.index);
});

// More than there are snapshots for.
TEST(MachineTest, LongRunsComeBack) {
  DebugRun run("launch_gfx900_v4.co");
  run.Buffer().Value(100'000);
  run.config.global.x = 512;
  run.Debug("churn", [&](Session& session) {
    session.Forward(NoGoal());
    const std::vector<uint32_t> at_end = run.Memory();
    const uint64_t steps = session.machine().step();
    ASSERT_GT(steps, 3'000'000u);
    for (const uint64_t part : {7, 3, 5, 1}) {
      session.GoTo(steps * part / 8);
      ASSERT_EQ(session.machine().step(), steps * part / 8);
    }
    session.GoTo(0);
    EXPECT_EQ(run.Memory(), std::vector<uint32_t>(at_end.size()));
    session.GoTo(steps);
    EXPECT_EQ(run.Memory(), at_end);
  });
}

// Each gets its turn; the one that waits does not keep the others.
TEST(MachineTest, GroupsThatWaitForLaterOnes) {
  DebugRun run("debug_gfx900.co");
  run.Buffer().Value(3).Buffer();
  run.config.global.x = 192;
  run.config.local.x = 64;
  run.Debug("wait_for_last_group", [&](Session& session) {
    EXPECT_EQ(session.Forward(NoGoal()).reason, StopReason::kEnd);
    const std::vector<uint32_t> at_end = run.Memory();
    for (size_t n = 0; n < 192; ++n) ASSERT_EQ(at_end[DebugRun::kBytes / 4 + n], 7u);
    const uint64_t steps = session.machine().step();
    session.GoTo(0);
    EXPECT_EQ(run.Memory(), std::vector<uint32_t>(at_end.size()));
    session.GoTo(steps);
    EXPECT_EQ(run.Memory(), at_end);
  });
}

// The host's clocks are not what they were.
TEST(MachineTest, ClocksAreReadOnce) {
  DebugRun run("debug_gfx803.co");
  run.Buffer().Value(50);
  run.config.global.x = run.config.local.x = 64;
  run.Debug("clocks", [&](Session& session) {
    session.Forward(NoGoal());
    const std::vector<uint32_t> at_end = run.Memory();
    session.GoTo(0);
    session.Forward(NoGoal());
    EXPECT_EQ(run.Memory(), at_end);
  });
}

}  // namespace
}  // namespace gcnjit::debug
