#include "backend_x64/plan/written_registers.h"

#include <gtest/gtest.h>

#include "ir/parser.h"

namespace gcnjit::backend {
namespace {

TEST(WrittenRegisters, AreThoseOfAllBlocks) {
  const ir::ParseResult parsed = ir::Parse(
      "block 0x40 instructions=1\nguest 0 0x40\n"
      "%1 = get_vgpr.v32 v1\nset_vgpr v255, %1\n%2 = get_sgpr.u32 s3\nset_sgpr s4, %2\n"
      "jump 0x44\n"
      "block 0x44 instructions=1\nguest 0 0x44\n"
      "%3 = get_vgpr.v32 v2\nset_vgpr v0, %3\n"
      "matrix 1, 2 {d=256, c=300, shape=16x16x4x1, f32}\nset_sgpr64 s126, 5:u64\nset_scc "
      "true\n"
      "exit end, 0x48\n");
  ASSERT_FALSE(parsed.error) << parsed.error->message;
  WrittenRegisters expected;
  expected.vgprs.set(0).set(255).set(256).set(257).set(258).set(259);
  expected.sgprs.set(4).set(126).set(127);
  EXPECT_EQ(WritesOf(parsed.function, false), expected);
}

}  // namespace
}  // namespace gcnjit::backend
