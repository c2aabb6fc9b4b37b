// Launches of data/launch.cl's kernels, compiled for the target that a test is given.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/launch.h"
#include "gcnjit/program.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {

class LaunchTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::vector<std::byte> file = ReadTestFile(GetParam());
    auto program = Program::Load(device_, file);
    ASSERT_TRUE(program) << program.error().message;
    program_.emplace(std::move(*program));
  }

  uint64_t Allocate(uint64_t bytes) {
    const auto address = device_.Allocate(bytes);
    EXPECT_TRUE(address) << address.error().message;
    return *address;
  }
  std::vector<uint32_t> Dwords(uint64_t address, size_t count) {
    std::vector<uint32_t> values(count);
    const auto bytes = device_.Data(address, count * 4);
    EXPECT_EQ(bytes.size(), count * 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  Result<LaunchResult> Run(const char* kernel, const LaunchConfig& config,
                           const Arguments& arguments) {
    return Launch(device_, *program_, kernel, config, arguments);
  }
  // A launch that is to end well.
  void RunToEnd(const char* kernel, const LaunchConfig& config, const Arguments& arguments) {
    const auto result = Run(kernel, config, arguments);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->status, LaunchStatus::kDone)
        << (result->fault ? result->fault->Describe() : "time-out");
  }
  // The message of a launch that is to be refused.
  std::string Refusal(const char* kernel, const LaunchConfig& config, const Arguments& arguments,
                      ErrorCode code = ErrorCode::kInvalidArgument) {
    const auto result = Run(kernel, config, arguments);
    if (result) return "(not refused)";
    EXPECT_EQ(static_cast<int>(result.error().code), static_cast<int>(code));
    return result.error().message;
  }

  Device device_ = *Device::Create();
  std::optional<Program> program_;
};

inline testing::AssertionResult Contains(const std::string& text, const char* part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' does not contain '" << part << "'";
}

inline LaunchConfig Line(uint32_t global, uint32_t local, unsigned threads = 0) {
  LaunchConfig config;
  config.global.x = global;
  config.local.x = local;
  config.threads = threads;
  return config;
}

}  // namespace gcnjit
