// gcnjit::Cancellation: another thread ends launches, whatever the kernel does and whichever engine
// runs it, and the device and the program can be used afterwards.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "gcnjit/gcnjit.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;
using std::chrono::milliseconds;

class CancellationTest : public testing::Test {
 protected:
  Program ProgramOf(const std::vector<std::string>& lines) {
    return *Program::Load(
        device_, FrameFile(Generation::kGfx900, AssembleProgram(Generation::kGfx900, lines)));
  }
  LaunchResult Run(const Program& program, const LaunchConfig& config) {
    const auto result = Launch(device_, program, "frame", config, Arguments().Value(arguments_));
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : LaunchResult{};
  }
  LaunchConfig Config(const std::string& engine, const Cancellation& cancellation) {
    LaunchConfig config;
    config.global.x = 256;
    config.local.x = 128;
    config.threads = 2;
    config.timeout_seconds = 60;  // ends what is not cancelled
    UseEngine(engine, config);
    config.cancellation = cancellation;
    return config;
  }

  Device device_ = *Device::Create();
  FrameArguments arguments_;
};

TEST_F(CancellationTest, EndsALaunchThatIsRunning) {
  const Program program = ProgramOf({"s_branch 0xffff"});
  for (const std::string& engine : Engines()) {
    SCOPED_TRACE(engine);
    Cancellation cancellation;
    std::thread other([cancellation]() mutable {
      std::this_thread::sleep_for(milliseconds(30));
      cancellation.Cancel();
    });
    const LaunchResult result = Run(program, Config(engine, cancellation));
    other.join();
    EXPECT_EQ(result.status, LaunchStatus::kCancelled);
    EXPECT_FALSE(result.fault.has_value());
    ASSERT_TRUE(result.unfinished.has_value());
    EXPECT_EQ(result.unfinished->total, 2u);
    EXPECT_LT(result.statistics.seconds, 30);
  }
}

TEST_F(CancellationTest, EndsALaunchThatBeginsLater) {
  const Program program = ProgramOf({"s_branch 0xffff"});
  Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_EQ(Run(program, Config("avx2", cancellation)).status, LaunchStatus::kCancelled);
}

TEST_F(CancellationTest, EndsEveryLaunchThatHasIt) {
  const Program program = ProgramOf({"s_branch 0xffff"});
  Cancellation cancellation;
  std::vector<LaunchResult> results(3);
  std::vector<std::thread> threads;
  for (LaunchResult& result : results) {
    threads.emplace_back(
        [&, config = Config("avx2", cancellation)] { result = Run(program, config); });
  }
  std::this_thread::sleep_for(milliseconds(30));
  cancellation.Cancel();
  for (std::thread& thread : threads) thread.join();
  for (const LaunchResult& result : results) EXPECT_EQ(result.status, LaunchStatus::kCancelled);
}

TEST_F(CancellationTest, WhatIsDoneStaysDone) {
  const Program endless = ProgramOf({"s_branch 0xffff"});
  const Program program = ProgramOf({"s_endpgm"});
  Cancellation cancellation;
  EXPECT_EQ(Run(program, Config("avx2", cancellation)).status, LaunchStatus::kDone);
  cancellation.Cancel();  // the launch is no more
  EXPECT_EQ(Run(endless, Config("avx2", cancellation)).status, LaunchStatus::kCancelled);
  EXPECT_EQ(Run(program, Config("avx2", Cancellation())).status, LaunchStatus::kDone);
}

}  // namespace
}  // namespace gcnjit::robustness
