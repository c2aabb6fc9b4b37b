// Which operations on lane masks are done once for all lanes.
#include "backend_x64/plan/whole_masks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::backend {
namespace {

// The operations, by the number that the text gives them, that are.
std::vector<uint32_t> WholeOf(const std::string& operations) {
  const ir::ParseResult parsed =
      ir::Parse("block 0x1000 instructions=1\n" + operations + "  exit end, 0x2000\n");
  EXPECT_FALSE(parsed.error) << parsed.error->message;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  const std::vector<uint8_t> is_whole = FindWholeMasks(parsed.function, parsed.function.blocks[0]);
  std::vector<uint32_t> whole;
  for (const ir::Value v : parsed.function.blocks[0].insts) {
    if (is_whole[v.id] != 0) whole.push_back(v.id);
  }
  return whole;
}

constexpr const char* kOneCompare = R"(  %1 = get_vgpr.v32 v0
  %2 = get_vgpr.v32 v1
  %3 = lt_u.u64 %1, %2
  %4 = get_sgpr64.u64 s4
)";

TEST(WholeMasks, AreThoseThatNoLaneOperationTakes) {
  EXPECT_EQ(WholeOf(std::string(kOneCompare) + R"(  %5 = or.u64 %3, %4
  %6 = not.u64 %5
  %7 = ne.u1 %6, 0:u64
  set_sgpr64 s4, %5
  set_scc %7
)"),
            (std::vector<uint32_t>{5, 6}));
}

TEST(WholeMasks, AreNoneThatLanesOrAnotherMaskOfLanesAreMadeOf) {
  EXPECT_EQ(WholeOf(std::string(kOneCompare) + R"(  %5 = or.u64 %3, %4
  %6 = not.u64 %5
  %7 = select.v32 %6, %1, %2
  %8 = not.u64 %6
  set_vgpr v2, %7
  set_sgpr64 s4, %8
)"),
            std::vector<uint32_t>{8});
}

// What a compare has in lanes that EXEC does not have is nowhere, if their slices are left out.
TEST(WholeMasks, ReadNoCompareWhereSlicesMayBeLeftOut) {
  EXPECT_EQ(WholeOf(std::string(kOneCompare) + R"(  %5 = get_sgpr64.u64 s126
  %6 = and.u64 %5, %3
  %7 = or.u64 %6, %4
  %8 = xor.u64 %3, %5
  set_sgpr64 s4, %7
  set_sgpr64 s6, %8
)"),
            std::vector<uint32_t>{7});
}

TEST(WholeMasks, AreNotWhatExecIsNotedToBe) {
  EXPECT_EQ(WholeOf(std::string(kOneCompare) + R"(  %5 = or.u64 %4, %4
  note_exec %5
)"),
            std::vector<uint32_t>{});
}

}  // namespace
}  // namespace gcnjit::backend
