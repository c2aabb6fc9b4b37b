// R17: requests that must be refused: the exact error, and no guest memory left allocated; and
// requests at the limits, which must not. Grids, groups and arguments of compiled kernels:
// tests/unit/runtime/launch/launch_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gcnjit/device.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;
using File = std::vector<std::byte>;

// The frame's kernel descriptor in the file (AMDGPUUsage, "Kernel Descriptor"): it begins with the
// three sizes that frame.s gives.
size_t DescriptorIn(const File& file) {
  const uint32_t sizes[3] = {kFrameLdsBytes, kFrameScratchBytes, 64};
  const auto bytes = std::as_bytes(std::span(sizes));
  const auto found = std::search(file.begin(), file.end(), bytes.begin(), bytes.end());
  EXPECT_NE(found, file.end());
  return static_cast<size_t>(found - file.begin());
}
void Put32(File& file, size_t at, uint32_t value) { std::memcpy(&file[at], &value, 4); }

constexpr size_t kGroupSegment = 0;
constexpr size_t kPrivateSegment = 4;
constexpr size_t kKernarg = 8;
constexpr size_t kEntry = 16;
constexpr size_t kProperties = 56;

struct Request {
  File file;
  std::string kernel = "frame";
  LaunchConfig config;
  Arguments arguments;
};

struct Row {
  const char* name;
  std::function<void(Request&)> change;
  ErrorCode code;  // of the rows that are refused
  const char* message;
};

class LimitsTest : public testing::TestWithParam<Generation> {
 protected:
  Request Good() {
    Request request;
    request.file = FrameFile(GetParam(), AssembleProgram(GetParam(), {"s_endpgm"}));
    request.config.global.x = request.config.local.x = 64;
    request.config.threads = 1;
    request.arguments.Value(FrameArguments{});
    return request;
  }
  // Where the next allocation of a page would be.
  uint64_t NextAddress() {
    const uint64_t address = *device_.Allocate(4096);
    EXPECT_TRUE(device_.Free(address));
    return address;
  }
  static std::function<void(Request&)> Descriptor(size_t offset, uint32_t value) {
    return [=](Request& r) { Put32(r.file, DescriptorIn(r.file) + offset, value); };
  }

  Device device_ = *Device::Create();
};

TEST_P(LimitsTest, RefusedLaunchesSayWhyAndLeaveNothing) {
  const uint32_t lds = GetParam() == Generation::kGfx6 ? 32 * 1024 : 64 * 1024;
  const Row rows[] = {
      {"LDS of the descriptor", Descriptor(kGroupSegment, lds + 1), ErrorCode::kOutOfResources,
       "bytes of LDS a work-group"},
      {"more LDS than 32 bits", Descriptor(kGroupSegment, 0xFFFFFFFF), ErrorCode::kOutOfResources,
       "needs 4294967295 bytes of LDS"},
      {"static and dynamic LDS", [=](Request& r) { r.arguments.Local(lds - kFrameLdsBytes + 1); },
       ErrorCode::kOutOfResources, "bytes of LDS a work-group"},
      {"scratch", Descriptor(kPrivateSegment, 128 * 1024 + 1), ErrorCode::kOutOfResources,
       "of scratch a work-item; the limit is 131072"},
      {"scratch of 32 bits", Descriptor(kPrivateSegment, 0xFFFFFFFF), ErrorCode::kOutOfResources,
       "of scratch a work-item; the limit is 131072"},
      {"kernel arguments of the descriptor", Descriptor(kKernarg, 0xFFFFFFFF),
       ErrorCode::kInvalidCodeObject, "bytes of kernel arguments; the limit is 1048576"},
      {"a group larger than the metadata's",
       [](Request& r) { r.config.global.x = r.config.local.x = 257; }, ErrorCode::kInvalidArgument,
       "over the limit of 256"},
      {"a flat group that is not",
       [](Request& r) {
         r.config.global = {64, 64, 64};
         r.config.local = {4, 5, 13};
       },
       ErrorCode::kInvalidArgument, "over the limit of 256"},
      {"arguments too short",
       [](Request& r) { r.arguments = Arguments().Value(std::array<std::byte, 63>{}); },
       ErrorCode::kInvalidArgument, "takes 64 bytes, 63 were given"},
      {"arguments too long",
       [](Request& r) { r.arguments = Arguments().Value(std::array<std::byte, 65>{}); },
       ErrorCode::kInvalidArgument, "takes 64 bytes, 65 were given"},
      {"no arguments", [](Request& r) { r.arguments = {}; }, ErrorCode::kInvalidArgument,
       "takes 1 argument, 0 were given"},
      {"a buffer for a value", [](Request& r) { r.arguments = Arguments().Buffer(0); },
       ErrorCode::kInvalidArgument, "is a value"},
      {"an unknown kernel", [](Request& r) { r.kernel = "frame.kd"; }, ErrorCode::kNotFound,
       "no kernel 'frame.kd'"},
      {"an empty name", [](Request& r) { r.kernel.clear(); }, ErrorCode::kNotFound, "no kernel ''"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Request request = Good();
    row.change(request);
    const auto program = Program::Load(device_, request.file);
    ASSERT_TRUE(program) << program.error().message;
    const uint64_t next = NextAddress();
    for (const std::string& engine : Engines()) {
      UseEngine(engine, request.config);
      const auto result =
          Launch(device_, *program, request.kernel, request.config, request.arguments);
      ASSERT_FALSE(result) << engine;
      EXPECT_EQ(static_cast<int>(result.error().code), static_cast<int>(row.code));
      EXPECT_NE(result.error().message.find(row.message), std::string::npos)
          << result.error().message;
      EXPECT_EQ(NextAddress(), next) << "guest memory is left allocated";
    }
  }
}

TEST_P(LimitsTest, RefusedFilesSayWhyAndLeaveNothing) {
  const Row rows[] = {
      {"another generation",
       [](Request& r) {
         constexpr size_t kFlags = 48;  // Elf64_Ehdr::e_flags
         Put32(r.file, kFlags, 0x36);   // EF_AMDGPU_MACH_AMDGCN_GFX1030
       },
       ErrorCode::kUnsupportedTarget, "gfx1030"},
      {"waves of 32 lanes", Descriptor(kProperties, 1 << 10), ErrorCode::kUnsupported,
       "waves of 32 lanes"},
      {"an entry outside the code", Descriptor(kEntry, 0x7FFFFF00), ErrorCode::kInvalidCodeObject,
       "not in an executable segment"},
      {"an entry within the code, not aligned",
       [](Request& r) {
         const size_t at = DescriptorIn(r.file) + kEntry;
         uint32_t entry = 0;
         std::memcpy(&entry, &r.file[at], 4);
         Put32(r.file, at, entry + 4);
       },
       ErrorCode::kInvalidCodeObject, "not 256-byte aligned"},
      {"half a file", [](Request& r) { r.file.resize(r.file.size() / 2); },
       ErrorCode::kInvalidCodeObject, ""},
      {"no file", [](Request& r) { r.file.clear(); }, ErrorCode::kInvalidCodeObject, ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Request request = Good();
    row.change(request);
    const uint64_t next = NextAddress();
    const auto program = Program::Load(device_, request.file);
    ASSERT_FALSE(program);
    EXPECT_EQ(static_cast<int>(program.error().code), static_cast<int>(row.code))
        << program.error().message;
    EXPECT_NE(program.error().message.find(row.message), std::string::npos)
        << program.error().message;
    EXPECT_FALSE(program.error().message.empty());
    EXPECT_EQ(NextAddress(), next) << "guest memory is left allocated";
  }
}

TEST_P(LimitsTest, WhatIsJustAllowedRuns) {
  const uint32_t lds = GetParam() == Generation::kGfx6 ? 32 * 1024 : 64 * 1024;
  const Row rows[] = {
      {"all of LDS", Descriptor(kGroupSegment, lds), {}, ""},
      {"all of LDS, part of it dynamic",
       [=](Request& r) { r.arguments.Local(lds - kFrameLdsBytes); },
       {},
       ""},
      {"most scratch", Descriptor(kPrivateSegment, 128 * 1024), {}, ""},
      {"most kernel arguments", Descriptor(kKernarg, 1 << 20), {}, ""},
      {"the largest group", [](Request& r) { r.config.global.x = r.config.local.x = 256; }, {}, ""},
      {"a group larger than the grid", [](Request& r) { r.config.global.x = 1; }, {}, ""},
      {"a partial group in each dimension",
       [](Request& r) {
         r.config.global = {65, 3, 5};
         r.config.local = {64, 2, 2};
       },
       {},
       ""},
      {"no room for compiled code", [](Request& r) { r.config.code_limit = 0; }, {}, ""},
      {"any number of threads",
       [](Request& r) {
         r.config.threads = std::numeric_limits<unsigned>::max();
         r.config.global.x = 64 * 8;
       },
       {},
       ""},
      {"any offset",
       [](Request& r) { r.config.offset.fill(std::numeric_limits<uint64_t>::max()); },
       {},
       ""},
      {"the largest instruction limit",
       [](Request& r) { r.config.max_wave_instructions = ~uint64_t{0}; },
       {},
       ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Request request = Good();
    row.change(request);
    const auto program = Program::Load(device_, request.file);
    ASSERT_TRUE(program) << program.error().message;
    for (const std::string& engine : Engines()) {
      UseEngine(engine, request.config);
      const auto result =
          Launch(device_, *program, request.kernel, request.config, request.arguments);
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(result->status, LaunchStatus::kDone) << engine;
    }
  }
}

// A register that the descriptor does not allocate is a fault, whether an operand is only read,
// only written, or the end of a wider one.
TEST_P(LimitsTest, RegistersBeyondTheDescriptorsAreFaults) {
  const bool even = Has(GetParam(), frontend::kEvenVgprTuples);
  const std::string pair = even ? "v[32:33]" : "v[31:32]";
  const std::string lines[] = {"v_mov_b32_e32 v32, v0",
                               "v_mov_b32_e32 v0, v255",
                               "v_add_f64 v[0:1], " + pair + ", v[0:1]",
                               "buffer_load_dwordx4 v[30:33], v0, s[0:3], 0 offen",
                               "ds_write_b64 v0, " + pair,
                               "v_cmp_eq_u32_e32 vcc, v0, v32"};
  for (const std::string& line : lines) {
    Request request = Good();
    request.file =
        FrameFile(GetParam(), AssembleProgram(GetParam(), {"s_nop 0", line, "s_endpgm"}));
    for (const std::string& engine : Engines()) {
      SCOPED_TRACE(engine + ": " + line);
      const auto program = Program::Load(device_, request.file);
      UseEngine(engine, request.config);
      const auto result = Launch(device_, *program, "frame", request.config, request.arguments);
      ASSERT_TRUE(result) << result.error().message;
      ASSERT_EQ(result->status, LaunchStatus::kFault);
      EXPECT_EQ(result->fault->kind, FaultKind::kIllegalRegister);
      EXPECT_EQ(result->fault->kernel_offset, 4);
      EXPECT_EQ(result->fault->instruction, line);
      EXPECT_NE(result->fault->detail.find("allocates 32 VGPRs"), std::string::npos);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Generations, LimitsTest, testing::ValuesIn(frontend::kGenerations),
                         [](const auto& info) { return frontend::TargetName(info.param); });

}  // namespace
}  // namespace gcnjit::robustness
