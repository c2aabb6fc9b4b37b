// IR that the verifier accepts but the back end would get wrong is refused, not compiled.
#include "backend_x64/plan/block_invariants.h"

#include <gtest/gtest.h>

#include "backend_x64/compile/region.h"
#include "ir/parser.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

std::string Broken(const std::string& lines) {
  const ir::ParseResult parsed =
      ir::Parse("block 0x40 instructions=1\nguest 0 0x40\n" + lines + "exit end, 0x44\n");
  if (parsed.error) return "line " + std::to_string(parsed.error->line);
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  std::string refusal;
  CompileOptions options;
  options.layout = Machine::Layout();
  const auto region = Compile(parsed.function, options, &refusal);
  const std::string broken = BrokenInvariant(parsed.function);
  EXPECT_EQ(region == nullptr, !broken.empty());
  EXPECT_EQ(refusal, broken);
  return broken;
}

TEST(BlockInvariants, WhatTheLifterWrites) {
  EXPECT_EQ(Broken("%1 = get_vgpr.v32 v1\n%2 = get_vgpr.v32 v2\nset_vgpr v2, %1\nset_vgpr v1, %2\n"
                   "%3 = get_sgpr.u32 s4\n%4 = get_sgpr64.u64 s4\n%5 = get_sgpr.u32 s4\n"
                   "%6 = get_scc.u1\n%7 = get_scc.u1\nset_sgpr s5, %3\nset_sgpr64 s4, %4\n"
                   "set_scc %6\n%8 = get_sgpr.u32 s6\nset_sgpr s5, %8\n"),
            "");
}

TEST(BlockInvariants, Vgprs) {
  const std::string read = "%1 = get_vgpr.v32 v3\n";
  EXPECT_EQ(Broken(read + "%2 = get_vgpr.v32 v3\nset_vgpr v4, %2\nset_vgpr v5, %1\n"),
            "block 0x40: v3 is read twice");
  EXPECT_EQ(Broken(read + "set_vgpr v4, %1\n%2 = get_vgpr.v32 v4\nset_vgpr v5, %2\n"),
            "block 0x40: v4 is read after its write");
  EXPECT_EQ(Broken(read + "set_vgpr v4, %1\nset_vgpr v4, 7\n"), "block 0x40: v4 is written twice");
}

TEST(BlockInvariants, VgprsByNumber) {
  const std::string number = "%1 = get_sgpr.u32 s3\n";
  const std::string write = number + "set_vgpr_at v4, %1, 5:u64, 7\n";
  EXPECT_EQ(Broken(number + "%2 = get_vgpr_at.v32 v4, %1\nset_vgpr v5, %2\n"
                            "set_vgpr_at v4, %1, 5:u64, %2\nset_vgpr_at v0, %1, 5:u64, 7\n"),
            "");
  EXPECT_EQ(Broken(number + "set_vgpr v3, 7\n%2 = get_vgpr_at.v32 v4, %1\nset_vgpr v5, %2\n"), "");
  EXPECT_EQ(Broken(number + "set_vgpr v4, 7\n%2 = get_vgpr_at.v32 v4, %1\nset_vgpr v5, %2\n"),
            "block 0x40: v4 may be read after its write");
  EXPECT_EQ(Broken(write + "set_vgpr v2, 7\n"),
            "block 0x40: v2 is accessed after a write by number");
  EXPECT_EQ(Broken(write + "%2 = get_vgpr.v32 v9\nset_sgpr s4, %1\n"),
            "block 0x40: v9 is accessed after a write by number");
}

TEST(BlockInvariants, Matrices) {
  const std::string matrix = "matrix 1, 2 {d=256, c=256, shape=16x16x4x1, f32}\n";
  EXPECT_EQ(Broken("%1 = get_vgpr.v32 v2\nset_vgpr v4, %1\n" + matrix + matrix + "set_scc true\n"),
            "");
  EXPECT_EQ(Broken(matrix + "%1 = get_vgpr.v32 v9\nset_sgpr s4, 7\n"),
            "block 0x40: v9 is accessed after a product of matrices");
  EXPECT_EQ(Broken(matrix + "set_vgpr v3, 7\n"),
            "block 0x40: v3 is accessed after a product of matrices");
}

TEST(BlockInvariants, Scalars) {
  const std::string write = "set_sgpr64 s6, 5:u64\n";
  EXPECT_EQ(Broken(write + "%1 = get_sgpr.u32 s7\nset_sgpr s9, %1\n"),
            "block 0x40: s7 is read after its write");
  EXPECT_EQ(Broken(write + "%1 = get_sgpr64.u64 s5\nset_sgpr64 s10, %1\n"),
            "block 0x40: s5 is read after its write");
  EXPECT_EQ(Broken(write + "%1 = get_sgpr64.u64 s8\nset_sgpr64 s10, %1\n"), "");
  EXPECT_EQ(Broken("set_scc true\n%1 = get_scc.u1\n%2 = zext.u32 %1\nset_sgpr s0, %2\n"),
            "block 0x40: SCC is read after its write");
}

}  // namespace
}  // namespace gcnjit::backend
