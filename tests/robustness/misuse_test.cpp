// The public API as those call it who err: moved-from objects, times that are none, options of
// another version, objects dropped while a launch needs them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gcnjit/gcnjit.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;

class MisuseTest : public testing::Test {
 protected:
  static std::vector<std::byte> FileOf(const std::vector<std::string>& lines) {
    return FrameFile(Generation::kGfx900, AssembleProgram(Generation::kGfx900, lines));
  }
  static LaunchConfig OneGroup() {
    LaunchConfig config;
    config.global.x = config.local.x = 64;
    config.threads = 1;
    return config;
  }
  Result<LaunchResult> Run(const Program& program, const LaunchConfig& config) {
    return Launch(device_, program, "frame", config, Arguments().Value(FrameArguments{}));
  }
  // The message of what must be an error of the caller's.
  template <typename T>
  static std::string Refusal(const Result<T>& result) {
    if (result) return "accepted";
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    return result.error().message;
  }

  Device device_ = *Device::Create();
};

TEST_F(MisuseTest, WhatWasMovedFromGoesOn) {
  Device device = device_;
  const Device other_device = std::move(device);
  EXPECT_EQ(device.memory(), other_device.memory());
  Program program = *Program::Load(device, FileOf({"s_endpgm"}));
  const Program other_program = std::move(program);
  EXPECT_EQ(program.Kernels().size(), 1u);
  Cancellation cancellation;
  const Cancellation other_cancellation = std::move(cancellation);
  cancellation.Cancel();
  LaunchConfig config = OneGroup();
  config.cancellation = other_cancellation;
  const auto result = Run(program, config);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, LaunchStatus::kCancelled);
}

TEST_F(MisuseTest, ProgramsMayBeDroppedWhileTheyRun) {
  for (const std::string& engine : Engines()) {
    auto program = std::make_optional(*Program::Load(device_, FileOf({"s_branch 0xffff"})));
    const std::weak_ptr<runtime::LoadedProgram> loaded = program->internal();
    LaunchConfig config = OneGroup();
    UseEngine(engine, config);
    config.timeout_seconds = 60;  // ends what goes on
    Cancellation cancellation;
    config.cancellation = cancellation;
    bool stayed = false;
    config.progress = [&](uint64_t, uint64_t) {
      program.reset();
      stayed = !loaded.expired();
      cancellation.Cancel();
    };
    const auto result = Run(*program, config);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(stayed);
    EXPECT_TRUE(loaded.expired());
  }
}

}  // namespace
}  // namespace gcnjit::robustness
