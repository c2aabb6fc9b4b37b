// Memory for compiled code (backend_x64/code_memory.h).
#include "backend_x64/code_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gcnjit::backend {
namespace {

TEST(CodeMemoryTest, CodeThatHasBeenReleasedTraps) {
  constexpr std::byte kNop{0x90};
  constexpr std::byte kInt3{0xCC};
  CodeMemory memory(/*anonymous=*/false);
  std::string error;
  const std::vector<std::byte> nops(1000, kNop);
  // Keeps what both lie in mapped.
  const std::byte* const stays = memory.Add(nops, &error);
  const std::byte* const goes = memory.Add(nops, &error);
  ASSERT_NE(stays, nullptr) << error;
  ASSERT_NE(goes, nullptr) << error;
  EXPECT_TRUE(std::equal(nops.begin(), nops.end(), goes));
  memory.Release(goes);
  EXPECT_EQ(std::count(goes, goes + nops.size(), kInt3), 1000);
  EXPECT_TRUE(std::equal(nops.begin(), nops.end(), stays));
}

}  // namespace
}  // namespace gcnjit::backend
