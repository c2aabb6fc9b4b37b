// Which mask registers AVX-512's operations leave to a loop's values.
#include <gtest/gtest.h>

#include <string>

#include "backend_x64/isa/avx512/registers.h"
#include "ir/parser.h"

namespace gcnjit::backend {
namespace {

// Has a block with that operation all mask registers but k0 and the last one for its values?
bool LeavesAll(const std::string& line) {
  const ir::ParseResult parsed = ir::Parse(
      "block 0x1000 instructions=1\nguest 0 0x1000\n%1 = get_vgpr.v32 v0\n%2 = get_sgpr.u32 s0\n"
      "%3 = get_sgpr64.u64 s2\n%9 = " +
      line + "\n%10 = get_scc.u1\nbranch %10, 0x1000, 0x1004\n");
  EXPECT_FALSE(parsed.error) << parsed.error->message << '\n' << line;
  const uint32_t masks = avx512::LoopMasks(parsed.function, parsed.function.blocks[0]);
  EXPECT_EQ(masks & avx512::kMasks, avx512::kMasks);
  return masks != avx512::kMasks;
}

TEST(LoopMasks, OperationsThatNeedNone) {
  for (const char* const line :
       {"add.v32 %1, %2", "fmul.v32 %1, %2 {rn}", "fcmp.u64 %1, %2 {lt_os, rn}", "lt_u.u64 %1, %2",
        "lt_u.u1 %2, 7", "lt_u.u1 %3, 7:u64", "fmul.u32 %2, %2 {rn}"}) {
    EXPECT_TRUE(LeavesAll(line)) << line;
  }
}

TEST(LoopMasks, OperationsThatNeedOne) {
  for (const char* const line : {"mulhi_u.v32 %1, %2", "f32_to_i32.v32 %1 {rn}",
                                 "fcmp.u1 %2, 1.0 {lt_os, rn}", "fcmp.u1 %3, %3 {lt_os, rn}"}) {
    EXPECT_FALSE(LeavesAll(line)) << line;
  }
}

}  // namespace
}  // namespace gcnjit::backend
