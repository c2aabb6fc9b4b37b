// What the runtime puts into a kernel's argument segment: hidden arguments, offsets into LDS.
#include "runtime/launch/kernarg.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "gcnjit/launch.h"

namespace gcnjit {
namespace {

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

}  // namespace
}  // namespace gcnjit
