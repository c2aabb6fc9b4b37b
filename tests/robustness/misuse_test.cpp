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

TEST_F(MisuseTest, TimesThatAreNone) {
  const auto file = FileOf({"s_endpgm"});
  const Program program = *Program::Load(device_, file);
  LaunchConfig config = OneGroup();
  for (const double none : {-1.0, -std::numeric_limits<double>::infinity(), std::nan("")}) {
    config.timeout_seconds = none;
    EXPECT_NE(Refusal(Run(program, config)).find("timeout_seconds"), std::string::npos);
    EXPECT_NE(Refusal(Program::Load(device_, file, "", none)).find("timeout_seconds"),
              std::string::npos);
  }
  for (const double good : {0.0, -0.0, 1e300, std::numeric_limits<double>::infinity()}) {
    config.timeout_seconds = good;
    EXPECT_TRUE(Run(program, config)) << good;
    EXPECT_TRUE(Program::Load(device_, file, "", good)) << good;
  }
}

TEST_F(MisuseTest, ChecksThatAreNone) {
  const Program program = *Program::Load(device_, FileOf({"s_endpgm"}));
  LaunchConfig config = OneGroup();
  config.check = kCheckRaces | (kCheckAll + 1);
  EXPECT_EQ(Refusal(Run(program, config)), "check has bits that are no Checks: 0x40");
  config.check = kCheckAll;
  EXPECT_TRUE(Run(program, config));
}

TEST_F(MisuseTest, MoreArgumentsThanThereCanBe) {
  const Program program = *Program::Load(device_, FileOf({"s_endpgm"}));
  const std::vector<std::byte> segment(2 << 20);
  EXPECT_EQ(
      Refusal(Launch(device_, program, "frame", OneGroup(), Arguments().Segment(segment))),
      "2097152 bytes of arguments are given to kernel 'frame'; the limit is 1048576: put them "
      "into a buffer");
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

// Launches use addresses again, and keep what they have allocated.
TEST_F(MisuseTest, MemoryIsFreedOnce) {
  const Program program = *Program::Load(device_, FileOf({"s_endpgm"}));
  std::vector<uint64_t> addresses(8);
  for (uint64_t& address : addresses) address = *device_.Allocate(256);
  for (const uint64_t address : addresses) EXPECT_TRUE(device_.Free(address));
  ASSERT_TRUE(Run(program, OneGroup()));
  std::string refusals;
  for (const uint64_t address : addresses) refusals += Refusal(device_.Free(address)) + "\n";
  EXPECT_NE(refusals.find("'kernel arguments', which is the library's own"), std::string::npos)
      << refusals;
  EXPECT_NE(refusals.find("is not the start"), std::string::npos) << refusals;
  ASSERT_TRUE(Run(program, OneGroup()));
}

TEST_F(MisuseTest, FoldersWithoutAName) {
  EXPECT_EQ(Refusal(CodeCache::Open({.folder = ""})),
            "the cache's folder has no name: give a path");
  // Only its beginning would be used.
  EXPECT_EQ(Refusal(CodeCache::Open({.folder = testing::TempDir() + std::string("a\0b", 3)})),
            "the cache's folder has a zero byte in its name");
}

template <typename T>
concept IsValue = requires(Arguments& arguments, const T& value) {
  arguments.Value(value);
};

TEST_F(MisuseTest, ValuesAreTheirBytes) {
  static_assert(IsValue<float> && IsValue<FrameArguments> && IsValue<char[4]>);
  static_assert(!IsValue<std::string> && !IsValue<std::vector<int>>);
  struct Unaddressable {
    uint32_t value;
    void* operator&() const { return nullptr; }
  };
  Arguments arguments;
  arguments.Value(Unaddressable{0x01020304});
  EXPECT_EQ(arguments.entries().at(0).bytes.at(3), std::byte{1});
}

TEST_F(MisuseTest, ErrorsThatAreNotThere) {
  EXPECT_ANY_THROW((void)Result<void>().error());
  EXPECT_ANY_THROW((void)Result<int>(5).error());
  EXPECT_ANY_THROW((void)Result<int>(Error{}).value());
}

}  // namespace
}  // namespace gcnjit::robustness
