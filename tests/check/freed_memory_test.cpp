// Memory that the host has freed, between launches and while one runs.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "gcnjit/gcnjit.h"
#include "tests/check/check_case.h"

namespace gcnjit::check_tests {
namespace {

class FreedMemoryTest : public testing::TestWithParam<const char*> {
 protected:
  // Stores to an address that the kernel finds in its buffer.
  void SetUp() override {
    Case store;
    store.code =
        "  s_load_dwordx2 s[12:13], s[8:9], 0x0\n"
        // Until the host lets it go on.
        "wait:\n"
        "  s_load_dword s20, s[8:9], 0x40\n"
        "  s_waitcnt lgkmcnt(0)\n"
        "  s_cmp_lg_u32 s20, 0\n"
        "  s_cbranch_scc1 wait\n"
        "  buffer_store_dword v0, v1, s[12:15], 0 offen\n";
    std::string error;
    const auto file = Assemble({&store, 1}, GetParam(), &error);
    ASSERT_FALSE(file.empty()) << error;
    auto program = Program::Load(device_, file);
    ASSERT_TRUE(program) << program.error().message;
    program_.emplace(std::move(*program));
    buffer_ = *device_.Allocate(1024);
  }
  LaunchResult RunOn(uint64_t address) {
    std::memcpy(device_.Data(buffer_, 8).data(), &address, 8);
    LaunchConfig config;
    config.global.x = config.local.x = 64;
    config.check = kCheckAll;
    auto result = Launch(device_, *program_, KernelOf(0), config, Arguments().Buffer(buffer_));
    EXPECT_TRUE(result) << result.error().message;
    return std::move(*result);
  }

  Device device_ = *Device::Create();
  std::optional<Program> program_;
  uint64_t buffer_ = 0;
};

TEST_P(FreedMemoryTest, LiveMemoryIsFine) {
  const uint64_t other = *device_.Allocate(4096);
  const LaunchResult result = RunOn(other);
  EXPECT_TRUE(result.findings.empty()) << result.findings[0].Describe();
}

TEST_P(FreedMemoryTest, IsNamed) {
  device_.SetQuarantine(1 << 20);
  const uint64_t other = *device_.Allocate(4096);
  ASSERT_TRUE(device_.Free(other));
  const LaunchResult result = RunOn(other);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::kUseAfterFree);
  EXPECT_EQ(result.findings[0].count, 64u);
  EXPECT_NE(result.findings[0].place.find("at offset 0 of the 4096-byte allocation 'buffer'"),
            std::string::npos)
      << result.findings[0].place;
}

TEST_P(FreedMemoryTest, BeyondFreedMemoryIsOutOfBounds) {
  device_.SetQuarantine(1 << 20);
  const uint64_t other = *device_.Allocate(4096);
  ASSERT_TRUE(device_.Free(other));
  const LaunchResult result = RunOn(other + 8192);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::kOutOfBounds);
}

// The kernel has stored there before; now the host frees the memory and lets it go on.
TEST_P(FreedMemoryTest, IsFoundWhileTheKernelRuns) {
  const uint64_t other = *device_.Allocate(4096);
  // At 16 dwords on gfx6, where offsets count dwords, 64 bytes elsewhere.
  const std::span<std::byte> data = device_.Data(buffer_, 1024);
  const uint32_t wait = 1;
  std::memcpy(data.data() + 0x40, &wait, 4);
  std::memcpy(data.data() + 0x100, &wait, 4);
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_TRUE(device_.Free(other));
    for (const size_t offset : {0x40, 0x100}) {
      std::atomic_ref(*reinterpret_cast<uint32_t*>(data.data() + offset)) = 0;
    }
  });
  const LaunchResult result = RunOn(other);
  host.join();
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::kUseAfterFree);
  EXPECT_EQ(result.status, LaunchStatus::kFault);
}

// With a quarantine a new allocation does not get the old one's address.
TEST_P(FreedMemoryTest, IsNotUsedAgainAtOnce) {
  device_.SetQuarantine(1 << 20);
  const uint64_t other = *device_.Allocate(4096);
  ASSERT_TRUE(device_.Free(other));
  const uint64_t next = *device_.Allocate(4096);
  EXPECT_NE(other, next);
  const LaunchResult result = RunOn(other);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::kUseAfterFree);
}

TEST_P(FreedMemoryTest, LeavesTheQuarantineWhenItIsFull) {
  device_.SetQuarantine(8192);
  const uint64_t first = *device_.Allocate(4096);
  ASSERT_TRUE(device_.Free(first));
  bool again = false;
  for (int n = 0; n < 64 && !again; ++n) {
    const uint64_t next = *device_.Allocate(4096);
    again = next == first;
    ASSERT_TRUE(device_.Free(next));
  }
  EXPECT_TRUE(again);
}

INSTANTIATE_TEST_SUITE_P(Targets, FreedMemoryTest, testing::Values("gfx600", "gfx803", "gfx900"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gcnjit::check_tests
