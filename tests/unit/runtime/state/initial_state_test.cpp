// What waves find in their registers when they start: the ABI's values, and zeros in everything
// that the ABI leaves undefined, whatever ran before in the same storage and whichever engine runs.
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "gcnjit/gcnjit.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

constexpr uint32_t kStateItems = 256, kStride = 12;  // dwords
// So many that most follow others in compiled code, and that code is compiled in the middle of it.
constexpr uint32_t kStateGroups = 3000;

enum class How { kInterpreted, kCompiled, kFirstInterpreted };

class InitialStateTest : public testing::TestWithParam<How> {
 protected:
  // Element [d][i]: dword d that work-item i of each group has stored. Groups whose items stored
  // something else than the first group's are complained about.
  std::vector<std::vector<uint32_t>> Look(const char* kernel, size_t dwords) {
    Device device = *Device::Create();
    const std::vector<std::byte> file = ReadTestFile("undefined_registers.co");
    auto program = Program::Load(device, file);
    EXPECT_TRUE(program) << program.error().message;
    constexpr size_t kGroupBytes = kStateItems * kStride * 4;
    const uint64_t out = *device.Allocate(kStateGroups * kGroupBytes);
    const std::span<std::byte> bytes = device.Data(out, kStateGroups * kGroupBytes);
    // Interpreted, since compiled code would not bother to write what is never read.
    Run(device, *program, "spoil", How::kInterpreted, out, /*groups=*/4);
    std::memset(bytes.data(), 0xEE, bytes.size());
    Run(device, *program, kernel, GetParam(), out, kStateGroups);
    for (uint32_t group = 1; group < kStateGroups; ++group) {
      const std::byte* const of_group = bytes.data() + group * kGroupBytes;
      if (std::memcmp(of_group, bytes.data(), kGroupBytes) == 0) continue;
      ADD_FAILURE() << "group " << group << " has found something else than group 0";
      break;
    }
    std::vector<std::vector<uint32_t>> result(dwords, std::vector<uint32_t>(kStateItems));
    for (uint32_t item = 0; item < kStateItems; ++item) {
      for (size_t d = 0; d < dwords; ++d) {
        std::memcpy(&result[d][item], bytes.data() + (item * kStride + d) * 4, 4);
      }
    }
    return result;
  }

 private:
  static void Run(Device& device, const Program& program, const char* kernel, How how, uint64_t out,
                  uint32_t groups) {
    LaunchConfig config;
    config.global.x = kStateItems * groups;
    config.local.x = kStateItems;
    config.threads = 1;  // the storage is a thread's
    config.engine = how == How::kInterpreted ? Engine::kInterpreter : Engine::kJit;
    config.compile_first = how == How::kCompiled;
    const auto result = Launch(device, program, kernel, config, Arguments().Buffer(out));
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->status, LaunchStatus::kDone) << result->fault->Describe();
  }
};

using Dwords = std::vector<uint32_t>;
const Dwords kZeros(kStateItems, 0);

TEST_P(InitialStateTest, AreZero) {
  const auto stored = Look("look", 9);
  EXPECT_EQ(stored[0], kZeros) << "a VGPR after the work-item ids";
  EXPECT_EQ(stored[1], kZeros) << "a VGPR that is never written";
  Dwords half(kStateItems), one(kStateItems);
  for (uint32_t item = 0; item < kStateItems; ++item) {
    half[item] = item % 64 < 32 ? 5 : 0;
    one[item] = item % 64 == 3 ? 0x4d : 0;
  }
  EXPECT_EQ(stored[2], half) << "a VGPR that is written in half of the lanes";
  EXPECT_EQ(stored[3], one) << "a VGPR that is written in one lane";
  EXPECT_EQ(stored[4], kZeros) << "an SGPR";
  EXPECT_EQ(stored[5], kZeros) << "VCC and M0";
  EXPECT_EQ(stored[6], kZeros) << "SCC";
  EXPECT_EQ(stored[7], kZeros) << "a lane that EXEC excludes";
  EXPECT_EQ(stored[8], kZeros) << "a VGPR that the interpreter reads";
}

TEST_P(InitialStateTest, AreZeroIfModeChoosesThem) {
  EXPECT_EQ(Look("look_by_index", 1)[0], kZeros);
}

TEST_P(InitialStateTest, AreZeroAfterIndirectJumps) {
  const auto stored = Look("look_after_jump", 2);
  EXPECT_EQ(stored[0], kZeros);
  EXPECT_EQ(stored[1], kZeros);
}

// Storage is used again for the same wave of the next group.
TEST_P(InitialStateTest, AreZeroAlthoughTheWaveOfAnotherGroupHasWrittenThem) {
  const auto stored = Look("look_and_spoil", 3);
  Dwords ids(kStateItems);
  for (uint32_t item = 0; item < kStateItems; ++item) ids[item] = item + 200;
  EXPECT_EQ(stored[0], Dwords(kStateItems, 6)) << "a VGPR";
  EXPECT_EQ(stored[1], ids) << "the work-item ids";
  EXPECT_EQ(stored[2], Dwords(kStateItems, 2)) << "an SGPR";
}

// As before, where nothing but scalars has to be made anew.
TEST_P(InitialStateTest, ScalarsAreZeroAlthoughTheWaveOfAnotherGroupHasWrittenThem) {
  const auto stored = Look("look_and_spoil_scalars", 3);
  EXPECT_EQ(stored[0], kZeros) << "SCC";
  EXPECT_EQ(stored[1], kZeros) << "an SGPR";
  EXPECT_EQ(stored[2], Dwords(kStateItems, 0x77)) << "what the wave has written itself";
}

std::string NameOf(const testing::TestParamInfo<How>& how) {
  switch (how.param) {
    case How::kInterpreted: return "interpreted";
    case How::kCompiled: return "compiled";
    case How::kFirstInterpreted: break;
  }
  return "first_interpreted";
}

INSTANTIATE_TEST_SUITE_P(Engines, InitialStateTest,
                         testing::Values(How::kInterpreted, How::kCompiled, How::kFirstInterpreted),
                         NameOf);

}  // namespace
}  // namespace gcnjit
