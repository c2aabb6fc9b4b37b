// Kernel arguments that waves find in SGPRs. Source: LLVM AMDGPUUsage, "Preloaded Kernel
// Arguments": SGPRs after the other user SGPRs, and an entry 256 bytes later.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "gcnjit/gcnjit.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

constexpr uint32_t kPreloadedItems = 64 * 40;

class PreloadedArgumentsTest : public testing::TestWithParam<Engine> {};

TEST_P(PreloadedArgumentsTest, AreInSgprs) {
  Device device = *Device::Create();
  const auto program = Program::Load(device, ReadTestFile("preload.co"));
  ASSERT_TRUE(program) << program.error().message;
  const uint64_t out = *device.Allocate(kPreloadedItems * 4);
  LaunchConfig config;
  config.global.x = kPreloadedItems;
  config.local.x = 64;
  config.engine = GetParam();
  config.compile_first = true;
  for (const uint32_t value : {7u, 0xFFFFFFFFu}) {
    const auto result =
        Launch(device, *program, "preload", config, Arguments().Buffer(out).Value(value));
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->status, LaunchStatus::kDone) << result->fault->Describe();
    std::vector<uint32_t> stored(kPreloadedItems);
    std::memcpy(stored.data(), device.Data(out, kPreloadedItems * 4).data(), kPreloadedItems * 4);
    EXPECT_EQ(stored, std::vector<uint32_t>(kPreloadedItems, value));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, PreloadedArgumentsTest,
                         testing::Values(Engine::kInterpreter, Engine::kJit),
                         [](const auto& engine) {
                           return engine.param == Engine::kJit ? "jit" : "interpreter";
                         });

// The kernel descriptor's last words: user SGPRs in bits 1 to 5 of the first, then the arguments.
std::string LoadWith(uint8_t user_sgprs, uint8_t dwords) {
  std::vector<std::byte> file = ReadTestFile("preload.co");
  constexpr unsigned char kWords[] = {0x8A, 0, 0, 0, 0x08, 0, 0x03, 0};
  const auto words = std::as_bytes(std::span(kWords));
  const auto found = std::search(file.begin(), file.end(), words.begin(), words.end());
  if (found == file.end()) return "no descriptor";
  found[0] = static_cast<std::byte>((0x8A & ~0x3E) | user_sgprs << 1);
  found[6] = static_cast<std::byte>(dwords);
  Device device = *Device::Create();
  const auto program = Program::Load(device, file);
  return program ? "" : program.error().message;
}

TEST(PreloadedArgumentsLimitsTest, FitIntoUserSgprs) {
  EXPECT_EQ(LoadWith(5, 3), "");
  EXPECT_EQ(LoadWith(16, 14), "");
  EXPECT_NE(LoadWith(5, 4), "");
  EXPECT_NE(LoadWith(31, 15), "");  // there are 16
}

}  // namespace
}  // namespace gcnjit
