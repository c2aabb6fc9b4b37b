// Launch(): geometry, arguments, limits, faults, time-outs, host threads. The kernels are those of
// data/launch.cl, for one target of each generation and several code object versions.
#include "gcnjit/launch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gcnjit/device.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/launch/kernarg.h"
#include "runtime/program/loaded_program.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

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

testing::AssertionResult Contains(const std::string& text, const char* part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' does not contain '" << part << "'";
}

LaunchConfig Line(uint32_t global, uint32_t local, unsigned threads = 0) {
  LaunchConfig config;
  config.global.x = global;
  config.local.x = local;
  config.threads = threads;
  return config;
}

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

// ---- Faults and time-outs

TEST_P(LaunchTest, FaultInOneOfManyGroups) {
  for (const unsigned threads : {1u, 4u}) {
    const auto result =
        Run("stray", Line(256 * 64, 64, threads), Arguments().Buffer(Allocate(65536)).Value(40u));
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->status, LaunchStatus::kFault);
    ASSERT_TRUE(result->fault.has_value());
    const FaultReport& fault = *result->fault;
    EXPECT_EQ(fault.kind, FaultKind::kMemoryWrite);
    EXPECT_EQ(fault.kernel, "stray");
    EXPECT_EQ(fault.workgroup, (std::array<uint32_t, 3>{40, 0, 0}));
    EXPECT_EQ(fault.wave, 0u);
    EXPECT_EQ(fault.lane, 63);
    EXPECT_EQ(fault.work_item, (std::array<uint64_t, 3>{40 * 64 + 63, 0, 0}));
    EXPECT_EQ(fault.access_bytes, 4u);
    EXPECT_TRUE(Contains(fault.Describe(), "past the end of"));
    EXPECT_LT(result->statistics.workgroups, 256u);
  }
}

// One after another, so that it is known which have ended. A group that does not end is set aside
// for the others.
TEST_P(LaunchTest, StatisticsCountGroupsThatHaveEnded) {
  for (const bool compiled : {false, true}) {
    for (const uint32_t bad : {0u, 2u, 255u}) {
      LaunchConfig config = Line(256 * 64, 64, 1);
      config.engine = compiled ? Engine::kJit : Engine::kInterpreter;
      config.compile_first = compiled;
      const auto fault = Run("stray", config, Arguments().Buffer(Allocate(65536)).Value(bad));
      ASSERT_TRUE(fault) << fault.error().message;
      ASSERT_EQ(fault->status, LaunchStatus::kFault);
      EXPECT_EQ(fault->statistics.workgroups, bad);

      config.timeout_seconds = 0.3;
      const auto timeout = Run("endless_group", config, Arguments().Buffer(Allocate(4)).Value(bad));
      ASSERT_TRUE(timeout) << timeout.error().message;
      ASSERT_EQ(timeout->status, LaunchStatus::kTimeout);
      EXPECT_GE(timeout->statistics.workgroups, bad);
      EXPECT_LE(timeout->statistics.workgroups, 255u);
    }
  }
}

TEST_P(LaunchTest, FaultStopsGroupsThatWouldNeverEnd) {
  // Null arguments: each work-item faults at once, on whichever thread.
  const auto result = Run("endless", Line(64 * 64, 64, 4), Arguments().Buffer(0));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->status, LaunchStatus::kFault);
  EXPECT_TRUE(Contains(result->fault->Describe(), "null pointer"));
}

TEST_P(LaunchTest, DeviceWorksAfterAFault) {
  const uint64_t out = Allocate(4096);
  const auto result = Run("stray", Line(64, 64), Arguments().Buffer(out).Value(0u));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, LaunchStatus::kFault);
  RunToEnd("stray", Line(64, 64), Arguments().Buffer(out).Value(1u));
  std::vector<uint32_t> expected(64);
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(Dwords(out, 64), expected);
}

TEST_P(LaunchTest, EndlessKernelsTimeOut) {
  for (const unsigned threads : {1u, 4u}) {
    LaunchConfig config = Line(8 * 64, 64, threads);
    config.timeout_seconds = 0.2;
    const auto result = Run("endless", config, Arguments().Buffer(Allocate(4096)));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->status, LaunchStatus::kTimeout);
    EXPECT_FALSE(result->fault.has_value());
    EXPECT_GE(result->statistics.seconds, 0.2);
    EXPECT_LT(result->statistics.seconds, 20);
  }
}

// ---- Memory that is freed meanwhile

TEST_P(LaunchTest, FreeingWhatARunningKernelReadsIsAFault) {
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    const uint64_t flag = Allocate(4096);
    std::optional<Result<LaunchResult>> result;
    std::atomic<bool> runs = false;
    std::thread thread([&] {
      LaunchConfig config = Line(8 * 64, 64, 2);
      config.engine = engine;
      config.compile_first = true;
      config.timeout_seconds = 100;
      config.progress = [&runs](uint64_t, uint64_t) { runs = true; };
      result.emplace(Run("endless", config, Arguments().Buffer(flag)));
    });
    while (!runs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(device_.Free(flag));
    thread.join();
    ASSERT_TRUE(*result) << result->error().message;
    ASSERT_EQ((*result)->status, LaunchStatus::kFault);
    EXPECT_EQ((*result)->fault->kind, FaultKind::kMemoryRead);
    EXPECT_EQ((*result)->fault->address, flag);
  }
}

// Buffers come and go under launches that store to them: a launch ends well or with a fault
// report.
TEST_P(LaunchTest, BuffersMayBeFreedAtAnyTime) {
  constexpr uint32_t kItems = 1024, kRounds = 5000;
  constexpr int kLaunches = 30;
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    std::atomic<uint64_t> out = 0;  // 0: there is no buffer now
    std::atomic<bool> done = false;
    std::thread thread([&] {
      LaunchConfig config = Line(kItems, 64, 2);
      config.engine = engine;
      config.compile_first = true;
      for (int launches = 0; launches < kLaunches;) {
        const uint64_t address = out;
        if (address == 0) continue;
        ++launches;
        const auto result = Run("churn", config, Arguments().Buffer(address).Value(kRounds));
        EXPECT_TRUE(result) << result.error().message;
        if (!result || result->status == LaunchStatus::kDone) continue;
        EXPECT_EQ(result->fault->kind, FaultKind::kMemoryWrite);
      }
      done = true;
    });
    while (!done) {
      const uint64_t address = Allocate(kItems * 4);
      out = address;
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      out = 0;
      EXPECT_TRUE(device_.Free(address));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    thread.join();
  }
}

TEST_P(LaunchTest, LongTimeoutsNeverStopAKernel) {
  const uint64_t out = Allocate(4096);
  for (const double seconds : {1e300, std::numeric_limits<double>::infinity()}) {
    LaunchConfig config = Line(64, 64);
    config.timeout_seconds = seconds;
    std::atomic<uint64_t> calls = 0;
    config.progress = [&calls](uint64_t, uint64_t) { ++calls; };
    RunToEnd("stray", config, Arguments().Buffer(out).Value(9u));
    config.progress = {};
    RunToEnd("stray", config, Arguments().Buffer(out).Value(9u));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LaunchTest,
                         testing::Values("launch_gfx600_v4.co", "launch_gfx700_v4.co",
                                         "launch_gfx803_v2.co", "launch_gfx900_v4.co",
                                         "launch_gfx906_v5.co"),
                         [](const auto& target) {
                           const std::string name = target.param;
                           return name.substr(7, name.size() - 10);
                         });

// ---- Hidden arguments

Result<runtime::KernargSegment> HiddenArgument(const char* value_kind, uint32_t size) {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.kernarg_segment_size = 8;
  ArgumentInfo argument;
  argument.kind = ArgumentKind::kHidden;
  argument.value_kind = value_kind;
  argument.size = size;
  kernel.arguments.push_back(argument);
  LaunchConfig config;
  config.global = {100, 7, 1};
  config.local = {16, 8, 1};
  config.offset = {1000, uint64_t{2} << 32, 3};
  return runtime::BuildKernarg(kernel, config, Arguments(), 0,
                               {0x1234560000, 0x6543210000, 0x7654320000});
}

uint64_t HiddenValue(const char* value_kind, uint32_t size) {
  const auto segment = HiddenArgument(value_kind, size);
  EXPECT_TRUE(segment) << value_kind;
  uint64_t value = 0;
  if (segment) std::memcpy(&value, segment->bytes.data(), sizeof value);
  return value;
}

// Each begins after the one before it, at a multiple of what its elements want.
TEST(DynamicLdsTest, ArgumentsAreAligned) {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.kernarg_segment_size = 12;
  kernel.group_segment_size = 20;
  constexpr uint32_t kAligns[] = {4, 64, 1};
  for (const uint32_t align : kAligns) {
    ArgumentInfo argument;
    argument.kind = ArgumentKind::kDynamicLds;
    argument.size = 4;
    argument.offset = static_cast<uint32_t>(kernel.arguments.size()) * 4;
    argument.pointee_align = align;
    kernel.arguments.push_back(argument);
  }
  const auto segment =
      runtime::BuildKernarg(kernel, LaunchConfig(), Arguments().Local(8).Local(68).Local(1), 0, {});
  ASSERT_TRUE(segment);
  uint32_t offsets[3] = {};
  ASSERT_EQ(segment->bytes.size(), sizeof offsets);
  std::memcpy(offsets, segment->bytes.data(), sizeof offsets);
  EXPECT_EQ(offsets[0], 32u);   // after the kernel's own 20 bytes
  EXPECT_EQ(offsets[1], 64u);   // after 40
  EXPECT_EQ(offsets[2], 144u);  // after 132
  EXPECT_EQ(segment->dynamic_lds_bytes, 145u - kernel.group_segment_size);
}

// AMDGPUUsage, "Code Object V5 Metadata": block counts are of complete groups.
TEST(HiddenArgumentTest, Values) {
  EXPECT_EQ(HiddenValue("hidden_block_count_x", 4), 6u);
  EXPECT_EQ(HiddenValue("hidden_block_count_y", 4), 0u);
  EXPECT_EQ(HiddenValue("hidden_block_count_z", 4), 1u);
  EXPECT_EQ(HiddenValue("hidden_group_size_x", 2), 16u);
  EXPECT_EQ(HiddenValue("hidden_group_size_y", 2), 8u);
  EXPECT_EQ(HiddenValue("hidden_remainder_x", 2), 4u);
  EXPECT_EQ(HiddenValue("hidden_remainder_y", 2), 7u);
  EXPECT_EQ(HiddenValue("hidden_remainder_z", 2), 0u);
  EXPECT_EQ(HiddenValue("hidden_global_offset_x", 8), 1000u);
  EXPECT_EQ(HiddenValue("hidden_global_offset_y", 8), uint64_t{2} << 32);
  EXPECT_EQ(HiddenValue("hidden_grid_dims", 2), 2u);
  EXPECT_EQ(HiddenValue("hidden_queue_ptr", 8), 0x1234560000u);
  EXPECT_EQ(HiddenValue("hidden_printf_buffer", 8), 0x6543210000u);
  EXPECT_EQ(HiddenValue("hidden_hostcall_buffer", 8), 0x7654320000u);
  EXPECT_EQ(HiddenValue("hidden_none", 8), 0u);
}

// A file may say anything: the last letter is not always an axis.
TEST(HiddenArgumentTest, UnknownKindsAreRefused) {
  for (const char* kind :
       {"hidden_", "hidden_global_offset_", "hidden_global_offset_A", "hidden_global_offset_w",
        "hidden_global_offset_xx", "hidden_block_count_", "hidden_group_size_0",
        "hidden_remainder_{", "hidden_something_new"}) {
    const auto segment = HiddenArgument(kind, 8);
    ASSERT_FALSE(segment) << kind;
    EXPECT_EQ(static_cast<int>(segment.error().code), static_cast<int>(ErrorCode::kUnsupported));
  }
}

// What a program holds of its code, decoded and compiled, has bounds, however much code it
// executes.
TEST(LaunchBoundsTest, CodeOfAnySize) {
  constexpr uint64_t kCodeLimit = 4 << 20;
  constexpr uint64_t kMostOfARegion = 16 << 20;
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    Device device = *Device::Create();
    const auto program = Program::Load(device, ReadTestFile("executable_zeros.co"));
    ASSERT_TRUE(program) << program.error().message;
    LaunchConfig config;
    config.engine = engine;
    config.compile_first = true;
    config.code_limit = kCodeLimit;
    config.global.x = config.local.x = 64;
    const auto result = Launch(device, *program, "slide", config, {});
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->status, LaunchStatus::kFault);
    EXPECT_EQ(result->fault->kind, FaultKind::kInstructionFetch);
    EXPECT_GE(result->statistics.wave_instructions, 2u << 20 >> 2);
    auto& code = program->internal()->Derived<runtime::CodeMap>([] { return nullptr; });
    EXPECT_LE(code.DecodedPages(), runtime::CodeMap::kMostPages);
    EXPECT_EQ(code.DecodedPages() > runtime::CodeMap::kMostPages / 2,
              engine == Engine::kInterpreter);
    EXPECT_LE(result->statistics.code_bytes, kCodeLimit + kMostOfARegion);
    EXPECT_EQ(result->statistics.discarded_regions > 0, engine == Engine::kJit);
  }
}

}  // namespace
}  // namespace gcnjit
