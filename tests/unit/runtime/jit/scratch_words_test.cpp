// Code for the buffer resource that waves have for scratch, with that one and with others.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/launch.h"
#include "gcnjit/program.h"
#include "runtime/state/scratch_resource.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

constexpr uint32_t kLanes = 64;
constexpr uint32_t kWord1 = runtime::kScratchHigh1 << 16;
constexpr uint32_t kWord3 = runtime::ScratchWord3(frontend::Generation::kGfx900);

class ScratchWordsTest : public testing::Test {
 protected:
  // What each lane has loaded.
  std::vector<uint32_t> Run(Engine engine, uint32_t word1, uint32_t word3) {
    Device device = *Device::Create();
    auto program = Program::Load(device, ReadTestFile("scratch_words.co"));
    EXPECT_TRUE(program) << program.error().message;
    constexpr size_t kBytes = 4 * kLanes * kLanes;
    const uint64_t out = *device.Allocate(4 * kLanes), in = *device.Allocate(kBytes);
    std::vector<uint32_t> numbers(kLanes * kLanes);
    std::iota(numbers.begin(), numbers.end(), 1u);
    std::memcpy(device.Data(in, kBytes).data(), numbers.data(), kBytes);
    Arguments arguments;
    arguments.Buffer(out).Buffer(in).Value(word1).Value(word3);
    LaunchConfig config;
    config.global.x = config.local.x = kLanes;
    config.engine = engine;
    config.compile_first = true;
    const auto result = Launch(device, *program, "load_through", config, arguments);
    EXPECT_TRUE(result && result->status == LaunchStatus::kDone);
    std::vector<uint32_t> loaded(kLanes);
    std::memcpy(loaded.data(), device.Data(out, 4 * kLanes).data(), 4 * kLanes);
    for (uint32_t& value : loaded) value /= 4;  // 3 times it, and it once more
    return loaded;
  }
};

TEST_F(ScratchWordsTest, DwordsOfLanesAreInterleaved) {
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    const std::vector<uint32_t> loaded = Run(engine, kWord1, kWord3);
    for (uint32_t lane = 0; lane < kLanes; ++lane) EXPECT_EQ(loaded[lane], lane * 64 + lane + 1);
  }
}

TEST_F(ScratchWordsTest, OtherFieldsAreOtherPlaces) {
  const std::vector<uint32_t> usual = Run(Engine::kInterpreter, kWord1, kWord3);
  struct Words {
    const char* what;
    uint32_t word1, word3;
  };
  for (const Words words : {Words{"no swizzle", 0, kWord3}, Words{"a stride", 4u << 16, kWord3},
                            Words{"index stride 16", kWord1, kWord3 ^ 1u << 22},
                            Words{"index stride 8", kWord1, kWord3 ^ 3u << 21},
                            Words{"no lane's number", kWord1, (kWord3 ^ 1u << 23) | 4u << 15}}) {
    const std::vector<uint32_t> expected = Run(Engine::kInterpreter, words.word1, words.word3);
    EXPECT_NE(expected, usual) << words.what;
    EXPECT_EQ(Run(Engine::kJit, words.word1, words.word3), expected) << words.what;
  }
}

}  // namespace
}  // namespace gcnjit
