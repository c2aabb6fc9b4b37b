// What a launch calls, LaunchConfig::progress and ::print, may throw: the launch ends, and Launch
// throws it again.
#include "runtime/launch/caller_functions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gcnjit/gcnjit.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;

class CallerFunctionsTest : public testing::Test {
 protected:
  Program ProgramOf(const std::vector<std::string>& lines) {
    return *Program::Load(
        device_, FrameFile(Generation::kGfx900, AssembleProgram(Generation::kGfx900, lines)));
  }
  LaunchConfig Config(const std::string& engine, unsigned threads) {
    LaunchConfig config;
    config.global.x = 512;
    config.local.x = 128;
    config.threads = threads;
    config.timeout_seconds = 60;  // ends what goes on
    UseEngine(engine, config);
    return config;
  }
  Result<LaunchResult> Run(const Program& program, const LaunchConfig& config) {
    return Launch(device_, program, "frame", config, Arguments().Value(arguments_));
  }
  // What the launch throws; empty: nothing.
  std::string ThrownBy(const Program& program, const LaunchConfig& config) {
    try {
      EXPECT_TRUE(Run(program, config));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  Device device_ = *Device::Create();
  FrameArguments arguments_;
};

TEST_F(CallerFunctionsTest, ProgressMayThrow) {
  const Program endless = ProgramOf({"s_branch 0xffff"});
  const Program program = ProgramOf({"s_endpgm"});
  for (const std::string& engine : Engines()) {
    for (const unsigned threads : {1u, 2u}) {
      for (const bool can_be_cancelled : {false, true}) {
        SCOPED_TRACE(engine);
        LaunchConfig config = Config(engine, threads);
        Cancellation cancellation;
        if (can_be_cancelled) config.cancellation = cancellation;
        std::atomic<int> calls = 0;
        config.progress = [&](uint64_t, uint64_t) {
          ++calls;
          throw std::runtime_error("mine");
        };
        EXPECT_EQ(ThrownBy(endless, config), "mine");
        EXPECT_EQ(calls, 1);
        // Others that have the cancellation are not ended by it.
        config.progress = {};
        const auto result = Run(program, config);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(result->status, LaunchStatus::kDone);
      }
    }
  }
}

TEST_F(CallerFunctionsTest, AnythingMayBeThrown) {
  const Program endless = ProgramOf({"s_branch 0xffff"});
  LaunchConfig config = Config("avx2", 2);
  config.progress = [](uint64_t, uint64_t) { throw 5; };
  EXPECT_THROW((void)Run(endless, config), int);
  config.progress = [](uint64_t, uint64_t) { throw std::bad_alloc(); };
  EXPECT_THROW((void)Run(endless, config), std::bad_alloc);
}

TEST_F(CallerFunctionsTest, CancellationGoesOnToWork) {
  const Program endless = ProgramOf({"s_branch 0xffff"});
  LaunchConfig config = Config("avx2", 2);
  Cancellation cancellation;
  config.cancellation = cancellation;
  config.progress = [&](uint64_t, uint64_t) { cancellation.Cancel(); };
  const auto result = Run(endless, config);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, LaunchStatus::kCancelled);
}

TEST_F(CallerFunctionsTest, NothingIsCalledAfterwards) {
  LaunchConfig config;
  int printed = 0;
  int shown = 0;
  config.print = [&](std::string_view text) {
    ++printed;
    if (text == "bad") throw std::runtime_error("mine");
  };
  config.progress = [&](uint64_t, uint64_t) { ++shown; };
  runtime::CallerFunctions functions(config);
  functions.config().print("good");
  functions.config().progress(1, 2);
  functions.Rethrow();  // there is nothing
  EXPECT_FALSE(functions.stop()->is_cancelled());
  std::thread([&] { functions.config().print("bad"); }).join();
  EXPECT_TRUE(functions.stop()->is_cancelled());
  functions.config().print("good");
  functions.config().progress(1, 2);
  EXPECT_EQ(printed, 2);
  EXPECT_EQ(shown, 1);
  EXPECT_THROW(functions.Rethrow(), std::runtime_error);
}

TEST_F(CallerFunctionsTest, ThereMayBeNone) {
  const LaunchConfig config;
  runtime::CallerFunctions functions(config);
  EXPECT_EQ(&functions.config(), &config);
  EXPECT_EQ(functions.stop(), nullptr);
  functions.Rethrow();
}

}  // namespace
}  // namespace gcnjit::robustness
